// The view Now: one sentence, a tile a queue, today beside a usual day, and what the numbers rest on.

import { arrange, element, setContent, setText } from './dom.js'
import { Figure } from './explain.js'
import { coverageSentence, selfCheckReason } from './reasons.js'
import { placeholder, Tile } from './tile.js'
import { Today } from './today.js'
import { isWall, Wall } from './wall.js'
import { summary } from './words.js'

const CALM_MS = 60000

export class NowView {
  title = 'Queues now'
  #store
  #sentence = element('h1', { class: 'summary', 'aria-live': 'polite' }, 'Queues now')
  #tiles = new Map()
  #list = element('div', { class: 'tiles' }, placeholder())
  #truth = element('span', { hidden: true }, 'Thin line: the simulation’s truth. ')
  #today
  #order = []
  #wall = isWall() ? new Wall(this.#list) : null
  #isByWait = false
  #choice = element('label', { class: 'choice', hidden: true }, element('input', { type: 'checkbox',
    'aria-label': 'Longest wait first',
    onchange: event => { this.#isByWait = event.target.checked; this.#order = []; this.update() } }),
    ' Longest wait first')
  node

  constructor({ store, api, site }) {
    this.#store = store
    this.#today = new Today(api, site, store)
    this.node = element('div', { class: 'now' }, this.#sentence, this.#choice, this.#list, key(this.#truth),
      this.#today.node)
    this.update()
  }

  update() {
    const { queues } = this.#store
    if (this.#store.server === null) return
    const { startingPercent } = this.#store.server
    setText(this.#sentence, Number.isInteger(startingPercent)
      ? `The server reads the day from its store: ${startingPercent} %.` : summary([...queues.values()]))
    for (const [name, queue] of queues) {
      if (!this.#tiles.has(name)) this.#tiles.set(name, new Tile(name))
      this.#tiles.get(name).update(queue, this.#store.truth(name))
    }
    for (const name of this.#tiles.keys()) if (!queues.has(name)) this.#tiles.delete(name)
    this.#truth.hidden = !this.#store.server.truth
    this.#choice.hidden = queues.size < 2
    const order = this.#isByWait ? this.#order = byWait(queues, this.#order) : [...queues.keys()]
    arrange(this.#list, order.map(name => this.#tiles.get(name).node))
    this.#wall?.arrange()
    this.#today.update(order)
  }

  close() { this.#today.close() }
}

// How to read a tile.
const key = truth => element('p', { class: 'legend key' },
  'In parentheses: the range that is right in 9 of 10 cases, or a guess. Dots: filled up to its lower end, pale up ' +
    'to the estimate, open up to its upper end. Hatched: unknown. ',
  truth,
  element('span', { class: 'hint' }, 'Select a number to read what it means.'))

// The names of queues, the longest wait first; a queue without a forecast after those with one, an unknown queue last.
// A queue passes its neighbour in `before` only if its wait is longer by a minute: the tiles stay calm.
export function byWait(queues, before) {
  const rank = name => { const { state, wait } = queues.get(name); return state === 'unknown' ? -2 : wait?.ms ?? -1 }
  const names = before.filter(name => queues.has(name))
  const fresh = [...queues.keys()].filter(name => !names.includes(name)).sort((one, other) => rank(other) - rank(one))
  const order = [...names, ...fresh]
  const passes = (one, other) => Math.min(rank(one), rank(other)) < 0 ? rank(one) > rank(other)
    : rank(one) >= rank(other) + CALM_MS
  for (let index = 1; index < order.length; index++) {
    for (let at = index; at > 0 && passes(order[at], order[at - 1]); at--) {
      [order[at - 1], order[at]] = [order[at], order[at - 1]]
    }
  }
  return order
}

// The foot of each view: the share of people with a beacon, the self-check, and whether the results are stored.
export function showFoot(node, store) {
  const queues = [...store.queues.values()]
  const failed = queues.filter(queue => queue.littleResidualMs !== 0).map(queue => queue.queue)
  // Without a visit, there is nothing to agree.
  const isMeasured = queues.some(({ leavers }) => leavers && leavers.served + leavers.abandoned > 0)
  const selfCheck = failed.length > 0 ? `Self-check failed: the numbers of people in line and their waits do not ` +
    `agree (${failed.join(', ')}).`
    : isMeasured ? 'Self-check passed: the numbers of people in line and their waits agree.' : null
  // A wall has no room for details.
  const lines = [
    ...queues.map(queue => [coverageSentence(queue)]),
    selfCheck ? [selfCheck, failed.length > 0 ? null : 'detail', selfCheckReason] : null,
    store.server?.durable === false ? ['The results are not stored: the store is full, read-only, damaged or away.'] : null,
    store.server ? [`sightline-server ${store.server.version}`, 'detail'] : null,
  ].filter(Boolean)
  setContent(node, lines, () => lines.map(([line, kind, reason]) => element('div', { class: kind }, reason
    ? explained(line, reason) : line)))
}

function explained(text, reason) {
  const figure = new Figure('self-check')
  figure.set(text, '', reason)
  return figure.node
}
