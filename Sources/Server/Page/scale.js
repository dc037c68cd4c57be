// Axes that several charts share.

import { svg } from './dom.js'
import { time } from './words.js'

export const LEFT = 50, RIGHT = 8
export const MINUTE_MS = 60000, HOUR_MS = 3600000

// The time axis of a chart of the given width.
export class TimeScale {
  constructor(from, to, width) { Object.assign(this, { from, to, width }) }

  x(at) { return LEFT + (this.width - LEFT - RIGHT) * (at - this.from) / (this.to - this.from) }
  at(x) { return Math.min(this.to, Math.max(this.from, this.from + (x - LEFT) / (this.width - LEFT - RIGHT) * (
    this.to - this.from))) }

  // Round times that leave enough room for their texts.
  get ticks() {
    const room = (this.width - LEFT) / 56, steps = [5, 10, 15, 30, 60, 120, 180, 360, 720].map(step => step * MINUTE_MS)
    const step = steps.find(one => (this.to - this.from) / one < room) ?? 24 * HOUR_MS, ticks = []
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) ticks.push(at)
    return ticks
  }

  grid(top, bottom) {
    return this.ticks.map(at => [svg('line', { x1: this.x(at), x2: this.x(at), y1: top, y2: bottom, class: 'grid' }),
      svg('text', { x: Math.min(this.x(at), this.width - 18), y: bottom + 14, class: 'tick middle' }, time(at))])
  }
}

// The vertical axis of a lane between two heights.
export class ValueScale {
  constructor(top, bottom, highest) { Object.assign(this, { top, bottom, highest }) }

  y(value) { return this.bottom - (this.bottom - this.top) * Math.min(value, this.highest) / this.highest }

  // Lines and texts at round values; `unit` of a value in the scale's terms.
  grid(width, unit, name) {
    const step = [1, 2, 5, 10, 20, 50, 100, 200].find(one => this.highest / (one * unit) <= 4) ?? 500, parts = []
    for (let value = 0; value * unit <= this.highest; value += step) {
      const y = this.y(value * unit)
      parts.push(svg('line', { x1: LEFT, x2: width - RIGHT, y1: y, y2: y, class: 'grid' }),
        svg('text', { x: LEFT - 6, y: y + 4, class: 'tick end' }, value === 0 ? '0' : `${value}${name}`))
    }
    return parts
  }
}

// The parts of a time that no period covers, as [from, to]: about them, nothing is known.
export function gaps(periods, from, to) {
  const result = []
  let end = from
  for (const [start, stop] of [...periods].sort((one, other) => one[0] - other[0])) {
    if (start > end) result.push([end, Math.min(start, to)])
    end = Math.max(end, stop)
  }
  if (end < to) result.push([end, to])
  return result.filter(([start, stop]) => start < stop)
}

// The corners of a line whose values hold until the next one, within a time; `points`: [time, value].
export function steps(points, from, to) {
  const before = points.findLast(([at]) => at <= from), inside = points.filter(([at]) => at > from && at < to)
  const known = [...before ? [[from, before[1]]] : [], ...inside]
  return known.flatMap(([at, value], index) => [[at, value], [known[index + 1]?.[0] ?? to, value]])
}
