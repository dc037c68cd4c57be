// Numbers and states in plain words.

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

export const number = count => NUMBERS[count] ?? String(count)
export const plural = (count, one, many = one + 's') => `${count} ${count === 1 ? one : many}`
export const capital = text => text.charAt(0).toUpperCase() + text.slice(1)
export const list = items => items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

// Below a minute and a half in tens of seconds, then in minutes, from two hours on in hours and minutes.
export function duration(ms) {
  const unit = durationUnit(ms)
  if (unit === SECONDS) return plural(Math.round(ms / 10000) * 10, 'second')
  const minutes = Math.round(ms / 60000)
  if (minutes < 120) return plural(minutes, 'minute')
  const rest = minutes % 60
  return plural(Math.floor(minutes / 60), 'hour') + (rest ? ` ${plural(rest, 'minute')}` : '')
}

// The same duration to the second: "3:41".
export function exactDuration(ms) {
  const seconds = Math.round(ms / 1000), two = value => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  return `${hours ? `${hours}:${two(Math.floor(seconds / 60) % 60)}` : Math.floor(seconds / 60)}:${two(seconds % 60)}`
}

const SECONDS = { ms: 10000, scale: 10 }, MINUTES = { ms: 60000, scale: 1 }
const durationUnit = ms => ms < 90000 ? SECONDS : MINUTES

// A range in the value's unit, rounded outwards: "(3 to 6)".
export function durationRange(ms, lowMs, highMs) {
  const { ms: unit, scale } = durationUnit(ms)
  return `(${Math.floor(lowMs / unit) * scale} to ${Math.ceil(highMs / unit) * scale})`
}

export const wait = one => `${duration(one.ms)} ${durationRange(one.ms, one.lowMs, one.highMs)}`

export const people = length => `${plural(Math.round(length.people), 'person', 'people')} ${peopleRange(length)}`
export const peopleRange = length => `(${length.low} to ${length.high})`

export const percent = share => `${Math.round(share * 100)} %`

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const clockSeconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long' })

export const time = ms => clock.format(ms)
export const timeSeconds = ms => clockSeconds.format(ms)
export const date = ms => day.format(ms)
export const weekdayName = ms => weekday.format(ms)

// A time with its day, if that is another day than `now`.
export const timeSince = (ms, now) => date(ms) === date(now) ? time(ms) : `${date(ms)}, ${time(ms)}`

const REASONS = {
  deaf: gateway => `${gateway} does not hear`,
  silent: gateway => `${gateway} sends no messages`,
  offline: gateway => `${gateway} is offline`,
  lost: gateway => `messages of ${gateway} are lost`,
  unknown: gateway => `no messages of ${gateway}`,
  unsynced: gateway => `the clock of ${gateway} is not set`,
  learning: gateway => `${gateway} is still learning`,
}
const PAST_REASONS = {
  deaf: gateway => `${gateway} did not hear`,
  silent: gateway => `${gateway} sent no messages`,
  offline: gateway => `${gateway} was offline`,
  lost: gateway => `messages of ${gateway} were lost`,
  unknown: gateway => `there were no messages of ${gateway}`,
  unsynced: gateway => `the clock of ${gateway} was not set`,
  learning: gateway => `${gateway} was learning`,
}

// "till-1 does not hear", or of a gateway that hears again: "till-1 did not hear until 12:03".
export function reason({ gateway, state, until }) {
  if (Number.isFinite(until)) return `${(PAST_REASONS[state] ?? (name => `${name} was ${state}`))(gateway)} until ${time(until)}`
  return (REASONS[state] ?? (name => `${name} is ${state}`))(gateway)
}

// "Unknown since 12:04". A server that has just started has no time.
export function stateSince(queue) {
  const state = queue.length ? 'Less certain' : 'Unknown'
  return queue.since === null ? `${state}: no messages have arrived yet` : `${state} since ${timeSince(queue.since, queue.at ?? queue.since)}`
}

// One sentence for the site.
export function summary(queues) {
  const known = queues.filter(queue => queue.wait).sort((a, b) => b.wait.ms - a.wait.ms)
  const unknown = queues.filter(queue => queue.state === 'unknown').length
  if (queues.length === 0) return 'No queue is configured.'
  const subject = capital(number(queues.length)) + (queues.length === 1 ? ' queue' : ' queues')
  const unknowns = unknown === 0 ? '' : queues.length === 1 ? ', unknown' : `, ${number(unknown)} unknown`
  if (known.length === 0) return `${subject}${unknowns || ', no forecast yet'}.`
  const longest = queues.length === 1 ? '' : 'the longest '
  return `${subject}${unknowns}, ${longest}${wait(known[0].wait)}.`
}
