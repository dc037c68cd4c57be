// Today's waits over the typical weekday, for each queue.

import { path } from './api.js'
import { BandChart, knownRuns, knownTimes } from './band.js'
import { arrange, ChartBox, element, setText } from './dom.js'
import { Figure } from './explain.js'
import { duration, weekdayName } from './words.js'

const HOUR_MS = 3600000, MINUTE_MS = 60000, REFRESH_MS = 300000, RETRY_MS = 10000
// Noon is on the same weekday in all zones nearby.
const NOON_MS = 8 * HOUR_MS

export class Today {
  #api
  #site
  #store
  #rows = new Map()
  #loaded = -Infinity
  #abort = new AbortController()
  #list = element('div', { class: 'bands' })
  #legend = element('p', { class: 'legend' })
  node = element('section', { class: 'today', 'aria-labelledby': 'today-title', hidden: true },
    element('h2', { id: 'today-title' }, 'Today'), this.#legend, this.#list)

  constructor(api, site, store) {
    this.#api = api
    this.#site = site
    this.#store = store
  }

  // `names`: the queues in the order of their tiles.
  update(names) {
    arrange(this.#list, names.map(name => this.#row(name).node))
    if (names.length === 0 || performance.now() - this.#loaded < REFRESH_MS) return
    this.#loaded = performance.now()
    this.node.hidden = false
    this.#loadDay(names)
  }

  #row(name) {
    if (!this.#rows.has(name)) this.#rows.set(name, new Row(name))
    return this.#rows.get(name)
  }

  // The server knows when the site's day began.
  async #loadDay(names) {
    let start
    try {
      const { sites } = await this.#api.get('sites', { signal: this.#abort.signal })
      start = sites.find(({ site }) => site === this.#site).day.start
    } catch {
      return this.#retry()
    }
    setText(this.#legend, `Grey: the mean waits of the last eight ${weekdayName(start + NOON_MS)}s, half of them in the band. Blue: today, from each hour’s median up to the wait that one in ten exceeded. Dotted: now.`)
    for (const name of names) this.#load(name, this.#store.queues.get(name), start)
  }

  async #load(name, queue, start) {
    const now = this.#store.now
    const get = (part, query = {}) => this.#api.get(path('sites', this.#site, 'queues', name, part), { query, signal: this.#abort.signal })
    const to = Math.ceil(now / HOUR_MS) * HOUR_MS
    const hours = async () => {
      const { periods } = await get('history', { from: start, to, step: 'hour' })
      return Promise.all(periods.map(async hour => ({ ...hour, known: knownTimes(hour, now)
        ?? knownRuns((await get('history', { from: hour.start, to: hour.end, step: 'minute' })).periods) })))
    }
    const [typical, history] = await Promise.allSettled([get('typical'), hours()])
    if (this.#abort.signal.aborted) return
    this.#rows.get(name).show({ queue, now, start, typical, history })
    // A refused token stays refused; a server that restarts or is busy answers soon.
    if ([typical, history].some(({ reason }) => reason && ![401, 403].includes(reason.status))) this.#retry()
  }

  #retry() { this.#loaded = performance.now() - REFRESH_MS + RETRY_MS }

  close() { this.#abort.abort() }
}

class Row {
  #words = new Figure('over-words')
  #chart = new ChartBox('band-box')
  node

  constructor(name) {
    this.#words.set('Loading …', '', overTargetReason)
    this.node = element('figure', { class: 'band-row', 'data-queue': name },
      element('figcaption', {}, element('strong', {}, name), this.#words.node), this.#chart.node)
  }

  show({ queue, now, start, typical, history }) {
    const slots = typical.value?.slots ?? [], hours = history.value ?? []
    const waits = history.reason || hours.some(hour => hour.waits?.count > 0) ? '' : ' There is no wait today yet.'
    const unusual = slots.length ? '' : ` There is no typical ${weekdayName(start + NOON_MS)} yet.`
    this.#words.set((history.reason ? `Today’s waits are not shown: ${history.reason.message}` : overTarget(queue, hours)) + waits + unusual, '',
      [queue.target ? overTargetReason : noTargetReason, unusual && typicalReason(weekdayName(start + NOON_MS))])
    this.#chart.show(width => new BandChart({ start, now, slots, hours, targetMs: queue.target?.waitMs }, width).node)
  }
}

const overTargetReason = 'The sum of all times since 04:00 in which the forecast for a person who joins was over the target that the configuration sets. Unknown times do not count.'

const noTargetReason = 'Set "targetWaitMs" of the queue in the configuration of the server, such as 300000 for 5 minutes, and reload the server. The page then shows how long the forecast was over the target.'

const typicalReason = day => `A typical ${day} is the mean of up to eight earlier ${day}s. The first one is shown a week after the first ${day} with waits.`

// "42 minutes over the target of 5 minutes; 8 minutes unknown."
export function overTarget(queue, hours) {
  if (!queue.target) return 'No target is configured.'
  // The server has no number for an hour that is largely unknown.
  const judged = hours.filter(hour => Number.isFinite(hour.overTargetMs))
  const over = judged.reduce((sum, hour) => sum + hour.overTargetMs, 0)
  const target = `the target of ${duration(queue.target.waitMs)}`
  const known = judged.reduce((sum, hour) => sum + hour.knownMs, 0), unknown = hours.reduce((sum, hour) => sum + hour.lengthMs, 0) - known
  if (known === 0) return 'The time over the target is unknown.'
  return `${over === 0 ? 'No forecast was' : duration(over)} over ${target}${unknown < MINUTE_MS ? '' : `; ${duration(unknown)} unknown`}.`
}
