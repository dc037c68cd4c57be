// People as dots: filled as far as the line certainly reaches, paler up to the estimate, and open up to the upper end.

import { svg } from './dom.js'
import { people } from './words.js'

const PITCH = 22, RADIUS = 8, GAP = 8, MOST = 60

// `one`: a queue or a minute.
export function dots(one) {
  const { length } = one
  // One dot stands for several people in a very long line.
  const each = Math.max(1, Math.ceil(length.high / MOST))
  const [low, middle, high] = [length.low, Math.round(length.people), length.high].map(count =>
    Math.round(count / each))
  const total = Math.max(high, middle, low)
  const row = total > 20 ? 20 : 10, rows = Math.max(1, Math.ceil(total / row))
  const circles = Array.from({ length: total }, (_, index) => svg('circle', {
    cx: RADIUS + 1 + (index % row) * PITCH + Math.floor((index % row) / 5) * GAP,
    cy: RADIUS + 1 + Math.floor(index / row) * PITCH,
    r: index < middle ? RADIUS : RADIUS - 1,
    class: index < low ? 'dot' : index < middle ? 'dot likely' : 'dot possible',
  }))
  const width = row * PITCH + (row / 5 - 1) * GAP, height = rows * PITCH
  const name = people(one) + (each > 1 ? `; a dot stands for ${each}` : '')
  return svg('svg', { class: row > 10 ? 'dots many' : 'dots', viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: 'xMinYMid meet', role: 'img',
    'aria-label': name }, circles)
}
