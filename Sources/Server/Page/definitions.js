// The definitions of regions: those of the server's file to read, and those of the browser to change, with all changes.

import { path } from './api.js'
import { element, setContent, setText } from './dom.js'
import { cells, failure, head } from './tables.js'
import { list, timeSince } from './words.js'

const HEAD = ['Region', 'Gateways', 'Beacons', 'Silence', 'Source']
const KINDS = { '': 'of any kind', visitor: 'visitors', staff: 'the staff', fixed: 'fixed', gateway: 'gateways' }
const NUMBERS = '\\s*\\d{1,5}(\\s*-\\s*\\d{1,5})?\\s*'
const UUID = '\\s*[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\\s*'

export class Definitions {
  #api
  #site
  #signal
  #store
  #isLoaded = false
  #said = element('p', { role: 'status' })
  #list = element('div', { class: 'scroll' })
  #form = element('div', {})
  #history = element('details', { class: 'columns', hidden: true })
  node = element('section', { class: 'definitions' }, element('h2', {}, 'Definitions'),
    this.#list, this.#form, this.#said, this.#history)

  constructor({ store, api, site }, signal) {
    this.#store = store
    this.#api = api
    this.#site = site
    this.#signal = signal
  }

  // Once, as soon as the gateways are known.
  update() {
    if (this.#isLoaded) return
    this.#isLoaded = true
    this.#load()
  }

  async #load() {
    try {
      this.#show(await this.#api.get(path('sites', this.#site, 'definitions'), { signal: this.#signal, isQuiet: true }))
    } catch (error) {
      if (error.name === 'AbortError') return
      setContent(this.#list, error.message, () => failure(error, 'Definitions', this.#api))
    }
  }

  #show({ regions, changes }) {
    setContent(this.#list, regions, () => regions.length === 0
      ? element('p', { class: 'caption' }, 'There is no region.')
      : element('table', { class: 'gateway-table' }, head(HEAD),
        element('tbody', {}, regions.map(one => this.#row(one)))))
    setContent(this.#form, 'new', () => this.#fields())
    this.#history.hidden = changes.length === 0
    setContent(this.#history, changes, () => [element('summary', {}, 'Changes in the browser'), element('ul', {},
      changes.map(one => element('li', {}, `${timeSince(one.at, this.#store.now)} ${one.client || 'without a name'}: ` +
        `${one.region} ${one.definition ? words(one.definition) : 'removed'}`)))])
  }

  #row({ region, source, definition }) {
    const change = source === 'file' ? 'the server’s file: read only here' : [
      element('button',
        { type: 'button', 'aria-label': `Change ${region}`, onclick: () => this.#edit(definition) }, 'Change'),
      ' ', element('button', { type: 'button', 'aria-label': `Remove ${region}`, onclick: () => this.#remove(region) },
        'Remove')]
    return element('tr', { 'data-definition': region, 'data-state': 'ok' }, element('th', { scope: 'row' }, region),
      cells(HEAD, [definition.gateways.join(', '), beacons(definition), silence(definition), change]))
  }

  // A form with the values of a definition; empty for a new region.
  #fields(one = { gateways: [] }) {
    const [range] = one.beacons ?? []
    const text = (label, value, more = {}) =>
      element('label', {}, `${label} `, element('input', { name: label, value, ...more }))
    const name = text('Name', one.region ?? '', { required: true, maxlength: 64, readonly: Boolean(one.region) })
    const boxes = [...this.#store.gateways.values()].map(({ gateway }) => element('label', {}, element('input',
      { type: 'checkbox', value: gateway, checked: one.gateways.includes(gateway) }), ` ${gateway}`))
    const kind = element('select', { 'aria-label': 'Kind of beacons' }, Object.entries(KINDS).map(([value, word]) =>
      element('option', { value, selected: value === (one.kind ?? '') }, word)))
    const fields = [text('UUID', range?.uuid ?? '', { size: 36, pattern: UUID }),
      text('Major', numbers(range?.major), { size: 9, pattern: NUMBERS, placeholder: 'all' }),
      text('Minor', numbers(range?.minor), { size: 9, pattern: NUMBERS, placeholder: 'all' }),
      text('Left after seconds', one.exitMs ? one.exitMs / 1000 : '',
        { type: 'number', min: 1, max: 86400, placeholder: 'learnt' })]
    const value = index => fields[index].querySelector('input').value.trim()
    return element('form', { class: 'region-form', onsubmit: event => {
      event.preventDefault()
      const ranges = value(0) === '' ? (one.beacons ?? []).filter(other => other !== range || !range.uuid)
        : [{
          ...(range?.type ? { type: range.type } : {}), uuid: value(0),
          ...bounds('major', value(1)), ...bounds('minor', value(2)),
        }, ...(one.beacons ?? []).slice(1)]
      this.#save(name.querySelector('input').value.trim(), {
        gateways: boxes.map(box => box.querySelector('input')).filter(box => box.checked).map(box => box.value),
        ...(kind.value ? { kind: kind.value } : {}), ...(ranges.length ? { beacons: ranges } : {}),
        ...(value(3) ? { exitMs: Math.round(Number(value(3)) * 1000) } : {}),
        ...(one.falseExitsPerDay && !value(3) ? { falseExitsPerDay: one.falseExitsPerDay } : {}),
      })
    } }, element('h3', {}, one.region ? `Change ${one.region}` : 'A new region'),
    element('p', {}, name, ' Beacons: ', kind),
    element('fieldset', {}, element('legend', {}, 'Gateways'), boxes), element('p', {}, fields),
    element('button', {}, 'Save the region'))
  }

  #edit(definition) {
    setContent(this.#form, definition, () => this.#fields(definition))
    this.#form.querySelector('input[type=checkbox]')?.focus()
  }

  #save(name, definition) {
    return this.#change(() => this.#api.put(path('sites', this.#site, 'definitions', name), definition),
      `The region ${name} is set. All regions begin anew.`)
  }

  #remove(name) {
    return this.#change(() => this.#api.remove(path('sites', this.#site, 'definitions', name)),
      `The region ${name} is removed.`, () => this.#store.regions.delete(name))
  }

  async #change(send, sentence, then = () => {}) {
    try {
      await send()
      then()
      setText(this.#said, sentence)
      setContent(this.#form, null, () => [])
      await this.#load()
    } catch (error) {
      setText(this.#said, error.message)
    }
  }
}

// "7-9" of [7, 9]; nothing of all numbers.
const numbers = range => range === undefined || range[0] === 0 && range[1] === 65535 ? ''
  : [...new Set(range)].join('-')
const bounds = (key, text) => {
  const pair = text.split('-').map(Number)
  return text === '' ? {} : { [key]: [pair[0], pair.at(-1)] }
}

const beacons = ({ kind, beacons = [] }) => [KINDS[kind ?? ''], ...beacons.map(({ uuid, namespace, major, minor }) =>
  [uuid ?? namespace, numbers(major), numbers(minor)].filter(Boolean).join(' / '))].join('; ')
const silence = ({ exitMs, falseExitsPerDay }) => exitMs ? `${exitMs / 1000} s` : falseExitsPerDay
  ? `learnt, ${falseExitsPerDay} false exits a day` : 'learnt'
const words = one => `at ${list(one.gateways)}, ${beacons(one)}, silence ${silence(one)}`
