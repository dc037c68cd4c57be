// The history of days, drawn by dygraphs: the median wait, with a band up to the wait that one in ten exceeded, and
// hatched unknown times.

import { element, PAPER, setText } from './dom.js'
import { saveButtons, table } from './saving.js'
import { gaps } from './scale.js'
import { clockAsUTC, date, exactDuration, plural, time, waitsInWords } from './words.js'

const DAY_MS = 86400000, MINUTE_MS = 60000
// So few points are drawn, since their line may be short.
const FEW = 60
// Pixels between the lines of a hatched time.
const HATCH = 7
// Periods that Page Up and Page Down pass.
const LEAP = 10
const SPANS = [['7 days', 7, 'hour'], ['30 days', 30, 'hour'], ['400 days', 400, 'day']]

export class History {
  #name
  #get
  #now
  #graph = null
  // The periods with waits, and all that are drawn.
  #known = []
  #periods = []
  #box = element('div', { class: 'history-box' })
  #readout = element('p', { class: 'legend', role: 'status' })
  // Its values are times, so that its thumb stands below its point; keys go from one period with waits to the next.
  #slider = element('input', { type: 'range', 'aria-label': 'The time of the history', step: 'any', hidden: true,
    oninput: () => this.#choose(this.#nearest(Number(this.#slider.value))), onkeydown: event => this.#step(event) })
  #chosen = null
  #exports = element('div', { class: 'controls', hidden: true }, saveButtons(() => `${this.#name}-history`,
    () => csv(this.#known), () => picture(this.#box)))
  node

  // `get(query)` fetches the history of the queue `name`; `now()` is its present.
  constructor(name, get, now) {
    this.#name = name
    this.#get = get
    this.#now = now
    addEventListener('beforeprint', this.#shrink)
    addEventListener('afterprint', this.#fit)
    this.node = element('section', { class: 'panel history', 'aria-labelledby': 'history-title' },
      element('h2', { id: 'history-title' }, 'History'),
      element('div', { class: 'controls' }, SPANS.map(([name, days, step]) =>
        element('button', { type: 'button', onclick: () => this.#show(name, days, step) }, name))),
      element('p', { class: 'legend' }, 'The line is the median wait; the band reaches up to the wait that one in ' +
        'ten exceeded. Hatched times are unknown. In parentheses: the range that is right in 9 of 10 cases.'),
      this.#readout, this.#box, this.#slider, this.#exports)
  }

  async #show(name, days, step) {
    setText(this.#readout, 'Loading …')
    try {
      const to = Math.ceil(this.#now() / MINUTE_MS) * MINUTE_MS, from = to - days * DAY_MS
      const [{ periods }, Dygraph] = await Promise.all([this.#get({ from, to, step }), dygraph()])
      // A queue that is younger than the span fills the axis all the same.
      this.#draw({ periods, from: Math.max(from, periods[0]?.start ?? from), to, name }, Dygraph)
    } catch (error) { setText(this.#readout, `The history is not shown: ${error.message}`) }
  }

  #draw({ periods, from, to, name }, Dygraph) {
    const minutes = ms => ms / MINUTE_MS, known = periods.filter(period => period.waits?.count > 0)
    setText(this.#readout, known.length ? `${name}: point at a time, or move the slider, to see its numbers.`
      : `There are no waits in the last ${name}.`)
    this.#close()
    if (known.length === 0) return
    this.#known = known
    this.#periods = periods
    Object.assign(this.#slider, { min: from, max: to, value: known.at(-1).start })
    this.#slider.removeAttribute('aria-valuetext')
    this.#chosen = known.at(-1)
    this.#slider.hidden = this.#exports.hidden = false
    const rows = periods.map(({ start, waits }) => [new Date(clockAsUTC(start)), waits?.count > 0
      ? [minutes(waits.medianMs), minutes(waits.medianMs), minutes(waits.p90Ms)] : null])
    const unknown = gaps(periods.filter(({ state }) => state !== 'unknown').map(({ start, end }) => [start, end]),
      periods[0].start, periods.at(-1).end)
    const highest = Math.max(2, ...known.map(({ waits }) => minutes(waits.p90Ms)))
    this.#box.classList.add('drawn')
    const style = getComputedStyle(document.documentElement), color = one => style.getPropertyValue(one).trim()
    this.#box.setAttribute('role', 'img')
    this.#box.setAttribute('aria-label', `Median waits of the last ${name}: between ` +
      `${exactDuration(Math.min(...known.map(one => one.waits.medianMs)))} and ` +
      `${exactDuration(Math.max(...known.map(one => one.waits.medianMs)))}`)
    this.#graph = new Dygraph(this.#box, rows, {
      labels: ['time', 'wait'], labelsUTC: true, customBars: true, colors: [color('--blue')], fillAlpha: 0.25,
        strokeWidth: 2, legend: 'never',
      dateWindow: [clockAsUTC(from), clockAsUTC(to)], valueRange: [0, highest * 1.08], drawPoints: known.length <= FEW,
        pointSize: 3,
      axisLineColor: color('--rule'), gridLineColor: color('--rule'), axes: { x: { axisLabelWidth: 75 },
        y: { axisLabelWidth: 60, axisLabelFormatter: value => `${Math.round(value * 10) / 10} min` } },
      underlayCallback: (canvas, area, graph) => hatchTimes(canvas, area, unknown.map(times => times.map(at =>
        graph.toDomXCoord(clockAsUTC(at)))), color('--muted')),
      highlightCallback: (event, at, points, row) => this.#point(periods[row]),
    })
  }

  #point(period) {
    if (!period?.waits?.count) return
    const text = `${date(period.start)}, ${time(period.start)}: ${plural(period.waits.count, 'wait')}, ` +
      `${waitsInWords(period.waits)}`
    setText(this.#readout, text)
    this.#chosen = period
    this.#slider.value = period.start
    this.#slider.setAttribute('aria-valuetext', text)
  }

  #choose(period) {
    this.#graph.setSelection(this.#periods.indexOf(period))
    this.#point(period)
  }

  #nearest(at) {
    return this.#known.reduce((best, one) => Math.abs(one.start - at) < Math.abs(best.start - at) ? one : best)
  }

  #step(event) {
    const last = this.#known.length - 1, at = this.#known.indexOf(this.#chosen)
    const next = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last,
      PageDown: at - LEAP, PageUp: at + LEAP }[event.key]
    if (next === undefined) return
    event.preventDefault()
    this.#choose(this.#known[Math.max(0, Math.min(last, next))])
  }

  #close() {
    this.#graph?.destroy()
    this.#graph = null
    this.#box.classList.remove('drawn')
    this.#slider.hidden = this.#exports.hidden = true
  }

  #shrink = () => this.#box.style.setProperty('zoom', Math.min(1, PAPER / this.#box.offsetWidth))
  #fit = () => this.#box.style.removeProperty('zoom')

  close() {
    removeEventListener('beforeprint', this.#shrink)
    removeEventListener('afterprint', this.#fit)
    this.#close()
  }
}

// A line for each period with waits.
export const csv = periods => table([['start', 'end', 'waits', 'median_ms', 'p90_ms'],
  ...periods.map(({ start, end, waits }) => [new Date(start).toISOString(), new Date(end).toISOString(), waits.count,
    waits.medianMs, waits.p90Ms])])

// The chart as one picture: its layers, and the texts of its axes, which stand beside them.
function picture(box) {
  const layers = [...box.querySelectorAll('canvas')], result = element('canvas', { width: layers[0].width,
    height: layers[0].height }), canvas = result.getContext('2d'), frame = box.getBoundingClientRect()
  const style = getComputedStyle(document.documentElement), scale = result.width / layers[0].offsetWidth
  canvas.fillStyle = style.getPropertyValue('--surface')
  canvas.fillRect(0, 0, result.width, result.height)
  for (const layer of layers) canvas.drawImage(layer, 0, 0)
  canvas.scale(scale, scale)
  canvas.fillStyle = style.getPropertyValue('--ink')
  canvas.textBaseline = 'middle'
  canvas.textAlign = 'center'
  for (const label of box.querySelectorAll('.dygraph-axis-label')) {
    const { x, y, width, height } = label.getBoundingClientRect()
    canvas.font = getComputedStyle(label).font
    canvas.fillText(label.innerText, x - frame.x + width / 2, y - frame.y + height / 2)
  }
  return result
}

// Hatches times, each from its left to its right in pixels.
function hatchTimes(canvas, { x, y, w, h }, times, color) {
  if (times.length === 0) return
  canvas.save()
  canvas.beginPath()
  for (const [left, right] of times) canvas.rect(left, y, Math.max(1, right - left), h)
  canvas.clip()
  canvas.beginPath()
  for (let at = x - h; at < x + w; at += HATCH) {
    canvas.moveTo(at, y + h)
    canvas.lineTo(at + h, y)
  }
  canvas.strokeStyle = color
  canvas.lineWidth = 1
  canvas.stroke()
  canvas.restore()
}

// Loads dygraphs once; without its legend, which writes inline styles.
let loading = null
function dygraph() {
  loading ??= new Promise((resolve, reject) => {
    const load = (name, attributes) => document.head.append(element(name, attributes))
    load('link', { rel: 'stylesheet', href: new URL('page/dygraphs/dygraph.css', document.baseURI) })
    load('script', { src: new URL('page/dygraphs/dygraph.min.js', document.baseURI), onload: () => {
      const { Dygraph } = window
      Dygraph.PLUGINS = Dygraph.PLUGINS.filter(plugin => plugin !== Dygraph.Plugins.Legend)
      resolve(Dygraph)
    }, onerror: () => reject(new Error('the server has no dygraphs (Debian package libjs-dygraphs)')) })
  })
  return loading
}
