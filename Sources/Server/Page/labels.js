// Labels: where beacons stood, by people who say so. What the gateways hear meanwhile makes the places better.

import { path } from './api.js'
import { element, newID, setContent, setText } from './dom.js'
import { cells, head } from './tables.js'
import { timeSince } from './words.js'

const HEAD = ['Beacon', 'Zone', 'Until', 'State', 'Change']
const STATES = { standing: 'stands there', learnt: 'learnt', unheard: 'not heard' }
const SECONDS = 60
// While a beacon stands for a label, its state is asked for again.
const PAUSE_MS = 5_000

export class Labels {
  #api
  #site
  #now
  #signal
  #titles = new Map()
  #timer = null
  #said = element('p', { role: 'status' })
  // Built once a beacon: news leave a choice as it is.
  #form = element('div', { class: 'plan-form' })
  #list = element('div', { class: 'scroll' })
  #all = element('section', { class: 'plan-labels', hidden: true }, element('h2', {}, 'Labels'), this.#list)
  nodes = [this.#form, this.#said]
  list = this.#all

  // `now`: the server's time.
  constructor(api, site, signal, now) {
    this.#api = api
    this.#site = site
    this.#signal = signal
    this.#now = now
  }

  // Without a token of the scope read, no labels are shown.
  async load() {
    clearTimeout(this.#timer)
    let labels = []
    try {
      ({ labels } = await this.#api.get(path('sites', this.#site, 'labels'), { signal: this.#signal, isQuiet: true }))
    } catch {}
    if (this.#signal.aborted) return
    this.#all.hidden = labels.length === 0
    setContent(this.#list, labels, () => this.#table(labels))
    if (labels.some(one => one.state === 'standing')) this.#timer = setTimeout(() => this.load(), PAUSE_MS)
  }

  // The form for a beacon; none for `null`. `isOpen`: a label may name a new zone.
  offer(beacon, name, zone, zones, isOpen) {
    this.#titles = new Map(zones.map(one => [one.name, one.title]))
    setContent(this.#form, beacon, () => beacon === null ? [] : this.#fields(beacon, name, zone, zones, isOpen))
  }

  #fields(beacon, name, chosen, zones, isOpen) {
    const id = newID('zones')
    const zone = isOpen ? element('input', { 'aria-label': 'Zone', required: true, maxlength: 64, list: id,
      pattern: '[A-Za-z0-9._\\-]+', title: 'Letters, digits, points, hyphens and underscores', placeholder: 'name of the zone' })
      : element('select', { 'aria-label': 'Zone', required: true }, chosen ? null
      : element('option', { value: '' }, 'choose a zone'), zones.map(one =>
      element('option', { value: one.name, selected: one.name === chosen }, one.title)))
    return element('form', { class: 'controls', onsubmit: event => {
      event.preventDefault()
      this.#change(this.#api.post(path('sites', this.#site, 'labels'), { beacon, zone: zone.value, seconds: SECONDS }),
        label => `The gateways note what they hear of ${name} until ${timeSince(label.until, this.#now())}.`)
    } }, 'This beacon stands in', zone, isOpen ? element('datalist', { id }, zones.map(one =>
      element('option', { value: one.name }))) : null, element('button', {}, `Learn for ${SECONDS} s`))
  }

  async #change(answer, words) {
    try {
      setText(this.#said, words(await answer))
      await this.load()
    } catch (error) {
      setText(this.#said, error.message)
    }
  }

  #table(labels) {
    return element('table', { class: 'gateway-table' }, head(HEAD), element('tbody', {}, labels.toReversed().map(one => {
      const name = one.name ?? one.beacon.split('/').slice(1).join('/')
      const remove = () => this.#change(this.#api.remove(path('sites', this.#site, 'labels', one.id)),
        () => `The label of ${name} is removed.`)
      return element('tr', { 'data-label': one.id, 'data-state': one.state === 'unheard' ? 'unknown' : 'ok' },
        element('th', { scope: 'row' }, name), cells(HEAD, [this.#titles.get(one.zone) ?? one.zone,
          timeSince(one.until, this.#now()), STATES[one.state] ?? one.state, element('button',
            { type: 'button', 'aria-label': `Remove the label of ${name}`, onclick: remove }, 'Remove')]))
    })))
  }

  close() { clearTimeout(this.#timer) }
}
