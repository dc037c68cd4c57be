// The last 24 hours in small, above the slider: the mean number of people with a beacon in line in each hour, and the
// hour that is shown.

import { hatch, newID, svg } from './dom.js'
import { gaps, HOUR_MS, LEFT, RIGHT, TimeScale, ValueScale } from './scale.js'
import { time } from './words.js'

const HEIGHT = 44, TOP = 6

export function overview(hours, { from, to, shownFrom, shownTo }, width) {
  const scale = new TimeScale(from, to, width), gap = newID('gap')
  const highest = Math.ceil(Math.max(1, ...hours.map(hour => hour.length?.mean ?? 0))), lengths = new ValueScale(TOP,
    HEIGHT, highest)
  const known = hours.filter(hour => hour.state !== 'unknown')
  const bars = known.map(hour => {
    const left = scale.x(Math.max(hour.start, from)) + 1, right = scale.x(Math.min(hour.end, to)) - 1
    const y = lengths.y(hour.length?.mean ?? 0)
    return svg('rect', { x: left, y, width: Math.max(0, right - left), height: HEIGHT - y, class: 'hour-bar' },
      svg('title', {}, `${time(hour.start)} to ${time(Math.min(hour.end, to))}: ` +
        `${Math.round((hour.length?.mean ?? 0) * 10) / 10} in line on average`))
  })
  const unknown = gaps(known.map(hour => [hour.start, hour.end]), from, to).map(([start, end]) =>
    svg('rect', { x: scale.x(start), y: 2, width: scale.x(end) - scale.x(start), height: HEIGHT - 2,
      fill: `url(#${gap})`, class: 'gap' }))
  return svg('svg', { class: 'overview', viewBox: `0 0 ${width} ${HEIGHT + 18}`, width, height: HEIGHT + 18,
    role: 'img',
    'aria-label': `Mean number of people with a beacon in line in each hour since ${time(from)}, at most ${highest}; ` +
      `shown are ${time(shownFrom)} to ${time(shownTo)}` },
    hatch(gap), scale.grid(HEIGHT, HEIGHT), bars, unknown,
    [0, highest].map(value => svg('text', { x: LEFT - 6, y: lengths.y(value) + 4, class: 'tick end' }, value)),
    svg('line', { x1: LEFT, x2: width - RIGHT, y1: HEIGHT, y2: HEIGHT, class: 'grid' }),
    svg('rect', { x: scale.x(shownFrom), y: 1, width: scale.x(shownFrom + HOUR_MS) - scale.x(shownFrom),
      height: HEIGHT - 1, class: 'shown' }))
}
