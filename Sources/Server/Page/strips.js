// What each gateway heard, as a strip on the time axis of the lanes above.

import { hatch, newID, svg } from './dom.js'
import { gaps, LEFT } from './scale.js'
import { lateGateways, lateWords } from './restated.js'
import { pastState, time } from './words.js'

const ROW = 32, BAR = 12, LATE = 3

export const LEGEND = 'Strips: dark, heard beacons; pale, heard nothing; grey, was still learning which beacons are ' +
  'near; orange hatching, did not hear (framed: lost messages); grey hatching, messages are missing; orange line ' +
  'below, came after its minute was first published.'

export const stripsHeight = gateways => gateways.length * ROW + 6

// `minutes` that were restated mark the gateways that sent messages later. After `known`, messages may still come.
export function strips(gateways, scale, top, gap, minutes, known) {
  const deaf = newID('deaf')
  return [hatch(deaf, 'hatch-deaf'), gateways.map(({ gateway, role, runs }, index) => {
    const y = top + index * ROW
    return svg('g', { class: 'strip', 'data-gateway': gateway },
      svg('text', { x: LEFT, y: y + 10 }, `${gateway} (${role})`),
      [...runs, ...gaps(runs, scale.from, known).map(([from, to]) => [from, to, 'unknown'])].map(
        ([from, to, state]) => {
        const left = scale.x(Math.max(from, scale.from)), right = scale.x(Math.min(to, scale.to))
        const fill = state === 'deaf' || state === 'lost' ? `url(#${deaf})` : state === 'unknown' ? `url(#${gap})`
          : null
        return svg('rect', { x: left, y: y + 15, width: Math.max(0, right - left), height: BAR, class: `strip-run ` +
          `${state}`, fill },
          svg('title', {}, `${pastState([gateway], state)}, ${time(from)} to ${time(to)}`))
      }),
      minutes.flatMap(minute => lateGateways(minute).filter(one => one.gateway === gateway).map(({ ms }) => svg('rect',
        {
        x: scale.x(minute.start), y: y + 15 + BAR, width: scale.x(minute.end) - scale.x(minute.start), height: LATE,
          class: 'strip-late', 'data-start': minute.start,
      }, svg('title', {}, `${time(minute.start)}: ${lateWords(gateway, ms)}, after the minute was first published`)))))
  })]
}

export const BEST_FIRST = ['heard', 'empty', 'learning', 'deaf', 'lost', 'unknown']

// The worst state of a gateway in a time; one that heard something in a part of it, heard. After `known`, messages may
// still come.
export function worstState({ runs }, from, to, known) {
  const inside = runs.filter(([start, end]) => start < to && end > from).map(([, , state]) => state)
  const all = gaps(runs, from, Math.min(to, known)).length > 0 ? [...inside, 'unknown'] : inside
  const rank = state => BEST_FIRST.indexOf(state)
  const worst = all.reduce((one, other) => rank(other) > rank(one) ? other : one, all[0])
  return worst === 'empty' && all.includes('heard') ? 'heard' : worst
}
