// An hour of a queue in three lanes on one time axis, with each gateway's strip beneath.

import { hatch, newID, svg } from './dom.js'
import { gaps, MINUTE_MS, steps, TimeScale, ValueScale } from './scale.js'
import { strips, stripsHeight } from './strips.js'
import { hasOtherLeavers, hasOtherNumbers, restatement } from './restated.js'
import { exactDuration, time, unlessAll } from './words.js'

export const LEGEND = 'Lines: the estimate at the end of each minute, in the band that is right in 9 of 10 cases. ' +
  'Hatched: unknown. Blank: the minute is not complete yet, or had no forecast. Pale hatching: less certain. ' +
  'Diamonds: a minute whose numbers changed after it was first published, by late messages or in hindsight; open, as ' +
  'first published; filled, as now.'

export const LEAVERS_LEGEND = 'A diamond at the upper edge of the waits: the leavers of the minute changed. Pale ' +
  'points: later messages may still change them. A wait that came stands at the time of joining. The record below ' +
  'compares it with the forecast of that moment.'

const LANES = [{ top: 26, bottom: 136 }, { top: 172, bottom: 272 }, { top: 308, bottom: 408 }]
const STRIPS_TOP = 428

export class Lanes {
  #scale
  #cross
  #gap = newID('gap')
  node

  // `hour`: from, to, now, minutes, visits (null: not kept), gateways (with runs); truth of a simulation.
  constructor(hour, width) {
    const { from, to, minutes, gateways } = hour, visits = hour.visits ?? [], known = knownEnd(hour)
    const truth = steps(hour.truth ?? [], from, Math.min(to, hour.now))
    this.#scale = new TimeScale(from, to, width)
    const bottom = STRIPS_TOP + stripsHeight(gateways)
    // How long the others waited is not known.
    const left = visits.filter(visit => visit.left >= from && visit.left < to && visit.how !== 'unknown')
    const joined = visits.filter(visit => visit.entered >= from && visit.entered < to && visit.how === 'served')
    const waits = [...left, ...joined].map(visit => visit.waitMs)
    const late = minutes.filter(minute => restatement(minute) !== ''), restated = late.filter(hasOtherNumbers)
    const forecasts = minutes.filter(minute => minute.forecast)
    const lengths = new ValueScale(LANES[0].top, LANES[0].bottom, Math.max(4, ...minutes.map(minute =>
      minute.length?.high ?? 0), ...truth.map(([, people]) => people)))
    const longest = Math.max(2 * MINUTE_MS, ...waits, ...forecasts.map(minute => minute.forecast.highMs))
    const [leavers, forecast] = LANES.slice(1).map(lane => new ValueScale(lane.top, lane.bottom, longest * 1.05))
    this.#cross = svg('rect', { y: 20, height: bottom - 20, class: 'cross' })
    this.node = svg('svg', { class: 'lanes', viewBox: `0 0 ${width} ${bottom + 20}`, width, height: bottom + 20,
      role: 'img', 'aria-label': inWords(hour) },
      hatch(this.#gap), this.#scale.grid(20, bottom),
      lengths.grid(width, 1, ''), leavers.grid(width, MINUTE_MS, ' min'), forecast.grid(width, MINUTE_MS, ' min'),
      LANES.map(({ top, bottom: end }) => [this.#unknown(minutes, top, end, known), this.#lessCertain(minutes, top,
        end)]),
      this.#title(0, `People${unlessAll(coverageOf(minutes))} in line${truth.length ? ' (thin: true number)' : ''}`),
      this.#title(1, hour.visits ? 'Waits of leavers (open: gave up)' : 'Waits of leavers are not kept'),
      this.#title(2, hour.visits ? 'Forecast, and the waits that came' : 'Forecast'),
      this.#band(minutes, 'length', lengths, one => [one.low, one.people, one.high]),
      truth.length ? svg('polyline', { class: 'truth', points: truth.map(([at, people]) =>
        `${this.#scale.x(at).toFixed(1)},${lengths.y(people).toFixed(1)}`).join(' ') }) : null,
      restated.map(minute => this.#restated(minute, lengths, one => [one.length?.people, one.restated.people])),
      left.map(visit => this.#point(visit, visit.left, leavers)),
      restated.filter(hasOtherLeavers).map(minute => this.#edge(minute, LANES[1].top)),
      this.#band(minutes, 'forecast', forecast, one => [one.lowMs, one.waitMs, one.highMs]),
      joined.map(visit => this.#point(visit, visit.entered, forecast)),
      strips(gateways, this.#scale, STRIPS_TOP, this.#gap, late, known), this.#cross)
    this.#cross.setAttribute('visibility', 'hidden')
  }

  // Moves the crosshair to the minute that begins at `at`. The minute's values are at its right edge.
  point(at) {
    const left = this.#scale.x(at)
    this.#cross.setAttribute('x', left)
    this.#cross.setAttribute('width', Math.max(0, this.#scale.x(at + MINUTE_MS) - left))
    this.#cross.setAttribute('visibility', 'visible')
  }

  // The time below a pointer.
  timeAt(event) {
    const box = this.node.getBoundingClientRect()
    return this.#scale.at((event.clientX - box.left) * this.#scale.width / box.width)
  }

  #title(lane, text) { return svg('text', { x: 0, y: LANES[lane].top - 10, class: 'lane-title' }, text) }

  #unknown(minutes, top, bottom, end) {
    const known = minutes.filter(minute => minute.state !== 'unknown').map(minute => [minute.start, minute.end])
    return gaps(known, this.#scale.from, end).map(([from, to]) => svg('rect', {
      x: this.#scale.x(from), y: top, width: this.#scale.x(to) - this.#scale.x(from), height: bottom - top,
        fill: `url(#${this.#gap})`, class: 'gap',
    }))
  }

  #lessCertain(minutes, top, bottom) {
    return minutes.filter(minute => minute.state === 'degraded').map(({ start, end }) => svg('rect', {
      x: this.#scale.x(start), y: top, width: this.#scale.x(end) - this.#scale.x(start), height: bottom - top,
        fill: `url(#${this.#gap})`, class: 'less-certain',
    }))
  }

  // A line with its interval; a gap parts it. `values`: lower end, value, upper end.
  #band(minutes, member, scale, values) {
    const runs = [[]]
    for (const minute of minutes) {
      if (!minute[member]) runs.push([])
      // A run begins with its first minute, so that a single minute is visible.
      else for (const at of runs.at(-1).length ? [minute.end] : [minute.start, minute.end]) {
        runs.at(-1).push([this.#scale.x(at), ...values(minute[member]).map(value => scale.y(value))].map(value =>
          value.toFixed(1)))
      }
    }
    return runs.filter(run => run.length > 0).map(run => svg('g', { class: `lane-${member}` },
      svg('polygon', { class: 'area', points: [...run.map(([x, low]) => `${x},${low}`), ...run.toReversed()
        .map(([x, , , high]) => `${x},${high}`)].join(' ') }),
      svg('polyline', { class: 'line', points: run.map(([x, , middle]) => `${x},${middle}`).join(' ') })))
  }

  // Both values of a minute that was restated; `values`: of its present document and of the first one. One that is
  // unknown has no place.
  #restated(minute, scale, values) {
    const [now, first] = values(minute).map(value => Number.isFinite(value) ? scale.y(value) : null)
    if (now === first) return null
    const x = this.#scale.x(minute.end)
    return svg('g', { class: 'restated', 'data-start': minute.start }, svg('title', {}, restatement(minute)),
      now === null || first === null ? null : svg('line', { x1: x, x2: x, y1: first, y2: now, class: 'restated-line' }),
      first === null ? null : diamond(x, first, 'restated-first'), now === null ? null : diamond(x, now,
        'restated-now'))
  }

