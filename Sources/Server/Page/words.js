// Numbers and states in plain words.

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven',
  'twelve']

export const number = count => NUMBERS[count] ?? String(count)
export const plural = (count, one, many = one + 's') => `${count} ${count === 1 ? one : many}`
export const capital = text => text.charAt(0).toUpperCase() + text.slice(1)
export const list = items => items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

// A wait has one unit, so that numbers compare at a glance: below five minutes half minutes, then minutes. A number
// between words: ["", "1½", " minutes"], ["under ", "½", " minute"].
export function waitParts(ms) {
  const count = minutes(ms, Math.round), isLess = ms > 0 && count === 0
  return [isLess ? 'under ' : '', halves(isLess ? .5 : count), isLess || count > 0 && count <= 1 ? ' minute'
    : ' minutes']
}
export const waitTime = ms => waitParts(ms).join('')

// Any other duration: as a wait, and from two hours on in hours and minutes.
export function duration(ms) {
  const count = minutes(ms, Math.round), rest = count % 60
  if (count < 120) return waitTime(ms)
  return plural(Math.floor(count / 60), 'hour') + (rest ? ` ${plural(rest, 'minute')}` : '')
}

const minutes = (ms, round) => ms < 300000 ? round(ms / 30000) / 2 : round(ms / 60000)
// "2½".
const halves = count => Number.isInteger(count) ? String(count) : `${Math.floor(count) || ''}½`

// The same duration to the second: "3:41".
export function exactDuration(ms) {
  const seconds = Math.round(ms / 1000), two = value => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  return `${hours ? `${hours}:${two(Math.floor(seconds / 60) % 60)}` : Math.floor(seconds / 60)}:${two(seconds % 60)}`
}

// The median and p90 of waits to the second, each with its range: "median 3:41 (3:10 to 4:20), one in ten above 7:12
// (6:01 or more)".
export function waitsInWords(waits) {
  const isKnown = Number.isFinite
  const range = (low, high) => isKnown(low) && isKnown(high) ? ` (${exactDuration(low)} to ${exactDuration(high)})`
    : isKnown(low) ? ` (${exactDuration(low)} or more)` : isKnown(high) ? ` (${exactDuration(high)} or less)` : ''
  return `median ${exactDuration(waits.medianMs)}${range(waits.medianLowMs, waits.medianHighMs)}, ` +
    `one in ten above ${exactDuration(waits.p90Ms)}${range(waits.p90LowMs, waits.p90HighMs)}`
}

// A range in minutes, rounded outwards: "(3½ to 6)", or "(3½ to 6, a guess)" before enough forecasts have been
// compared with waits.
export function waitRange({ lowMs, highMs, learning }) {
  const text = (end, round) => halves(minutes(end, round))
  return `(${text(lowMs, Math.floor)} to ${text(highMs, Math.ceil)}${learning ? ', a guess' : ''})`
}

// The range of a duration whose ends may not be known: "(3½ to 6)", "(3½ or more)".
export function openRange({ ms, lowMs, highMs }) {
  const ends = { ms, lowMs: lowMs ?? ms, highMs: highMs ?? ms }, isKnown = Number.isFinite
  if (isKnown(lowMs) && isKnown(highMs)) return waitRange(ends)
  const [low, high] = waitRange(ends).slice(1, -1).split(' to ')
  return isKnown(lowMs) ? `(${low} or more)` : isKnown(highMs) ? `(${high} or less)` : '(too few for a range)'
}

export const wait = one => `${waitTime(one.ms)} ${waitRange(one)}`

// Without a coverage, a length counts people with a beacon only.
export const unlessAll = coverage => coverage ? '' : ' with a beacon'
export const count = ({ length, coverage }) => plural(Math.round(length.people), 'person', 'people') +
  unlessAll(coverage)
export const people = one => `${count(one)} ${peopleRange(one.length)}`
export const peopleRange = length => `(${length.low} to ${length.high})`

export const percent = share => `${Math.round(share * 100)} %`

// All times are those of the store's clock, wherever the browser is.
function clocks(timeZone) {
  const format = parts => new Intl.DateTimeFormat('en-GB', { timeZone, ...parts }), two = '2-digit'
  return {
    name: timeZone, time: format({ hour: two, minute: two }), seconds: format({ hour: two, minute: two, second: two }),
    date: format({ weekday: 'short', day: 'numeric', month: 'short' }), year: format({ year: 'numeric' }),
      weekday: format({ weekday: 'long' }),
    all: format({ year: 'numeric', month: two, day: two, hour: two, minute: two, second: two }),
  }
}
const browsers = clocks()
let stores = browsers

// `name`: the store's zone, such as Europe/Berlin. Without a name that the browser knows, its own zone stays.
export function setTimeZone(name) {
  try { stores = clocks(name ?? undefined) } catch { stores = browsers }
}

