// The view Regions: how many beacons are in each region, and the last events of one of them with their evidence.

import { path } from './api.js'
import { Definitions } from './definitions.js'
import { element, setContent, setText } from './dom.js'
import { cells, failure, head, meanings } from './tables.js'
import { placeholder } from './tile.js'
import { list, plural, reason, timeSeconds, timeSince } from './words.js'

const HEAD = ['Region', 'State', 'Beacons inside', 'By kind', 'May be inside', 'Not listening']
const EVENT_HEAD = ['Time', 'Event', 'Beacon', 'Why']
const STATES = { ok: 'known', degraded: 'less certain', unknown: 'unknown' }
const EVENTS = { enter: 'entered', exit: 'left', unknown: 'unknown', withdrawn: 'withdrawn' }
const KINDS = {
  visitor: ['visitor', 'visitors'], staff: ['of the staff', 'of the staff'], fixed: ['fixed', 'fixed'],
  gateway: ['gateway', 'gateways'], other: ['other', 'others'],
}
const MEANINGS = {
  'State': 'Less certain: a gateway of the region does not listen. Unknown: none of them does.',
  'Beacons inside': 'Beacons that a gateway of the region hears, or whose silence is not yet unusual for them.',
  'May be inside': 'Beacons that were inside when the last gateway that could tell stopped listening.',
  'Event': 'Entered and left, by the gateways’ clocks. Unknown: no gateway listens that could tell. Withdrawn: late ' +
    'messages show that an event did not happen.',
  'Beacon': 'Its UUID, major and minor. A person has a pseudonym, which is another one each day.',
  'Why': 'The reports with which it entered; or the silence, and the one after which a beacon has left. The server ' +
    'learns the latter from the beacon’s reports.',
}
const MOST = 50

export class RegionsView {
  title = 'Regions'
  #store
  #api
  #site
  #chosen
  // Newest first; null before the answer.
  #events = null
  #problem = null
  #abort = new AbortController()
  #sentence = element('h1', {}, 'Regions')
  #list = element('div', { class: 'scroll' }, placeholder())
  #heading = element('h2', {})
  #log = element('div', { class: 'scroll', 'aria-live': 'off' })
  #definitions
  node = element('div', { class: 'regions' }, this.#sentence, this.#list, this.#heading, this.#log, meanings(MEANINGS))

  constructor({ store, api, site, item }) {
    this.#store = store
    this.#api = api
    this.#site = site
    this.#chosen = item
    this.#definitions = new Definitions({ store, api, site }, this.#abort.signal)
    this.node.append(this.#definitions.node)
    this.update()
  }

  update(change) {
    if (this.#store.server === null) return
    const regions = [...this.#store.regions.values()]
    const chosen = regions.find(one => one.region === this.#chosen) ?? regions[0]
    this.#showStates(regions, chosen)
    this.#definitions.update()
    if (!chosen) return
    const isNew = change?.type === 'region-event' && change.value.region === chosen.region
    if (isNew && this.#events) this.#add(change.value)
    // The stream has events only with a token of the scope read.
    if (this.#events === null && this.#problem === null) this.#load(chosen.region)
    this.#showEvents(chosen)
  }

  #showStates(regions, chosen) {
    const inside = regions.reduce((sum, one) => sum + (one.inside ?? 0), 0)
    const unsure = regions.filter(one => one.state !== 'ok').length
    setText(this.#sentence, regions.length === 0 ? 'No region is configured' : plural(regions.length, 'region') +
      (regions.length === 1 && !unsure ? `, ${plural(inside, 'beacon')} inside` : '') +
      (unsure ? `, ${unsure} of them not certain` : ''))
    setContent(this.#list, [regions.map(({ at, rev, ...rest }) => rest), chosen?.region], () => regions.length === 0 ? []
      : element('table', { class: 'gateway-table' }, head(HEAD), element('tbody', {}, regions.map(one =>
        element('tr', { 'data-region': one.region, 'data-state': one.state, class: one === chosen ? 'chosen' : null },
          element('th', { scope: 'row' }, element('a', { href: `#/regions/${encodeURIComponent(one.region)}`,
            'aria-current': one === chosen ? 'true' : null }, one.region)),
          cells(HEAD, [element('span', { class: 'gateway-state' }, STATES[one.state] ?? one.state),
            one.inside === null ? 'unknown' : String(one.inside), kinds(one.byKind), String(one.unknown),
            one.reasons.map(cause => reason(cause)).join('; ') || 'none']))))))
  }

  #showEvents(chosen) {
    setText(this.#heading, `Last events of ${chosen.region}`)
    setContent(this.#log, [this.#events, this.#problem?.message], () => {
      if (this.#problem) return failure(this.#problem, 'Events', this.#api)
      if (this.#events === null) return placeholder()
      if (this.#events.length === 0) return element('p', { class: 'caption' }, 'No event in the last 24 hours.')
      return element('table', { class: 'gateway-table' }, head(EVENT_HEAD), element('tbody', {}, this.#events.map(one =>
        element('tr', { 'data-event': one.event, 'data-state': 'ok' }, element('th', { scope: 'row' },
          when(one.at, this.#store.now)), cells(EVENT_HEAD, [EVENTS[one.event] ?? one.event,
          one.beacon ?? `${one.carrier} ${one.tag}`, why(one.why)])))))
    })
  }

  async #load(region) {
    this.#events = []
    try {
      const events = await this.#api.get(path('sites', this.#site, 'regions', region, 'events'),
        { query: { from: this.#store.now - 86_400_000 }, signal: this.#abort.signal, isQuiet: true })
      this.#events = events.events.slice(-MOST).reverse()
    } catch (error) {
      if (error.name === 'AbortError') return
      this.#problem = error
    }
    this.update()
  }

  #add(event) {
    if (this.#events.some(one => one.id === event.id)) return
    this.#events = [event, ...this.#events].slice(0, MOST)
  }

  close() { this.#abort.abort() }
}

const when = (at, now) => timeSince(at, now).replace(/\d\d:\d\d$/, timeSeconds(at))

// "2 visitors and 1 fixed".
const kinds = counts => counts === null ? 'unknown'
  : list(Object.entries(counts).filter(([, count]) => count > 0).map(([kind, count]) =>
    plural(count, ...(KINDS[kind] ?? [kind, kind])))) || 'none'

// "silent for 12.3 s, limit 11.6 s; 1.9 reports a second; till-1".
function why({ reports, rssi, silenceMs, deadlineMs, ratePerSecond, gateways }) {
  const seconds = ms => `${(ms / 1000).toFixed(1)} s`
  return [
    reports === undefined ? null : `${plural(Math.round(reports), 'report')}, ${Math.round(rssi)} dBm`,
    silenceMs === undefined ? null : `silent for ${seconds(silenceMs)}` +
      (deadlineMs === undefined ? '' : `, limit ${seconds(deadlineMs)}`),
    ratePerSecond === undefined ? null : `${ratePerSecond.toFixed(1)} reports a second`, gateways.join(', '),
  ].filter(Boolean).join('; ')
}
