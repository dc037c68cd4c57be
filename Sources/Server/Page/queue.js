// The view Queue: any hour of the last 24 in three lanes, with the gateways beneath, and the history of days.

import { path } from './api.js'
import { ChartBox, element, setContent, setText } from './dom.js'
import { Figure } from './explain.js'
import { History } from './history.js'
import { LEAVERS_LEGEND, LEGEND as RESTATED_LEGEND, Lanes } from './lanes.js'
import { LEGEND as STRIPS_LEGEND } from './strips.js'
import { overview } from './overview.js'
import { dots } from './people.js'
import { forecastScore } from './reasons.js'
import { HOUR_MS, MINUTE_MS } from './scale.js'
import { minuteCSV, minuteTable, readout } from './readout.js'
import { picture, saveButtons } from './saving.js'
import { showPeople, showState, showWait } from './tile.js'
import { date, fileTime, time } from './words.js'

const DAY_MS = 24 * HOUR_MS, STEP_MS = 5 * MINUTE_MS, PLAY_MS = 250, REFRESH_MS = 5000

export class QueueView {
  title
  node
  #store
  #api
  #name
  #path
  #end = null
  #cross = null
  #hour = null
  #lanes = null
  #parts = {}
  #wait = new Figure('wait')
  #people = new Figure('people')
  #timers = { play: 0, load: 0, asked: 0 }
  #abort = new AbortController()
  #history

  constructor({ store, api, site, item }) {
    this.#store = store
    this.#api = api
    this.#name = item ?? [...store.queues.keys()][0] ?? ''
    this.#path = part => path('sites', site, 'queues', this.#name, part)
    this.title = this.#name
    this.#history = new History(this.#name, query => this.#get('history', query), () => store.now)
    this.#build()
    this.update()
  }

