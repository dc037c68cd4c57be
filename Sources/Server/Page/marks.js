// The marks of the view Plan: what is wrong with the network of beacons, each by its shape and its words.

import { svg } from './dom.js'
import { STATES } from './registry.js'

// From a mark's middle, in pixels; a finger needs 24.
const SIZE = 8, REACH = 14
// The states that have a mark at the place of the registry.
const MARKED = ['missing', 'moved', 'clone']
const SHAPES = {
  missing: `M${-SIZE},${-SIZE} L${SIZE},${SIZE} M${-SIZE},${SIZE} L${SIZE},${-SIZE}`,
  // Where it was: an open square.
  moved: `M${-SIZE},${-SIZE} H${SIZE} V${SIZE} H${-SIZE} Z`,
  // Two diamonds, one behind the other.
  clone: `M-4,${-SIZE} L4,0 L-4,${SIZE} L-12,0 Z M4,${-SIZE} L12,0 L4,${SIZE} L-4,0 Z`,
  unregistered: `M-7,-7 H7 V7 H-7 Z`,
}
const round = value => Math.round(value * 100) / 100
const nameOf = one => one.name ?? one.beacon.split('/').slice(1).join('/')

// The beacons with a mark, and those that have no place in the registry for it.
export function faults(states) {
  const all = states.filter(one => MARKED.includes(one.state))
  return { placed: all.filter(one => one.registered.x !== null), others: all.filter(one => one.registered.x === null) }
}

// Where a beacon without a row is loudest, by gateway.
export function byGateway(strangers) {
  const groups = new Map()
  for (const one of strangers) {
    const [gateway] = one.why?.gateways ?? []
    groups.set(gateway, [...groups.get(gateway) ?? [], one])
  }
  return groups
}

// A shape at a point, which is a link.
export const shape = ({ state, at: [x, y], href, sentence, words, isChosen = false, ...more }) => svg('a', { href,
  class: 'mark', 'data-mark': state, 'aria-label': sentence, 'aria-current': isChosen ? 'true' : null, ...more },
svg('title', {}, sentence), svg('circle', { cx: round(x), cy: round(y), r: REACH, class: 'reach' }),
svg('path', { d: SHAPES[state], transform: `translate(${round(x)} ${round(y)})`, class: 'mark-shape' }),
svg('text', { x: round(x), y: round(y + SIZE + 13), class: 'mark-name' }, words))

// The mark of a registered beacon at its place in the registry; of a moved one with an arrow to where it is now. A narrow drawing
// has no room for names.
export function mark(one, at, { now = null, href, isChosen, isNarrow }) {
  const { x, y } = one.registered, from = at([x, y]), to = now && at(now)
  const word = one.state === 'moved' ? 'before' : STATES[one.state]
  const words = isNarrow ? word : `${nameOf(one)}${one.state === 'moved' ? ',' : ':'} ${word}`
  const length = to && Math.hypot(to[0] - from[0], to[1] - from[1])
  return [
    length > 2 * SIZE ? arrow(from, to, length) : null,
    shape({ state: one.state, at: from, href, isChosen, words, 'data-beacon': one.beacon,
      sentence: `${nameOf(one)}: ${STATES[one.state]}. ${one.work?.sentence ?? ''}`.trim() }),
  ]
}

function arrow([x, y], [toX, toY], length) {
  const [dx, dy] = [(toX - x) / length, (toY - y) / length]
  const point = (along, aside) => `${round(toX - along * dx - aside * dy)},${round(toY - along * dy + aside * dx)}`
  return svg('path', { class: 'mark-arrow', d: `M${round(x + SIZE * dx)},${round(y + SIZE * dy)} L${point(0, 0)} ` +
    `M${point(9, 5)} L${point(0, 0)} L${point(9, -5)}` })
}
