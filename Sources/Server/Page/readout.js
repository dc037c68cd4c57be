// What is known of one minute: the text at the crosshair, and the table of an hour.

import { element } from './dom.js'
import { knownEnd } from './lanes.js'
import { restatement } from './restated.js'
import { table } from './saving.js'
import { HOUR_MS, MINUTE_MS } from './scale.js'
import { BEST_FIRST, worstState } from './strips.js'
import { exactDuration, list, pastReason, pastState, people, time, wait } from './words.js'

// The server doubts a line for so long after a gateway did not hear, and for no shorter interruption.
const LONGEST_DOUBT_MS = 15 * MINUTE_MS, LEAST_MS = 3000
const HEARING = ['heard', 'empty']

const forecastOf = minute => ({ ...minute.forecast, ms: minute.forecast.waitMs })

// The minute at `at`, in words and as elements.
export function readout(hour, at) {
  const { minutes, visits, gateways, now } = hour
  const minute = minutes.find(one => one.start <= at && at < one.end)
  const unknown = minute => !minute && at > now - 2 * MINUTE_MS ? 'not complete yet' : unknownMinute(minute, gateways)
  const inMinute = edge => (visits ?? []).filter(visit => visit[edge] >= at && visit[edge] < at + MINUTE_MS)
  const came = inMinute('entered').filter(visit => visit.how === 'served')
  const isKnown = Boolean(minute && minute.state !== 'unknown' && minute.length)
  const rows = [
    ['In line', isKnown ? people(minute) : unknown(minute)],
    ['Left', isKnown ? leftIn(minute, inMinute('left'), visits !== null) : minute ? 'unknown' : unknown(minute)],
    ['Forecast', minute?.forecast ? wait(forecastOf(minute)) + (came.length ? `; came: ${exactDurations(came)}` : '')
      : 'none'],
    ['Gateways', gatewaysIn(gateways, at, knownEnd(hour)) || 'not complete yet'],
    isKnown && minute.knownMs < minute.end - minute.start ? ['Known', knownTime(minute)] : null,
    isKnown && minute.state === 'degraded' ? ['Less certain', causes(minute, gateways)] : null,
    minute && restatement(minute) ? ['Restated', restatement(minute)] : null,
    minute && !minute.final ? ['Provisional', 'Later messages may still change this minute.'] : null,
  ].filter(Boolean)
  return {
    minute, text: `${time(at)}. ${rows.map(([name, value]) => `${name}: ${value}`).join('. ')}`,
    node: [element('p', { class: 'readout-time' }, time(at)),
      element('dl', {}, rows.map(([name, value]) => [element('dt', {}, name), element('dd', { 'data-readout': name },
        value)]))],
  }
}

// "served after 0:41 and 0:52 (min:s); 1 more served, 2 gave up, not final yet": the minute counts all; a visit may be
// known later than its
// minute is published, and has no place in the list where visits are not kept.
function leftIn(minute, visits, areKept) {
  const kinds = [['served', 'served'], ['gave up', 'abandoned']].map(([name, how]) => {
    const listed = visits.filter(visit => visit.how === how), rest = (minute[how] ?? 0) - listed.length
    return { waits: listed.length ? `${name} after ${exactDurations(listed)}` : null, rest: rest > 0
      ? `${rest}${listed.length ? ' more' : ''} ${name}` : null }
  })
  const rest = kinds.map(kind => kind.rest).filter(Boolean)
  if (rest.length) rest.push(...minute.final ? [] : ['not final yet'], ...areKept ? [] : ['visits are not kept'])
  return [...kinds.map(kind => kind.waits).filter(Boolean), rest.join(', ')].filter(Boolean).join('; ') || 'nobody'
}

// "0:41 and 1:02 (min:s)".
const exactDurations = visits => `${list(visits.map(visit => exactDuration(visit.waitMs)))} ` +
  (visits.some(visit => visit.waitMs >= HOUR_MS) ? '(min:s or h:min:s)' : '(min:s)')

// "till-1 did not hear; entry-1 and till-2 heard beacons": what was worst in the minute.
function gatewaysIn(gateways, at, known) {
  const worst = gateways.map(one => [one.gateway, worstState(one, at, at + MINUTE_MS, known)])
  return BEST_FIRST.toReversed().map(state => [state, worst.filter(([, one]) => one === state).map(([gateway]) =>
    gateway)])
    .filter(([, names]) => names.length > 0).map(([state, names]) => pastState(names, state)).join('; ')
}

// "45 of 60 seconds": in the rest, somebody may have come or left unseen.
const knownTime = ({ start, end, knownMs }) => `${Math.floor(knownMs / 1000)} of ${(end - start) / 1000} seconds`

function unknownMinute(minute, gateways) {
  if (!minute) return 'unknown'
  return `unknown: ${causes(minute, gateways)}`
}

// What a minute lacks. If each gateway heard all of it, people may have joined before it, while one did not hear.
function causes({ start, reasons }, gateways) {
  if (reasons.length) return list(reasons.map(pastReason))
  const faults = gateways.flatMap(({ gateway, runs }) => runs
    .filter(([from, to, state]) => !HEARING.includes(state) && to - from >= LEAST_MS && to <= start &&
      to > start - LONGEST_DOUBT_MS).slice(-1)
    .map(([, to, state]) => `${pastReason({ gateway, state })} until ${time(to)}`))
  return `people may have joined unseen${faults.length ? `: ${list(faults)}` : ''}`
}

export function minuteTable({ minutes, gateways }) {
  const head = ['Minute', 'People in line', 'Median wait (min:s)', 'Served', 'Gave up', 'Forecast', 'Note']
  return element('table', { class: 'minutes' }, element('caption', {}, 'The median of two waits is the shorter one.'),
    element('thead', {}, element('tr', {}, head.map(name => element('th', { scope: 'col' }, name)))),
    element('tbody', {}, minutes.length === 0 ? element('tr', {}, element('td', { colspan: head.length }, 'No minute ' +
      'of this hour is known.')) : minutes.map(minute => element('tr', { 'data-start': minute.start },
      element('th', { scope: 'row' }, time(minute.start)), cells(minute, gateways).map(text => element('td', {},
        text))))))
}

// The hour's minutes as a table for programs: times in UTC, and nothing where a value is not known.
export const minuteCSV = ({ minutes }) => table([['start', 'end', 'state', 'people', 'people_low', 'people_high',
  'median_wait_ms', 'served', 'gave_up', 'forecast_ms', 'forecast_low_ms', 'forecast_high_ms', 'final'],
  ...minutes.map(({ start, end, state, length, waits, served, abandoned, forecast, final }) =>
    [new Date(start).toISOString(), new Date(end).toISOString(), state, length?.people, length?.low, length?.high,
      waits?.medianMs, served, abandoned, forecast?.waitMs, forecast?.lowMs, forecast?.highMs, final])])

function cells(minute, gateways) {
  const note = [minute.state === 'degraded' ? 'less certain' : '', restatement(minute), minute.final ? ''
    : 'provisional'].filter(Boolean).join('; ')
  if (minute.state === 'unknown') return [unknownMinute(minute, gateways), '', '', '', '', note]
  return [minute.length ? people(minute) : '', minute.waits?.count ? exactDuration(minute.waits.medianMs) : '',
    minute.served ?? '',
    minute.abandoned ?? '', minute.forecast ? wait(forecastOf(minute)) : '', note].map(String)
}
