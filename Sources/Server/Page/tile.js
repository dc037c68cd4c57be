// One queue on the view Now.

import { element, setContent, setText } from './dom.js'
import { Figure } from './explain.js'
import { dots } from './people.js'
import { lengthReason, leaversReason, pastError, tillsReason, trendReason, waitReason } from './reasons.js'
import { trendAxis, trendChart, trendName, trendRange, trendScale } from './trend.js'
import { count, duration, isAftermath, peopleRange, plural, reason, stateName, stateSince, waitParts, waitRange,
  waitTime } from './words.js'

const MOST_REASONS = 3

export class Tile {
  #wait
  #people
  #tills = new Figure('tills')
  #leavers = new Figure('leavers')
  #trend = new Figure('trend-name')
  #state = element('p', { class: 'state' })
  #target = element('p', { class: 'target' })
  #past = element('p', { class: 'caption past' })
  #dots = element('div', { class: 'dots-box' })
  #chart = element('div', { class: 'trend-box' })
  #known
  node

  constructor(name) {
    const id = `queue-${name}`, caption = `wait-${name}`, inLine = `people-${name}`
    this.#wait = new Figure('wait', caption)
    this.#people = new Figure('people', inLine)
    this.#known = element('div', { class: 'known' },
      this.#wait.node, element('p', { class: 'caption', id: caption }, 'wait from now, including paying'), this.#past,
        this.#target,
      this.#dots, element('div', { class: 'people-line' }, this.#people.node, element('span', { class: 'caption',
        id: inLine }, 'in line')))
    this.node = element('article', { class: 'tile', 'aria-labelledby': id, 'data-queue': name },
      element('div', { class: 'tile-head' },
        element('h2', { id }, element('a', { href: `#/queues/${encodeURIComponent(name)}` }, name)), this.#tills.node),
      this.#state, this.#known, this.#chart,
      element('div', { class: 'tile-foot' }, this.#trend.node, this.#leavers.node))
  }

  // `truth`: what a simulation says, [time, people].
  update(queue, truth = []) {
    const isKnown = queue.state !== 'unknown' && queue.length !== null
    this.node.dataset.state = isKnown ? queue.state : 'unknown'
    this.node.dataset.rev = queue.rev
    this.node.dataset.target = targetState(queue)
    this.#known.hidden = !isKnown
    this.#showState(queue, isKnown)
    if (isKnown) this.#showNumbers(queue)
    this.#showTills(queue.tills)
    this.#showLeavers(queue)
    const trend = queue.trend ?? []
    const unknown = trend.filter(([, value]) => value === null).length
    this.#trend.set(trendName(trend) + (isKnown ? trendRange(trend, queue.coverage) : ''), isKnown && unknown
      ? `· ${plural(unknown, 'minute')} unknown` : '', trendReason)
    setContent(this.#chart, [trend, truth, queue.coverage], () => [trendScale(trend, truth), trendChart(queue, truth),
      trendAxis(trend)])
  }

  #showState(queue, isKnown) {
    this.#state.hidden = isKnown && queue.state === 'ok'
    showState(this.#state, queue)
  }

  #showNumbers(queue) {
    const { length, target } = queue, isOver = targetState(queue) === 'over'
    showWait(this.#wait, queue)
    setText(this.#past, pastError(queue.wait))
    this.#past.hidden = this.#past.textContent === ''
    showPeople(this.#people, queue)
    setContent(this.#dots, [length, queue.coverage], () => dots(queue))
    this.#target.hidden = targetState(queue) === 'none'
    setText(this.#target, target ? `${isOver ? 'Over' : 'Within'} the target of ${waitTime(target.waitMs)}` : '')
  }

  #showTills(tills) {
    this.#tills.node.hidden = !tills
    if (tills) this.#tills.set(`${tills.open} of ${plural(tills.of, 'till')} open`, '', tillsReason)
  }

  #showLeavers(queue) {
    const { leavers } = queue
    this.#leavers.node.hidden = !leavers
    if (!leavers) return
    const gaveUp = leavers.abandoned ? `, ${leavers.abandoned} gave up` : ''
    this.#leavers.set(`${plural(leavers.served, 'beacon')} served${gaveUp}`, `· in ${duration(leavers.sinceMs)}`,
      leaversReason(queue))
  }
}

// Without a forecast, nothing is over a target.
const targetState = ({ target }) => target?.isOver === true ? 'over' : target?.isOver === false ? 'within' : 'none'

// Since when a queue is unknown or less certain, and why, with links to the gateways.
export function showState(node, queue) {
  const reasons = queue.reasons.slice(0, MOST_REASONS), rest = queue.reasons.length - reasons.length
  setContent(node, [queue.state, queue.length === null, queue.since, queue.reasons], () => {
    const causes = [
      reasons.map((one, index) => [index > 0 ? ', ' : '', linked(reason(one, queue.since), one.gateway)]),
      rest > 0 ? [', and ', element('a', { href: '#/gateways' }, `${rest} more`)] : '',
    ].flat(Infinity)
    return [element('span', { class: 'word' }, stateName(queue)), stateSince(queue), isAftermath(queue)
      ? ['. ', element('span', { class: 'aftermath' }, 'A person who is still near may have joined unseen: ', causes)]
      : [reasons.length ? ': ' : '', causes]].flat(2)
  })
}

// A sentence in which the name of a gateway, which does not break, is the link to the gateway.
function linked(text, gateway) {
  const [before, ...after] = text.split(gateway)
  return [before, element('a', { class: 'name', href: `#/gateways/${encodeURIComponent(gateway)}` }, gateway),
    after.join(gateway)]
}

// The forecast of a queue whose state is known.
export function showWait(figure, queue) {
  const { wait } = queue
  if (wait) figure.set(waitParts(wait.ms), waitRange(wait), waitReason(queue))
  else figure.set('No forecast yet', '', 'A forecast needs two people who were served.')
}

// The length of a queue whose state is known.
export function showPeople(figure, queue) {
  figure.set(count(queue), peopleRange(queue.length), lengthReason(queue))
}

// An empty tile until the first snapshot arrives.
export const placeholder = () => element('p', { class: 'loading', role: 'status' }, element('progress',
  { 'aria-label': 'Loading' }), ' Loading …')
