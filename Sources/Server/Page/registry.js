// What is known of the network of beacons: the states of the registered ones, and the events of the last day. The views Beacons
// and Plan show it.

import { path } from './api.js'
import { element } from './dom.js'
import { list, plural, timeSince } from './words.js'

const DAY_MS = 86_400_000
// The shape in front of the word is CSS: no state is a colour alone.
export const STATES = {
  clone: 'several devices', missing: 'missing', battery: 'battery ends', moved: 'another place', interval: 'sends less',
  unseen: 'never heard', unknown: 'unknown', learning: 'learning', ok: 'ok', retired: 'retired',
  unregistered: 'not registered', found: 'heard again',
}
// The lists of states that are complete: a snapshot of the stream begins a new one.
const complete = new WeakSet()

export class Registry {
  problem = null
  // Of the last day, the newest first.
  events = []
  #store
  #api
  #site
  #signal
  #isLoading = false
  #changed
  // The list to which the events belong.
  #asked = null

  // `changed` is called after an answer of the server.
  constructor({ store, api, site }, signal, changed) {
    this.#store = store
    this.#api = api
    this.#site = site
    this.#signal = signal
    this.#changed = changed
  }

  // Takes a change of the stream, and asks for what it has not told.
  update(change) {
    if (change?.type === 'beacon-event') this.#note([change.value])
    // A connection that is there again may get what the last one did not.
    if (change?.type === 'snapshot') this.problem = null
    // The stream has beacons only with a token of the scope read.
    if (this.#asked !== this.#store.beacons && !this.#isLoading && !this.problem) this.#load()
  }

  get isComplete() { return complete.has(this.#store.beacons) }

  get states() { return this.isComplete ? [...this.#store.beacons.values()] : [] }

  state(beacon) { return this.isComplete ? this.#store.beacons.get(beacon) : undefined }

  // The latest event of each beacon without a row.
  get strangers() {
    const events = this.events.filter(one => one.event === 'unregistered' && !this.#store.beacons.has(one.beacon))
    return [...new Map(events.toReversed().map(one => [one.beacon, one])).values()].toReversed()
  }

  async #load() {
    this.#isLoading = true
    const beacons = this.#store.beacons
    const get = (parts, query = {}) => this.#api.get(path('sites', this.#site, 'beacons', ...parts), { query,
      signal: this.#signal, isQuiet: true })
    try {
      const [states, { events }] = await Promise.all([this.isComplete ? { beacons: [] } : get([]),
        get(['events'], { from: this.#store.now - DAY_MS })])
      for (const one of states.beacons) {
        if (!((beacons.get(one.beacon)?.at ?? -1) > (one.at ?? -1))) beacons.set(one.beacon, one)
      }
      complete.add(beacons)
      this.#asked = beacons
      this.#note(events)
    } catch (error) {
      if (error.name === 'AbortError') return
      this.problem = error
    }
    this.#isLoading = false
    this.#changed()
  }

  #note(events) {
    const all = new Map([...this.events, ...events].map(one => [one.id, one]))
    const since = this.#store.now - DAY_MS
    this.events = [...all.values()].filter(one => one.decidedAt >= since)
      .sort((one, other) => other.decidedAt - one.decidedAt)
  }
}

export const sign = state => element('span', { class: 'beacon-state', 'data-state': state }, STATES[state] ?? state)

export const minus = number => String(number).replace('-', '−')

// The sentence of the work list, and the numbers behind it.
export function evidence({ state, work, why, gateways }) {
  const minutes = ms => plural(Math.round(ms / 60_000), 'minute')
  const { silenceMs, deadlineMs, score, threshold, ratePerSecond, usualRatePerSecond, falsePerWeek } = why ?? {}
  const isKnown = Number.isFinite
  return [
    work?.sentence,
    isKnown(silenceMs) && isKnown(deadlineMs) ? `Silent for ${minutes(silenceMs)} in which gateways listened; missing ` +
      `from ${minutes(deadlineMs)} on.` : null,
    isKnown(score) ? `Its levels differ by ${score} deviations from the usual ones; another place from ${threshold} on.`
      : null,
    isKnown(ratePerSecond) ? `${ratePerSecond} reports a second, usually ${usualRatePerSecond}.` : null,
    isKnown(falsePerWeek) ? `Expected false alarms in the whole network: ${falsePerWeek} a week.` : null,
    gateways.length === 0 ? null : `${state === 'missing' || state === 'unknown' ? 'Usually heard' : 'Heard'} by ` +
      `${list(gateways.map(({ gateway, level }) => `${gateway} (${minus(level)} dBm)`))}.`,
  ].filter(Boolean)
}

// "14:03 missing: …" of one beacon, the newest first.
export const eventList = (events, now) => events.length === 0 ? null : element('ul', { class: 'beacon-events' },
  events.map(one => element('li', {}, `${timeSince(one.decidedAt, now)} `, sign(one.event), ` ${one.sentence}`)))
