// The view Beacons: what to do first about the network of beacons, and the registry with the state of each beacon.

import { arrange, element, setContent, setText } from './dom.js'
import { evidence, minus, Registry, sign, STATES } from './registry.js'
import { failure, head, meanings, reveal } from './tables.js'
import { placeholder } from './tile.js'
import { plural, timeSince } from './words.js'

const HEAD = ['Beacon', 'State', 'Place', 'Last heard', 'Battery', 'Evidence']
const FIRST = 100
const FIND = 'Find by name, place, state or number'
const KINDS = { fixed: 'fixed', gateway: 'a gateway’s own', asset: 'on a thing' }
const MEANINGS = {
  'Beacon': 'Its name in the registry, its kind, and its UUID, major and minor. Beacons of visitors and the staff are ' +
    'not shown.',
  'State': 'Several devices: more than one device sends the identity. Missing: silent for longer than beacons of this ' +
    'network are. Battery ends: its voltage is low, or falls. Another place: its levels have changed for six hours. ' +
    'Sends less: below 70 % of its usual reports for a day. Never heard: registered only. Unknown: the gateways that ' +
    'hear it usually do not listen. Learning: heard for less than three days. Retired: by the registry.',
  'Place': 'The zone of the registry, and the place in metres.',
  'Last heard': 'The time of the store’s clock. It may be five minutes behind.',
  'Battery': 'The voltage that the beacon tells, if it does.',
  'Evidence': 'The silence, the reports or the levels from which the state follows, and the gateways that hear the ' +
    'beacon. If the new place is right, accept it: sightline beacons accept beacons.csv NAME. If the beacon is gone, ' +
    'retire it: sightline beacons retire beacons.csv NAME. Then reload the server.',
}

export class BeaconsView {
  title = 'Beacons'
  #store
  #api
  #chosen
  #rows = new Map()
  #registry
  #isWhole = false
  #abort = new AbortController()
  #sentence = element('h1', {}, 'Beacons')
  #work = element('div', { class: 'work' }, placeholder())
  #find = element('input', { type: 'search', class: 'find', 'aria-label': FIND, placeholder: FIND,
    oninput: () => this.update() })
  #body = element('tbody', {})
  #table = element('div', { class: 'scroll', hidden: true }, element('table', { class: 'gateway-table' },
    head(HEAD), this.#body))
  #more = element('button', { type: 'button', hidden: true, onclick: () => { this.#isWhole = true; this.update() } })
  node = element('div', { class: 'beacons gateways' }, this.#sentence, element('h2', {}, 'What to do first'), this.#work,
    element('h2', {}, 'Registry'), this.#find, this.#table, this.#more, meanings(MEANINGS))

  constructor({ store, api, site, item }) {
    this.#store = store
    this.#api = api
    this.#chosen = item
    this.#registry = new Registry({ store, api, site }, this.#abort.signal, () => this.update())
    this.update()
  }

  update(change) {
    if (this.#store.server === null) return
    this.#registry.update(change)
    if (!this.#registry.isComplete) return this.#showProblem()
    const all = this.#registry.states.sort(mostUrgentFirst)
    this.#showWork(all)
    this.#showRows(all)
  }

  #showProblem() {
    this.#table.hidden = this.#more.hidden = true
    const { problem } = this.#registry
    setContent(this.#work, problem?.message ?? null, () => !problem ? placeholder()
      : failure(problem, 'Beacons', this.#api))
  }

  #showWork(all) {
    const work = all.filter(one => one.work)
    const { strangers } = this.#registry
    setText(this.#sentence, all.length === 0 ? 'The registry has no beacon with a place'
      : work.length === 0 ? `${plural(all.length, 'beacon')}, none needs attention` +
        (strangers.length === 0 ? '' : `; ${strangers.length} not registered`)
      : `${work.length} of ${plural(all.length, 'beacon')} ${work.length === 1 ? 'needs' : 'need'} attention`)
    const items = [
      ...work.map(({ beacon, state, work }) => [state, work.sentence, beacon]),
      ...strangers.map(({ sentence }) => ['unregistered', sentence, null]),
    ]
    setContent(this.#work, items, () => items.length === 0
      ? element('p', { class: 'caption' }, 'Nothing: no beacon is missing, moved, copied, or at the end of its battery.')
      : element('ol', {}, items.map(([state, sentence, beacon]) => element('li', { 'data-state': state },
        sign(state), ' ', beacon ? element('a', { href: `#/beacons/${encodeURIComponent(beacon)}` }, sentence)
          : sentence))))
  }

  #showRows(all) {
    const words = this.#find.value.trim().toLowerCase()
    const found = words === '' ? all : all.filter(one => text(one).includes(words))
    const shown = this.#isWhole ? found : found.filter((one, index) => index < FIRST || one.beacon === this.#chosen)
    for (const one of shown) {
      if (!this.#rows.has(one.beacon)) this.#rows.set(one.beacon, new Row(one.beacon, one.beacon === this.#chosen))
      this.#rows.get(one.beacon).show(one, this.#store.now)
    }
    arrange(this.#body, shown.map(one => this.#rows.get(one.beacon).node))
    this.#table.hidden = shown.length === 0
    this.#more.hidden = shown.length === found.length
    setText(this.#more, `Show all ${found.length}`)
    reveal(this.#body)
  }

  close() { this.#abort.abort() }
}

// A row stays the same element, so that its open evidence and the focus stay.
class Row {
  #name = element('th', { scope: 'row' })
  #cells = HEAD.slice(1).map(name => element('td', { 'data-name': name }))
  #why = element('div', { class: 'evidence' })
  node

  constructor(item, isChosen) {
    this.node = element('tr', { 'data-beacon': item, class: isChosen ? 'chosen' : null }, this.#name, this.#cells)
    this.#cells.at(-1).append(element('details', { open: isChosen }, element('summary', {}, 'Why'), this.#why))
  }

  show(one, now) {
    const [, major, minor] = one.beacon.split('/'), name = one.name ?? `${major}/${minor}`
    this.node.dataset.state = one.state
    const cells = [[sign, one.state], [place, one.registered], [() => one.lastHeard === null ? 'never'
      : timeSince(one.lastHeard, now), one.lastHeard], [battery, one.battery]]
    setContent(this.#name, name, () => [name, element('span', { class: 'caption identity' },
      `${KINDS[one.carrier] ?? one.carrier}, ${one.beacon}`)])
    cells.forEach(([make, value], index) => setContent(this.#cells[index], [value], () => make(value)))
    setContent(this.#why, [one.work, one.why, one.gateways], () => evidence(one).map(line => element('p', {}, line)))
    const summary = this.node.querySelector('summary')
    summary.setAttribute('aria-label', `Why: ${name}`)
  }
}

const days = one => one.work?.withinDays ?? Infinity
const mostUrgentFirst = (one, other) => days(one) - days(other) || 0
const text = one => [one.name, one.beacon, one.registered.zone, STATES[one.state], one.carrier].join(' ').toLowerCase()
const volts = millivolts => `${(Math.round(millivolts / 10) / 100).toFixed(2)} V`

const place = ({ zone, x, y }) => [zone, x === null ? null : `(${x}, ${y} m)`].filter(Boolean).join(' ') || 'not given'

const battery = one => one === null || one.millivolts === null ? 'not told' : volts(one.millivolts) +
  (one.millivoltsPerWeek === null ? '' : `, ${minus(one.millivoltsPerWeek.toFixed(0))} mV a week`)
