// The view Gateways: the state of each gateway of the site, worst first.

import { element, setContent, setText } from './dom.js'
import { cells, head, meanings, reveal } from './tables.js'
import { placeholder } from './tile.js'
import { plural, timeSince } from './words.js'

const WORST_FIRST = ['offline', 'unknown', 'deaf', 'silent', 'degraded', 'refused', 'rejected', 'unsynced', 'backlog',
  'behind', 'losing', 'expiring', 'online']
const FIRST = 100
const HEAD = ['Gateway', 'State', 'Since', 'Reports a second', 'Clock', 'Delay', 'Backlog', 'Lost messages',
  'Last message', 'Tuning in force']
const MEANINGS = {
  'Gateway': 'Its name. In no queue: no queue of the configuration names it, so nothing that it hears is counted.',
  'State': 'The worst of what is known. Offline: the connection to the broker has ended. Unknown: no message since ' +
    'the server started. Does not hear: the radio is deaf, and says so. No messages: connected, but silent. ' +
    'Degraded: a fault of the radio; its log names it. ' +
    'Configuration refused: by the radio. Configuration not in force: a document has a fault, or conflicts with ' +
      'another. Messages wait: on the gateway. Messages late: they arrive after their time. Messages lost: in the ' +
      'last 5 minutes. Clock not set: messages do not count. Certificate ends: within 14 days; without a new one, ' +
      'the next connection fails.',
  'Since': 'The time of the store’s clock. The state began then, or the server started.',
  'Reports a second': 'Advertisements that the radio delivered, from the last message. Each beacon nearby sends one ' +
    'to ten a second. Unknown, like clock, delay and backlog, while no messages come.',
  'Clock': 'Whether the gateway’s clock is set by a time server. Otherwise its times may be wrong. Accepted: the ' +
    'site’s setting acceptUnsyncedClocks lets its messages count.',
  'Delay': 'From the end of the last window to its arrival at the server. Unknown while the gateway’s clock is not ' +
    'set.',
  'Backlog': 'Messages that the gateway keeps until the broker acknowledges them.',
  'Lost messages': 'Messages that the gateway declared as lost since it started.',
  'Last message': 'When the server received the last message with sightings.',
  'Tuning in force': 'The beacon that the gateway is itself (major/minor), how often it advertises, its power, and ' +
    'the version of each configuration layer. No beacon: it only listens. Own file only: no layer came over MQTT. It ' +
    'is shown only with a token of the scope read, where tokens are set.',
}
const CLOCKS = { synced: 'synchronised', unsynced: 'not synchronised', accepted: 'not set (accepted)' }
const WORDS = {
  online: 'online', degraded: 'degraded', deaf: 'does not hear', silent: 'no messages', offline: 'offline',
  unknown: 'unknown', refused: 'configuration refused', rejected: 'configuration not in force',
  unsynced: 'clock not set', backlog: 'messages wait', behind: 'messages late', losing: 'messages lost',
  expiring: 'certificate ends',
}

export class GatewaysView {
  title = 'Gateways'
  #store
  #chosen
  #isWhole = false
  #sentence = element('h1', {}, 'Gateways')
  #list = element('div', { class: 'scroll' }, placeholder())
  #more = element('button', { type: 'button', hidden: true, onclick: () => { this.#isWhole = true; this.update() } })
  node = element('div', { class: 'gateways' }, this.#sentence, this.#list, this.#more, meanings(MEANINGS),
    element('p', { class: 'caption' }, element('a', { href: '#/regions' }, 'Regions: beacons near some gateways')))

  constructor({ store, item }) {
    this.#store = store
    this.#chosen = item
    this.update()
  }

  update() {
    if (this.#store.server === null) return
    const all = [...this.#store.gateways.values()].sort(worstFirst)
    const shown = this.#isWhole ? all : all.filter((one, index) => index < FIRST || one.gateway === this.#chosen)
    const bad = all.filter(one => one.state !== 'online').length
    const unset = all.filter(one => one.state === 'online' && one.clock === 'accepted').length
    setText(this.#sentence, (bad === 0 ? `${plural(all.length, 'gateway')}, all online`
      : `${bad} of ${plural(all.length, 'gateway')} ${bad === 1 ? 'needs' : 'need'} attention`) +
      (unset ? `; ${plural(unset, 'clock')} not set (accepted)` : ''))
    setContent(this.#list, [shown, this.#chosen], () => this.#table(shown))
    this.#more.hidden = shown.length === all.length
    setText(this.#more, `Show all ${all.length}`)
    if (this.#chosen) reveal(this.#list)
  }

  #table(gateways) {
    const now = Date.now()
    return element('table', { class: 'gateway-table' }, head(HEAD),
      element('tbody', {}, gateways.map(one => element('tr', { 'data-gateway': one.gateway, 'data-state': one.state,
        class: one.gateway === this.#chosen ? 'chosen' : null },
        element('th', { scope: 'row' }, one.gateway, one.configured ? null : element('span', { class: 'caption' },
          ' in no queue')),
        cells(HEAD, contents(one, this.#store.now || now))))))
  }

  close() {}
}

function contents(one, now) {
  const known = (value, text) => value === null || value === undefined ? 'unknown' : text(value)
  return [
    element('span', { class: 'gateway-state' }, stateWords(one, now)), timeSince(one.since, now),
    known(one.reportsPerSecond, value => String(Math.round(value * 10) / 10)), known(CLOCKS[one.clock], String),
    known(one.delayMs, value => `${(value / 1000).toFixed(1)} s`), known(one.backlog, String),
    String(one.lostMessages ?? 'unknown'), one.lastMessage ? timeSince(one.lastMessage, now) : 'never',
    tuning(one.tuning),
  ]
}

// "certificate ends in 10 days"; the words of other states have no number.
function stateWords({ state, certificateExpiresAt: end }, now) {
  if (state !== 'expiring' || !end) return WORDS[state] ?? state
  if (end < now) return 'certificate has ended'
  const days = Math.floor((end - now) / 86_400_000)
  return `${WORDS.expiring} ${days > 0 ? `in ${plural(days, 'day')}` : 'within a day'}`
}

// "42/7 every 100 ms, 4 dBm; fleet 3, site 7": the gateway's own beacon, and the version of each layer.
function tuning(tuning) {
  if (tuning === undefined) return 'needs a token'
  if (tuning === null) return 'unknown'
  const { beacon, intervalMs, txPowerDbm, ...layers } = tuning
  const versions = Object.entries(layers).filter(([, version]) => version !== null).map(([layer, version]) =>
    `${layer} ${version}`)
  const parts = beacon ? [`${beacon.split('/').slice(1).join('/')} every ${intervalMs ?? 'unknown'} ms`] : ['no beacon']
  if (txPowerDbm !== null) parts.push(`${txPowerDbm} dBm`)
  return element('span', { title: beacon }, `${parts.join(', ')}; ${versions.join(', ') || 'own file only'}`)
}

function worstFirst(one, other) {
  const rank = gateway => { const place = WORST_FIRST.indexOf(gateway.state); return place < 0 ? 0 : place }
  return rank(one) - rank(other) || one.gateway.localeCompare(other.gateway)
}
