// A day's waits: the typical weekday as a grey band, today's hours over it.

import { hatch, newID, svg } from './dom.js'
import { gaps } from './scale.js'
import { time, waitsInWords, waitTime } from './words.js'

const HEIGHT = 150, LEFT = 56, BOTTOM = 20, TOP = 10
const MINUTE_MS = 60000, HOUR_MS = 3600000, DAY_MS = 24 * HOUR_MS
// A site's day begins at 04:00.
const START_MS = 4 * HOUR_MS
// A shorter gap has no width; the server publishes a minute up to two minutes after its end.
const GAP_MS = 3 * MINUTE_MS
// The room of a tick beside the last one.
const TICKS = 92

export class BandChart {
  node
  #width
  #x
  #y

  // `typical`: slots of the typical weekday; `hours`: today's, each with its known times; both as of `loaded`. The axis
  // reaches over `span`.
  constructor({ typical, hours, loaded, targetMs }, now, [from, to], width) {
    this.#width = width
    const known = withWaits(hours)
    const highest = Math.max(2 * MINUTE_MS, targetMs ?? 0, ...typical.map(slot => slot.p90Ms), ...known.map(hour =>
      hour.waits.p90Ms)) * 1.08
    this.#x = at => LEFT + (width - LEFT) * (at - from) / (to - from)
    this.#y = ms => TOP + (HEIGHT - TOP - BOTTOM) * (1 - ms / highest)
    const gap = newID('gap')
    this.node = svg('svg', { class: 'band', viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': inWords(
      known) },
      hatch(gap), this.#axes(from, to, highest), this.#typical(typical),
      gaps(hours.flatMap(hour => hour.known), from, loaded).filter(([begin, end]) => end - begin >= GAP_MS)
        .map(([begin, end]) => this.#gap(begin, end, gap)),
      known.map(hour => this.#hour(hour)), this.#target(targetMs),
      svg('line', { x1: this.#x(now), x2: this.#x(now), y1: TOP, y2: HEIGHT - BOTTOM, class: 'now-line' }))
  }

  #axes(from, to, highest) {
    const hours = (to - from) / HOUR_MS, parts = []
    const every = [1, 2, 3, 6, 12].find(step => hours / step * 52 < this.#width - LEFT) ?? 24
    for (let at = from; at === from || this.#x(to) - this.#x(at) >= TICKS; at += every * HOUR_MS) {
      parts.push(svg('text', { x: this.#x(at), y: HEIGHT - 4, class: 'tick' }, time(at)))
    }
    parts.push(svg('text', { x: this.#width, y: HEIGHT - 4, class: 'tick end' }, time(to)))
    const minutes = Math.ceil(highest / MINUTE_MS / 3)
    for (let value = 0; value * MINUTE_MS < highest; value += minutes) {
      const y = this.#y(value * MINUTE_MS)
      parts.push(svg('line', { x1: LEFT, x2: this.#width, y1: y, y2: y, class: 'grid' }),
        svg('text', { x: LEFT - 6, y: y + 4, class: 'tick end' }, value === 0 ? '0' : `${value} min`))
    }
    return parts
  }

  #typical(slots) {
    if (slots.length < 2) return null
    const at = slot => this.#x(slot.at + 7.5 * MINUTE_MS).toFixed(1)
    const upper = slots.map(slot => `${at(slot)},${this.#y(slot.p90Ms).toFixed(1)}`)
    const middle = slots.map(slot => `${at(slot)},${this.#y(slot.medianMs).toFixed(1)}`)
    return [svg('polygon', { points: [...upper, ...middle.toReversed()].join(' '), class: 'usual' }),
      svg('polyline', { points: middle.join(' '), class: 'usual-line' })]
  }

  // The hour's numbers, over the times of which they are.
  #hour(hour) {
    const top = this.#y(hour.waits.p90Ms), middle = this.#y(hour.waits.medianMs)
    return svg('g', { class: 'today-hour', 'data-start': hour.start },
      svg('title', {}, `${time(hour.start)}: ${waitsInWords(hour.waits)}`),
      hour.known.map(([begin, end]) => {
        const x = this.#x(begin) + 1, width = Math.max(2, this.#x(end) - 1 - x)
        return [svg('rect', { x, y: top, width, height: Math.max(1, middle - top), class: 'today-band' }),
          svg('line', { x1: x, x2: x + width, y1: middle, y2: middle, class: 'today-line' })]
      }))
  }

  #gap(begin, end, pattern) {
    const left = this.#x(begin)
    return svg('rect', { x: left, y: TOP, width: this.#x(end) - left, height: HEIGHT - TOP - BOTTOM,
      fill: `url(#${pattern})`, class: 'gap' },
      svg('title', {}, `${time(begin)} to ${time(end)}: unknown`))
  }

  #target(ms) {
    if (!ms) return null
    return [svg('line', { x1: LEFT, x2: this.#width, y1: this.#y(ms), y2: this.#y(ms), class: 'target-line' }),
      svg('text', { x: this.#width - 2, y: this.#y(ms) - 4, class: 'tick end target-name' }, `target ${waitTime(ms)}`)]
  }
}

const withWaits = hours => hours.filter(hour => hour.waits?.count > 0)

// The slots of a typical weekday that have waits, each with its time on the day that begins at `start`.
export const slotsOf = (slots, start) => slots.filter(slot => slot.samples > 0)
  .map(slot => ({ ...slot, at: start + (slot.startMinute * MINUTE_MS - START_MS + DAY_MS) % DAY_MS }))
    .sort((one, other) => one.at - other.at)

// The whole hours that the charts of several queues have in common, as [from, to].
export function commonHours(days, now) {
  const hours = days.flatMap(({ typical, hours }) => [...typical.map(slot => slot.at), ...withWaits(hours)
    .map(hour => hour.start)]).concat(now)
    .map(at => Math.floor(at / HOUR_MS))
  return [Math.min(...hours) * HOUR_MS, (Math.max(...hours) + 1) * HOUR_MS]
}

// The known times of an hour, as [from, to]; null if only its minutes tell them.
export function knownTimes({ start, end, knownMs }, now) {
  const until = Math.min(end, now)
  if (until - start - knownMs < GAP_MS) return [[start, until]]
  return knownMs === 0 ? [] : null
}

// The known times of an hour from its minutes.
export const knownRuns = minutes => minutes.filter(({ state }) => state !== 'unknown').reduce((runs, { start, end }) =>
  runs.at(-1)?.[1] === start ? [...runs.slice(0, -1), [runs.at(-1)[0], end]] : [...runs, [start, end]], [])

const inWords = hours => hours.length === 0 ? 'There is no wait today yet.'
  : `Waits of today by hour. ${hours.map(hour => `${time(hour.start)}: ${waitsInWords(hour.waits)}`).join('. ')}.`
