// The last 30 minutes of a queue's length, with hatched gaps.

import { element, hatch, newID, svg } from './dom.js'
import { steps } from './scale.js'
import { plural, time, unlessAll } from './words.js'

const WIDTH = 300, HEIGHT = 64, TOP = 4

// `trend` of a queue: [start, mean length or null]; `truth`: [time, people] of a simulation.
export function trendChart({ trend = [], coverage }, truth = []) {
  const values = trend.map(([, value]) => value).filter(value => value !== null)
  const highest = top(trend, truth)
  const step = WIDTH / Math.max(1, trend.length)
  const y = value => TOP + (HEIGHT - TOP) * (1 - value / highest)
  const id = newID('gap')
  const gaps = trend.flatMap(([, value], index) => value === null
    ? [svg('rect', { x: index * step, y: 0, width: step, height: HEIGHT, fill: `url(#${id})`, class: 'gap' })] : [])
  const lines = runs(trend).map(run => {
    // A run reaches from the start of its first minute to the end of its last one, so that a single minute is visible.
    const edge = (index, value) => `${(index * step).toFixed(1)},${y(value).toFixed(1)}`
    const [[start, opening], [end, closing]] = [run[0], run.at(-1)]
    const points = [edge(start, opening), ...run.map(([index, value]) => edge(index + 0.5, value)),
      edge(end + 1, closing)]
    const [first, last] = [start, end + 1].map(index => (index * step).toFixed(1))
    return [svg('polygon', { points: `${first},${HEIGHT} ${points.join(' ')} ${last},${HEIGHT}`, class: 'area' }),
      svg('polyline', { points: points.join(' '), class: 'line' })]
  })
  const start = trend[0]?.[0] ?? 0, x = at => (at - start) / 60000 * step
  const corners = steps(truth, start, start + trend.length * 60000)
  return svg('svg', { class: 'trend', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': inWords(trend, values, coverage) },
    hatch(id), gaps, [highest, 0].map(value => svg('line', { x1: 0, x2: WIDTH, y1: y(value), y2: y(value),
      class: 'grid' })), lines, corners.length > 1 ? svg('polyline', { points: corners.map(([at, people]) =>
      `${x(at).toFixed(1)},${y(people).toFixed(1)}`).join(' '), class: 'truth' }) : null)
}

// A server that has just started has no minute.
export const trendName = ({ length }) => length === 0 ? 'No minutes yet' : `Last ` +
  `${length === 1 ? 'minute' : `${length} minutes`}`

// The upper end of the vertical axis: at least 4 people.
const top = (trend, truth) => Math.ceil(Math.max(4, ...trend.map(([, value]) => value ?? 0),
  ...truth.map(([, people]) => people)))

// The numbers of people at the chart's upper and lower end.
export function trendScale(trend, truth) {
  if (trend.length === 0) return []
  return element('p', { class: 'trend-scale', 'aria-hidden': 'true' }, [top(trend, truth), 0].map(value =>
    element('span', {}, value)))
}

// The times at the chart's two ends; a screen reader hears them in the chart's words.
export function trendAxis(trend) {
  if (trend.length === 0) return []
  return element('p', { class: 'trend-axis', 'aria-hidden': 'true' }, element('span', {}, time(trend[0][0])),
    element('span', {}, time(trend.at(-1)[0] + 60000)))
}

// ": 5 to 9 people in line": the means of minutes; empty if nothing is known.
export function trendRange(trend, coverage) {
  const values = trend.map(([, value]) => value).filter(value => value !== null).map(Math.round)
  if (values.length === 0) return ''
  const low = Math.min(...values), high = Math.max(...values)
  return `: ${low < high ? `${low} to ` : ''}${plural(high, 'person', 'people')}${unlessAll(coverage)} in line`
}

// Runs of known neighbours.
function runs(trend) {
  const result = []
  trend.forEach(([, value], index) => {
    if (value === null) return
    if (index === 0 || trend[index - 1][1] === null) result.push([])
    result.at(-1).push([index, value])
  })
  return result
}

function inWords(trend, values, coverage) {
  if (values.length === 0) return 'The last 30 minutes are unknown.'
  const mean = value => String(Math.round(value * 10) / 10)
  const last = trend.findLast(([, value]) => value !== null)
  const unknown = trend.length - values.length
  return `People${unlessAll(coverage)} in line in the last ${trend.length} minutes: between ` +
    `${mean(Math.min(...values))} and ${mean(Math.max(...values))}, ` +
    `${mean(last[1])} at ${time(last[0])}${unknown ? `; ${unknown} minutes unknown` : ''}.`
}