  #build() {
    const slider = (label, attributes) => element('input', { type: 'range', 'aria-label': label, ...attributes })
    const button = (text, onclick) => element('button', { type: 'button', onclick }, text)
    const parts = this.#parts = {
      others: element('p', { class: 'others' }), state: element('p', { class: 'queue-state' }),
      now: element('div', { class: 'queue-now' }, this.#wait.node, element('span', { class: 'caption' },
        'wait from now, including paying;'), this.#people.node, element('span', { class: 'caption' }, 'in line')),
      legend: element('p', { class: 'legend' }, `${RESTATED_LEGEND} ${LEAVERS_LEGEND} ${STRIPS_LEGEND}`),
      score: element('p', { class: 'legend' }),
      problem: element('p', { class: 'problem', role: 'status' }),
      loading: element('progress', { 'aria-label': 'Loading', hidden: true }),
      span: element('output', { class: 'span' }), overview: new ChartBox('overview-box'),
      chart: new ChartBox('chart-box'),
      hour: slider('The hour shown', { class: 'hour', min: 0, max: DAY_MS - HOUR_MS, step: STEP_MS,
        value: DAY_MS - HOUR_MS,
        oninput: event => { this.#stop(); this.#move(Number(event.target.value)) } }),
      cross: slider('The time of the crosshair', { class: 'cross-slider', min: 0, max: HOUR_MS, step: MINUTE_MS,
        oninput: event => this.#point(this.#from + Number(event.target.value)) }),
      readout: element('div', { class: 'readout' }), dots: element('div', { class: 'dots-box' }),
      table: element('div', { class: 'scroll', tabindex: 0, role: 'region', 
        'aria-label': 'The hour, minute by minute' }),
      play: button('Replay', () => this.#timers.play ? this.#stop() : this.#play()),
      present: button('Now', () => { this.#stop(); this.#move(DAY_MS - HOUR_MS) }),
      saving: element('span', { class: 'controls', hidden: true }, saveButtons(() => `${this.#name}-${fileTime(
        this.#hour.from)}`, () => minuteCSV(this.#hour), () => picture(this.#lanes.node,
        `${this.#name}, ${this.#parts.span.value}`))),
    }
    parts.chart.node.addEventListener('pointermove', event => {
      if (this.#lanes) this.#point(this.#lanes.timeAt(event))
    })
    this.node = element('div', { class: 'queue-view' },
      element('h1', {}, this.#name), parts.others, parts.state, parts.now,
      element('section', { class: 'panel', 'aria-label': 'One hour' },
        element('div', { class: 'controls' }, parts.span, parts.play, parts.present, parts.saving, parts.loading),
        parts.overview.node, parts.hour, parts.problem,
        element('div', { class: 'lanes-box' }, parts.chart.node, parts.cross), element('p', { class: 'legend symbols' },
          '━ the estimate · ░ its range · ● was served · ○ gave up · ▨ not known · ◆ changed later'),
        element('details', { class: 'what' }, element('summary', {}, 'What this shows'),
          element('p', { class: 'legend' }, 'Bars: the mean number of people with a beacon in line in each of the ' +
            'last 24 hours. The frame is the hour shown.'), parts.legend),
        element('div', { class: 'readout-box' }, parts.readout, parts.dots), parts.score,
        element('details', { class: 'table' }, element('summary', {}, 'The hour as a table'), parts.table)),
      this.#history.node)
  }

  get #latest() { return Math.ceil(this.#store.now / MINUTE_MS) * MINUTE_MS }
  get #to() { return this.#end ?? this.#latest }
  get #from() { return this.#to - HOUR_MS }

  update(change) {
    const queue = this.#store.queues.get(this.#name), { state, now, others } = this.#parts
    if (this.#store.server === null) return
    const isKnown = Boolean(queue?.length)
    now.hidden = !isKnown
    state.hidden = queue?.state === 'ok'
    state.dataset.state = isKnown ? queue.state : 'unknown'
    if (queue) showState(state, queue)
    else setText(state, 'The server does not know this queue.')
    if (isKnown) {
      showWait(this.#wait, queue)
      showPeople(this.#people, queue)
    }
    const names = [...this.#store.queues.keys()]
    setContent(others, [names, this.#name], () => names.length < 2 ? [] : names.map(name => element('a',
      { href: `#/queues/${encodeURIComponent(name)}`, 'aria-current': name === this.#name ? 'true' : null }, name)))
    if (!queue) return
    const isNew = this.#hour === null || change?.type === 'snapshot' || change?.type === 'minute' &&
      change.value.queue === this.#name
    const isOld = performance.now() - this.#timers.asked > MINUTE_MS
    if (this.#end === null && (isNew || isOld)) this.#soon(this.#hour === null ? 0 : REFRESH_MS)
  }

  // Loads once for all calls within a time.
  #soon(delay) {
    this.#timers.load ||= setTimeout(() => { this.#timers.load = 0; this.#load() }, delay)
  }

  // `offset`: the hour's start after the start of the last 24 hours.
  #move(offset) {
    this.#end = offset >= DAY_MS - HOUR_MS ? null : this.#latest - DAY_MS + offset + HOUR_MS
    this.#parts.hour.value = offset
    this.#showSpan()
    clearTimeout(this.#timers.load)
    this.#timers.load = 0
    this.#soon(100)
  }

  #play() {
    if (this.#end === null) this.#move(0)
    this.#parts.play.textContent = 'Stop'
    this.#timers.play = setInterval(() => {
      const next = Number(this.#parts.hour.value) + STEP_MS
      this.#move(next)
      if (next >= DAY_MS - HOUR_MS) this.#stop()
    }, PLAY_MS)
  }

  #stop() {
    clearInterval(this.#timers.play)
    this.#timers.play = 0
    this.#parts.play.textContent = 'Replay'
  }

  #get(part, query) { return this.#api.get(this.#path(part), { query, signal: this.#abort.signal }) }

  // Null where the server does not keep them: it keeps counts only, or has removed those of the hour.
  async #visits(query) {
    try {
      const { visits, provisional } = await this.#get('visits', query)
      return [...visits, ...provisional.map(visit => ({ ...visit, isProvisional: true }))]
    } catch (error) {
      if (error.status === 404) return null
      throw error
    }
  }

  async #load() {
    this.#abort.abort()
    this.#abort = new AbortController()
    const { signal } = this.#abort, from = this.#from, to = this.#to, latest = this.#latest, { now } = this.#store
    this.#timers.asked = performance.now()
    this.#parts.loading.hidden = false
    try {
      const [minutes, visits, evidence, hours] = await Promise.all([
        this.#get('history', { from, to, step: 'minute' }), this.#visits({ from, to: Math.min(latest, to + HOUR_MS) }),
        this.#get('evidence', { from, to }), this.#get('history', { from: latest - DAY_MS, to: latest, step: 'hour' }),
      ])
      this.#show({ from, to, minutes: minutes.periods, now, visits, gateways: evidence.gateways,
        truth: evidence.truth }, hours.periods, latest)
      setText(this.#parts.problem, '')
    } catch (error) {
      if (signal.aborted) return
      setText(this.#parts.problem, `The hour is not shown: ${error.message}`)
    }
    this.#parts.loading.hidden = true
  }

  #show(hour, hours, latest) {
    this.#hour = hour
    this.#parts.saving.hidden = false
    this.#showSpan()
    this.#parts.overview.show(width => overview(hours, { from: latest - DAY_MS, to: latest, shownFrom: hour.from,
      shownTo: hour.to }, width))
    this.#parts.chart.show(width => {
      this.#lanes = new Lanes(hour, width)
      if (this.#cross !== null) this.#lanes.point(this.#cross)
      return this.#lanes.node
    })
    const last = hour.minutes.findLast(minute => minute.forecast)
    setText(this.#parts.score, last ? forecastScore(last.forecast) : '')
    setContent(this.#parts.table, hour, () => minuteTable(hour))
    this.#point(this.#end === null || this.#cross === null || this.#cross < hour.from || this.#cross >= hour.to
      ? this.#last(hour) : this.#cross)
  }

  // The last minute that the server has published, else the last one of the hour.
  #last({ to, now, minutes }) {
    const last = minutes.at(-1)?.start
    return last > now - 3 * MINUTE_MS ? last : to - MINUTE_MS
  }

  #showSpan() {
    const text = `${date(this.#from)}, ${time(this.#from)} to ${time(this.#to)}`
    setText(this.#parts.span, text)
    this.#parts.hour.setAttribute('aria-valuetext', text)
  }

  #point(at) {
    if (!this.#hour) return
    this.#cross = Math.min(Math.floor(at / MINUTE_MS) * MINUTE_MS, this.#hour.to - MINUTE_MS)
    this.#lanes?.point(this.#cross)
    const { minute, text, node } = readout(this.#hour, this.#cross)
    this.#parts.cross.value = this.#cross - this.#hour.from
    this.#parts.cross.setAttribute('aria-valuetext', text)
    setContent(this.#parts.readout, text, () => node)
    setContent(this.#parts.dots, minute?.length ? [minute.length, minute.coverage] : null, () => minute?.length
      ? dots(minute) : [])
  }

  close() {
    this.#stop()
    clearTimeout(this.#timers.load)
    this.#abort.abort()
    this.#history.close()
  }
}
