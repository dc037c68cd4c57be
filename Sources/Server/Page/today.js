// Today's waits over the typical weekday, for each queue.

import { needsToken, path } from './api.js'
import { BandChart, commonHours, knownRuns, knownTimes, slotsOf } from './band.js'
import { arrange, ChartBox, element, setContent } from './dom.js'
import { Figure } from './explain.js'
import { capital, duration, waitTime, weekdayName } from './words.js'

const HOUR_MS = 3600000, MINUTE_MS = 60000, REFRESH_MS = 300000, RETRY_MS = 10000
// Noon is on the same weekday in all zones nearby.
const NOON_MS = 8 * HOUR_MS

export class Today {
  #api
  #site
  #store
  #rows = new Map()
  // The minute that the charts show as now.
  #minute = null
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
    if (names.length === 0) return
    this.node.hidden = false
    const { now } = this.#store, due = names.filter(name => this.#row(name).isDue(now))
    if (due.length > 0) this.#loadDay(due, now)
    if (this.#minute !== Math.floor(now / MINUTE_MS)) this.#draw()
  }

  #row(name) {
    if (!this.#rows.has(name)) this.#rows.set(name, new Row(name))
    return this.#rows.get(name)
  }

  #get(path, query = {}) { return this.#api.get(path, { query, signal: this.#abort.signal, isQuiet: true }) }

  // The server knows when the site's day began.
  async #loadDay(names, now) {
    for (const name of names) this.#row(name).begin(now)
    try {
      const { sites } = await this.#get('sites')
      const { start } = sites.find(({ site }) => site === this.#site).day
      for (const name of names) this.#load(name, start, now)
    } catch {
      for (const name of names) this.#row(name).retry()
    }
  }

  async #load(name, start, now) {
    const get = (part, query) => this.#get(path('sites', this.#site, 'queues', name, part), query)
    const to = Math.ceil(now / HOUR_MS) * HOUR_MS
    const hours = async () => {
      const { periods } = await get('history', { from: start, to, step: 'hour' })
      return Promise.all(periods.map(async hour => ({ ...hour, known: knownTimes(hour, now)
        ?? knownRuns((await get('history', { from: hour.start, to: hour.end, step: 'minute' })).periods) })))
    }
    const [typical, history] = await Promise.allSettled([get('typical'), hours()])
    if (this.#abort.signal.aborted) return
    this.#row(name).take({ queue: this.#store.queues.get(name), start, loaded: now, typical, history })
    this.#draw()
  }

  // All charts have one axis of hours, and the same now.
  #draw() {
    const { now } = this.#store, rows = [...this.#rows.values()].filter(row => row.day)
    this.#minute = Math.floor(now / MINUTE_MS)
    if (rows.length === 0) return
    const isLocked = rows.some(row => row.day.isLocked), hours = commonHours(rows.map(row => row.day), now)
    const weekday = weekdayName(rows[0].day.start + NOON_MS), hasTypical = rows.some(row => row.day.typical.length > 1)
    this.#list.hidden = isLocked
    setContent(this.#legend, [isLocked, hasTypical, weekday], () => isLocked ? [this.#api.hasToken ? 'This token ' +
      'does not open today’s waits: they need the scope read. ' : 'Today’s waits are shown only with a token. ',
      this.#api.tokenLink()]
      : `Blue: today, from each hour’s median wait up to the wait that one in ten exceeded. ` +
        `${hasTypical ? `Grey: the same of the last eight ${weekday}s. ` : ''}Dotted: now.`)
    for (const row of rows) row.draw(now, hours)
  }

  close() { this.#abort.abort() }
}

class Row {
  // What was loaded; null before that.
  day = null
  #words = new Figure('over-words')
  #chart = new ChartBox('band-box', 460)
  // The end of the pause after a request, by the page's clock, and the site's hour of that request.
  #pauseEnd = -Infinity
  #hour = null
  node

  constructor(name) {
    this.#words.set('Loading …', '', overTargetReason)
    this.node = element('figure', { class: 'band-row', 'data-queue': name },
      element('figcaption', {}, element('strong', {}, name), this.#words.node), this.#chart.node)
  }

  isDue(now) { return performance.now() >= this.#pauseEnd || this.#hour !== Math.floor(now / HOUR_MS) }

  begin(now) {
    this.#hour = Math.floor(now / HOUR_MS)
    this.#pause(REFRESH_MS)
  }

  retry() { this.#pause(RETRY_MS) }

  #pause(ms) { this.#pauseEnd = performance.now() + ms }

  take({ queue, start, loaded, typical, history }) {
    const slots = slotsOf(typical.value?.slots ?? [], start), hours = history.value ?? []
    const hasWaits = hours.some(hour => hour.waits?.count > 0), day = weekdayName(start + NOON_MS)
    this.day = { start, loaded, typical: slots, hours, targetMs: queue.target?.waitMs, isLocked: needsToken(
      history.reason) }
    const none = history.reason || hasWaits ? '' : ' There is no wait today yet.'
    const unusual = typical.reason || slots.length ? '' : ` There is no typical ${day} yet.`
    this.#words.set((history.reason ? `Today’s waits are not shown: ${history.reason.message}` : overTarget(queue,
      hours)) + none + unusual, '',
      [queue.target ? overTargetReason : noTargetReason, unusual && typicalReason(day)])
    // A refused token stays refused; a server that restarts or is busy answers soon.
    if ([typical, history].some(({ reason }) => reason && !needsToken(reason))) this.retry()
    else if (!history.reason && !hasWaits) this.#pause(MINUTE_MS)
  }

  // `now`: the site's present; `hours`: the axis.
  draw(now, hours) {
    const { day } = this
    // Its text grows with the page's: a wall is read from afar.
    const zoom = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
    this.#chart.show(width => new BandChart(day, now, hours, width / zoom).node)
  }
}

const overTargetReason = 'The sum of all times since 04:00 in which the forecast for a person who joins was over the ' +
  'target that the configuration sets. Unknown times do not count.'

const noTargetReason = 'Set "targetWaitMs" of the queue in the configuration of the server, such as 300000 for 5 ' +
  'minutes, and reload the server. The page then shows how long the forecast was over the target.'

const typicalReason = day => `A typical ${day} has the waits of up to eight earlier ${day}s. The first one is shown ` +
  `a week after the first ${day} with waits.`

// "42 minutes over the target of 5 minutes; 8 minutes unknown."
export function overTarget(queue, hours) {
  if (!queue.target) return 'No target is configured.'
  // The server has no number for an hour that is largely unknown.
  const judged = hours.filter(hour => Number.isFinite(hour.overTargetMs))
  const over = judged.reduce((sum, hour) => sum + hour.overTargetMs, 0)
  const target = `the target of ${waitTime(queue.target.waitMs)}`
  const known = judged.reduce((sum, hour) => sum + hour.knownMs, 0), unknown = hours.reduce((sum, hour) => sum +
    hour.lengthMs, 0) - known
  if (known === 0) return 'The time over the target is unknown.'
  return `${over === 0 ? 'No forecast was' : capital(duration(over))} over ` +
    `${target}${unknown < MINUTE_MS ? '' : `; ${duration(unknown)} unknown`}.`
}