  // Numbers of leavers have no height in their lane: the mark stands at its upper edge.
  #edge(minute, y) {
    return svg('g', { class: 'restated restated-leavers', 'data-start': minute.start }, svg('title', {},
      restatement(minute)),
      diamond(this.#scale.x(minute.end), y, minute.state === 'unknown' ? 'restated-first' : 'restated-now'))
  }

  #point(visit, at, scale) {
    return svg('circle', { cx: this.#scale.x(at), cy: scale.y(visit.waitMs), r: 4,
      class: `visit ${visit.how}${visit.isProvisional ? ' provisional' : ''}` },
      svg('title', {}, `${time(at)}: ${exactDuration(visit.waitMs)}, ` +
        `${visit.how === 'served' ? 'served' : 'gave up'}${visit.isProvisional ? ', provisional' : ''}`))
  }
}

const diamond = (x, y, kind) => svg('path', { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z`, class: kind })

// The end of the time whose minutes can be known: the server publishes a minute when it is over.
export const knownEnd = ({ to, now, minutes }) => Math.min(to, Math.max(now - 2 * MINUTE_MS, minutes.at(-1)?.end ?? 0))

// The coverage of the last minute; receipts change that of the present only.
const coverageOf = minutes => minutes.length === 0 || minutes.at(-1).coverage

function inWords({ from, to, minutes, visits }) {
  const unknown = minutes.filter(minute => minute.state === 'unknown').reduce((sum, minute) => sum +
    minute.end - minute.start, 0)
  const [served, gaveUp] = ['served', 'abandoned'].map(member => minutes.reduce((sum, minute) => sum +
    (minute[member] ?? 0), 0))
  return `${time(from)} to ${time(to)}: ${served} people with a beacon were served, ${gaveUp} ` +
    `gave up${visits ? '' : ' (visits are not kept)'}` +
    `${unknown ? `; ${Math.round(unknown / MINUTE_MS)} minutes are unknown` : ''}.` +
    `${coverageOf(minutes) ? '' : ' Lengths count people with a beacon only.'} The table below has the numbers.`
}