export const time = ms => stores.time.format(ms)
export const timeSeconds = ms => stores.seconds.format(ms)
export const date = ms => stores.date.format(ms)
// "Sat 14 Mar 2026, 12:04:05".
export const dateTime = ms => `${date(ms)} ${stores.year.format(ms)}, ${timeSeconds(ms)}`
export const weekdayName = ms => stores.weekday.format(ms)

// The name of the store's zone if the browser's clock shows another time.
export const otherZone = ms => stores.all.format(ms) === browsers.all.format(ms) ? '' : stores.name

// The UTC time that the store's clock shows, for charts that know no zones.
export function clockAsUTC(ms) {
  const { year, month, day, hour, minute, second } = Object.fromEntries(stores.all.formatToParts(ms)
    .map(({ type, value }) => [type, Number(value)]))
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

// In the name of a file: "2026-03-14T11-04".
export const fileTime = ms => new Date(clockAsUTC(ms)).toISOString().slice(0, 16).replace(':', '-')

// A time with its day, if that is another day than `now`.
export const timeSince = (ms, now) => date(ms) === date(now) ? time(ms) : `${date(ms)}, ${time(ms)}`

// What a gateway does in a state, and what it did.
const GATEWAY_STATES = {
  heard: ['* hears beacons', '* heard beacons'],
  empty: ['* hears nothing', '* heard nothing'],
  deaf: ['* does not hear', '* did not hear'],
  silent: ['messages of * are missing', 'messages of * were missing'],
  unknown: ['messages of * are missing', 'messages of * were missing'],
  offline: ['* is offline', '* was offline'],
  lost: ['messages of * are lost', 'messages of * were lost'],
  unsynced: ['the clock of * is not set', 'the clock of * was not set'],
  learning: ['* is still learning which beacons are near', '* was still learning which beacons are near'],
}
const gatewayState = state => GATEWAY_STATES[state] ?? [`* is ${state}`, `* was ${state}`]

// "till-1 and till-2 did not hear".
export function pastState(gateways, state) {
  const [, past] = gatewayState(state)
  return (gateways.length > 1 ? past.replace('* was', '* were') : past).replace('*', list(gateways))
}

// Of a time that is over: "till-1 did not hear".
export const pastReason = ({ gateway, state }) => pastState([gateway], state)

// "till-1 does not hear", or of a gateway that hears again: "till-1 did not hear until 12:03". `since`: the time beside
// it.
export function reason({ gateway, state, until }, since) {
  if (Number.isFinite(until)) return `${pastReason({ gateway, state })} until ` +
    `${isSameMinute(since, until) ? timeSeconds(until) : time(until)}`
  return gatewayState(state)[0].replace('*', gateway)
}

// Two times within one minute need their seconds.
const isSameMinute = (one, other) => Number.isFinite(one) && Number.isFinite(other) &&
  Math.floor(one / 60000) === Math.floor(other / 60000)

export const stateName = ({ length }) => length ? 'Less certain' : 'Unknown'

// Behind the state's name: " since 12:04". A server that has just started has no time.
export function stateSince({ since, at, reasons }) {
  if (since === null) return ': no messages have arrived yet'
  const isBeside = reasons.some(({ until }) => isSameMinute(since, until))
  return ` since ${isBeside ? timeSeconds(since) : timeSince(since, at ?? since)}`
}

// Whether all faults are over: then a person who is still near makes the numbers uncertain.
export const isAftermath = ({ reasons }) => reasons.length > 0 && reasons.every(({ until }) => Number.isFinite(until))

// One sentence for the site.
export function summary(queues) {
  const known = queues.filter(queue => queue.wait).sort((a, b) => b.wait.ms - a.wait.ms)
  const unknown = queues.filter(queue => queue.state === 'unknown').length
  const unserved = queues.length - unknown - known.length
  if (queues.length === 0) return 'No queue is configured.'
  const subject = capital(number(queues.length)) + (queues.length === 1 ? ' queue' : ' queues')
  const share = count => count < queues.length ? `${number(count)} ` : count > 2 ? 'all ' : count === 2 ? 'both ' : ''
  const part = (count, text) => count === 0 ? '' : `, ${share(count)}${text}`
  const others = part(unknown, 'unknown') + (unserved === queues.length ? ', no forecast yet' : part(unserved,
    'without a forecast yet'))
  if (known.length === 0) return `${subject}${others}.`
  // A queue without a forecast may be longer.
  const longest = queues.length === 1 ? '' : known.length === queues.length ? 'the longest ' : known.length === 1
    ? 'the other ' : 'the longest known '
  return `${subject}${others}, ${longest}${wait(known[0].wait)}.`
}
