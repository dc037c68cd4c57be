// The view Plan: the floor with its zones, gateways and beacons. A beacon is an area, never a point.

import { path } from './api.js'
import { ChartBox, element, hatch, newID, setContent, setText, svg } from './dom.js'
import { Labels } from './labels.js'
import { byGateway, faults, mark, shape } from './marks.js'
import { evidence, eventList, Registry, sign, STATES as FAULTS } from './registry.js'
import { cells, failure, head, meanings } from './tables.js'
import { placeholder } from './tile.js'
import { list, percent, plural, reason } from './words.js'

const ZONE_HEAD = ['Zone', 'State', 'Visitors', 'Things']
const HEAD = ['Beacon', 'State', 'Zone', 'Place', 'Nearest gateway', 'Distance']
const LEVEL_HEAD = ['Gateway', 'Level', 'Distance', '90 % of the probability', 'Proximity']
const STATES = { known: 'known', zoned: 'zone only', distance: 'distance only', silent: 'not heard',
  unlabelled: 'unknown', unknown: 'unknown', clone: 'several devices', retired: 'retired' }
const ZONE_STATES = { ok: 'known', degraded: 'less certain', unknown: 'unknown' }
const WHY = {
  known: 'Several gateways hear the beacon: the circle has it with a probability of 90 %.',
  zoned: 'The site has no plan: the zone follows from labels alone, and the place is unknown.',
  distance: 'One gateway hears the beacon: its distance is plus or minus half a room, and its place is unknown.',
  silent: 'All gateways listen, and none has heard the beacon for 30 seconds.',
  unlabelled: 'The site has no plan, and no zone has a label yet.',
  unknown: 'No gateway hears the beacon, and one that might does not listen.',
  clone: 'Several devices send the identity of the beacon: it has no place.',
  retired: 'The registry says that the beacon is in use no more.',
}
const MEANINGS = {
  'State': 'Known: several gateways hear the beacon. Zone only: the site has no plan, and labels tell the zone. ' +
    'Distance only: one gateway hears it. Not heard: all gateways listen, and none hears it. ' +
    'Unknown: none hears it, and a gateway does not listen. Several devices: more than one device sends the ' +
    'identity. Retired: by the registry. Of a zone, unknown: its nearest gateway does not listen, or fewer than two ' +
    'gateways listen.',
  'Zone': 'The zone that has the beacon with a probability of 80 %, or the probabilities of several.',
  'Place': 'The mean, in metres on the plan, and the radius that has the beacon with a probability of 90 %.',
  'Distance': 'From the nearest gateway that hears the beacon: the median, and the interval of 90 %.',
  'Visitors': 'The expected number of visitors with a beacon in the zone, and the interval of 90 %. The staff is not ' +
    'counted. Only sums are known: nothing says where a person is.',
}
// A site without a plan has zones by labels.
const UNDRAWN = { floor: null, zones: [], gateways: [] }
const WITHOUT = 'The site has no plan: nothing is drawn, and places are unknown. Labels make zones: choose a beacon, ' +
  'stand in a zone with it, and name the zone. From the second zone on, beacons have probabilities of zones. ' +
  'The key plan of the site names a plan.'
// Of the drawing, in pixels: its edge, which has names of gateways, and the most that it is high.
const EDGE = 24, MOST_HIGH = 560, NARROW = 480
// More names than these would hide each other.
const MOST_NAMES = 20
const FIRST = 100, PAUSE_MS = 300

export class PlanView {
  title = 'Plan'
  #store
  #api
  #site
  #chosen
  // The features of the plan, and the places by beacon; null before the answers.
  #plan = null
  #places = null
  // The places that came since the last request.
  #news = new Map()
  #problem = null
  #abort = new AbortController()
  #sentence = element('h1', {}, 'Plan')
  #box = new ChartBox('plan-map')
  #drawn = null
  #timer = null
  #isWhole = false
  #missing = element('p', { class: 'plan-missing', hidden: true }, WITHOUT)
  #others = element('div', { class: 'plan-others' })
  #detail = element('section', { class: 'plan-detail', 'aria-live': 'polite' })
  #labels
  #registry
  #zones = element('div', { class: 'scroll' })
  #list = element('div', { class: 'scroll' })
  #more = element('button', { type: 'button', hidden: true, onclick: () => { this.#isWhole = true; this.update() } })
  node = element('div', { class: 'plan' }, this.#sentence, this.#missing, this.#box.node, this.#others,
    this.#detail, element('h2', {}, 'Zones'),
    this.#zones, element('h2', {}, 'Beacons'), this.#list, this.#more, meanings(MEANINGS))

  constructor({ store, api, site, item }) {
    this.#store = store
    this.#api = api
    this.#site = site
    this.#chosen = item
    this.#registry = new Registry({ store, api, site }, this.#abort.signal, () => this.update())
    this.#labels = new Labels(api, site, this.#abort.signal, () => store.now)
    // The form is outside of the live region.
    this.#detail.after(...this.#labels.nodes)
    this.#more.after(this.#labels.list)
    if (store.server !== null) this.#load()
    this.update()
  }

  async #load() {
    const news = this.#news = new Map()
    const get = name => this.#api.get(path('sites', this.#site, name), { signal: this.#abort.signal, isQuiet: true })
    try {
      this.#plan = await get('plan').then(readPlan, error => {
        if (error.status !== 404) throw error
        return UNDRAWN
      })
      const { places } = await get('places')
      this.#places = new Map([...places.map(one => [one.beacon, one]), ...news])
      this.#problem = null
      this.#labels.load()
    } catch (error) {
      if (error.name === 'AbortError') return
      this.#problem = error
    }
    this.update()
  }

  update(change) {
    // After a pause of the stream, places may have changed.
    if (change?.type === 'snapshot') this.#load()
    if (change?.type === 'place') {
      for (const list of [this.#news, this.#places]) list?.set(change.value.beacon, change.value)
    }
    if (this.#store.server !== null) this.#registry.update(change)
    // A site has many beacons: their news are shown together.
    if (change && change.type !== 'snapshot') {
      this.#timer ??= setTimeout(() => { this.#timer = null; this.#show() }, PAUSE_MS)
    } else {
      this.#show()
    }
  }

  #show() {
    const focused = focusOf(this.node)
    this.#showAll()
    if (focused && !this.node.contains(document.activeElement)) this.node.querySelector(focused)?.focus()
  }

  #showAll() {
    if (this.#store.server === null || this.#plan === null) {
      if (this.#problem) setContent(this.#list, this.#problem.message, () => this.#failure)
      return
    }
    if (!this.#plan.floor) {
      this.#plan = { ...UNDRAWN, zones: [...this.#store.zones.keys()].map(name => ({ name, title: name })) }
    }
    const places = this.#beacons.sort((one, other) => nameOf(one).localeCompare(nameOf(other), 'en',
      { numeric: true }))
    const chosen = places.find(one => one.beacon === this.#chosen)
    const zones = [...this.#store.zones.values()]
    const { states, strangers } = this.#registry
    const wrong = { ...faults(states), strangers: byGateway(strangers) }
    const marks = [wrong.placed, strangers].map(list => list.map(contents))
    const deaf = new Map([...zones, ...places].flatMap(one => one.reasons).map(one => [one.gateway, one]))
    this.#showSentence(places, deaf, states, strangers)
    const key = JSON.stringify([zones.map(contents), places.map(contents), marks])
    this.#box.node.hidden = !this.#plan.floor
    this.#missing.hidden = Boolean(this.#plan.floor)
    if (key !== this.#drawn && this.#plan.floor) {
      this.#box.show(width => this.#draw(width, zones, places, deaf, chosen, wrong))
    }
    this.#drawn = key
    setContent(this.#zones, zones.map(contents), () => zoneTable(zones, this.#plan))
    const shown = this.#isWhole ? places : places.filter((one, index) => index < FIRST || one === chosen)
    const state = one => this.#registry.state(one.beacon)
    setContent(this.#list, [shown.map(contents), shown.map(one => state(one)?.state), this.#chosen,
      this.#problem?.message], () => this.#problem ? this.#failure : placeTable(shown, this.#chosen, this.#plan, state))
    this.#more.hidden = shown.length === places.length
    setText(this.#more, `Show all ${places.length}`)
    setContent(this.#others, [wrong.others.map(one => [one.beacon, one.state]), strangers.map(one => one.id)],
      () => others(wrong.others, strangers))
    const events = this.#registry.events.filter(one => one.beacon === chosen?.beacon)
    const registered = chosen && state(chosen)
    setContent(this.#detail, chosen ? [contents(chosen), registered && contents(registered), events] : null,
      () => chosen ? details(chosen, this.#plan, registered, events, this.#store.now) : [])
    const standing = chosen?.state === 'retired' ? null : chosen
    this.#labels.offer(standing?.beacon ?? null, standing && nameOf(standing), standing?.zone, this.#plan.zones,
      !this.#plan.floor)
  }

  // Those with places; without a plan and labels, those of the registry.
  get #beacons() {
    const known = [...this.#places?.values() ?? []]
    const rest = this.#plan.floor || this.#places === null ? []
      : this.#registry.states.filter(one => !this.#places.has(one.beacon) && one.state !== 'retired')
    return [...known, ...rest.map(({ beacon, name }) => ({ beacon, name, state: 'unlabelled', reasons: [], place: null,
      zone: null, zones: [], nearest: null, gateways: [] }))]
  }

  get #failure() { return failure(this.#problem, 'Places of beacons', this.#api) }

  #showSentence(places, deaf, states, strangers) {
    const wrong = ['missing', 'clone', 'moved'].map(state => [states.filter(one => one.state === state).length,
      FAULTS[state]])
    const count = state => places.filter(one => one.state === state).length
    const parts = [
      places.length ? `${plural(places.length, 'beacon')}, ${this.#plan.floor ? `${count('known')} with a place`
        : `${count('zoned')} with a zone`}`
        : plural(this.#plan.zones.length, 'zone'),
      count('silent') ? `${count('silent')} not heard` : '', count('unknown') ? `${count('unknown')} unknown` : '',
      ...[...wrong, [strangers.length, FAULTS.unregistered]].map(([number, word]) => number ? `${number} ${word}` : ''),
      deaf.size ? list([...deaf.values()].map(one => reason(one))) : '',
    ]
    setText(this.#sentence, parts.filter(Boolean).join('; '))
  }

  // All that the drawing says is in the tables too.
  #draw(space, zones, places, deaf, chosen, wrong) {
    const { floor, low, high } = this.#plan, id = newID('deaf')
    const scale = Math.min((space - 2 * EDGE) / (high[0] - low[0]), (MOST_HIGH - 2 * EDGE) / (high[1] - low[1]))
    const [width, height] = [0, 1].map(axis => (high[axis] - low[axis]) * scale + 2 * EDGE)
    const at = ([x, y]) => [(x - low[0]) * scale + EDGE, (high[1] - y) * scale + EDGE]
    const outline = ring => ring.map(point => at(point).map(round).join(',')).join(' ')
    const areas = places.map(one => ({ one, ...area(one, this.#plan) })).filter(({ radius }) => radius)
      .sort((a, b) => b.radius - a.radius)
    const isNamed = one => areas.length <= MOST_NAMES || one === chosen
    return svg('svg', { viewBox: `0 0 ${round(width)} ${round(height)}`, width: round(width), height: round(height),
      class: 'plan-drawing', role: 'group', 'aria-label': 'Plan of the floor' },
    hatch(id, 'hatch-deaf'), svg('polygon', { points: outline(floor), class: 'floor' }),
    this.#plan.zones.map(zone => {
      const share = chosen?.zones.find(one => one.zone === zone.name)?.probability ?? 0
      const now = zones.find(one => one.zone === zone.name)
      const [x, y] = at(corner(zone.ring))
      return svg('g', { 'data-zone': zone.name, 'data-state': now?.state },
        svg('polygon', { points: outline(zone.ring), class: 'zone-ground' }),
        svg('polygon', { points: outline(zone.ring), class: 'zone-shape', 'fill-opacity': round(share * 0.4) }),
        text(x + 8, y + 18, zone.title + (chosen ? `: ${percent(share)}` : ''), 'zone-name'),
        text(x + 8, y + 34, now?.visitors ? `visitors: ${numbers(now.visitors)}` : 'visitors unknown', 'zone-count'))
    }),
    areas.map(({ one, centre, radius, isRing }) => {
      const [x, y] = at(centre), sentence = `${nameOf(one)}: ${words(one, this.#plan)}`
      return svg('a', { href: link(one), class: 'beacon', 'data-beacon': one.beacon, 'data-state': one.state,
        'aria-current': one === chosen ? 'true' : null, 'aria-label': sentence }, svg('title', {}, sentence),
      svg('circle', { cx: round(x), cy: round(y), r: round(radius * scale), class: isRing ? 'ring' : 'place' }),
      isNamed(one) ? text(x, isRing ? y - radius * scale - 4 : y + 4, nameOf(one), 'beacon-name') : null)
    }),
    this.#plan.gateways.map(({ name, point }) => {
      const [x, y] = at(point), isDeaf = deaf.has(name)
      return svg('g', { 'data-gateway': name, 'data-state': isDeaf ? 'deaf' : 'listening' },
        svg('title', {}, isDeaf ? reason(deaf.get(name)) : `${name} listens`),
        svg('rect', { x: round(x - 8), y: round(y - 8), width: 16, height: 16, class: 'gateway-shape',
          fill: isDeaf ? `url(#${id})` : null }),
        text(Math.min(Math.max(x, 34), width - 34), y < 40 ? y - 12 : y + 22, isDeaf ? `${name} (deaf)` : name,
          'gateway-name'))
    }),
    wrong.placed.map(one => {
      const place = one.state === 'moved' ? places.find(other => other.beacon === one.beacon)?.place : null
      return mark(one, at, { now: place && [place.x, place.y], href: link(one), isNarrow: space < NARROW,
        isChosen: one.beacon === chosen?.beacon })
    }),
    this.#plan.gateways.filter(({ name }) => wrong.strangers.has(name)).map(({ name, point }) => {
      const [x, y] = at(point), all = wrong.strangers.get(name)
      const words = `${all.length} ${FAULTS.unregistered}`
      return shape({ state: 'unregistered', at: [Math.min(Math.max(x, 60), width - 60), y < 60 ? y + 42 : y - 34],
        href: '#/beacons', words, sentence: `${words} at ${name}: ${all.map(one => one.sentence).join(' ')}` })
    }))
  }

  close() {
    this.#abort.abort()
    this.#labels.close()
    clearTimeout(this.#timer)
  }
}

// The features by their roles, with the corners of the floor's rectangle.
function readPlan({ features }) {
  const ring = one => one.geometry.coordinates[0].slice(0, -1)
  const floor = ring(features.find(one => one.properties.role === 'floor'))
  const axis = index => floor.map(point => point[index])
  return {
    floor, low: [0, 1].map(index => Math.min(...axis(index))), high: [0, 1].map(index => Math.max(...axis(index))),
    zones: features.filter(one => one.properties.zone).map(one => ({ name: one.properties.zone,
      title: one.properties.name ?? one.properties.zone, ring: ring(one) })),
    gateways: features.filter(one => one.properties.gateway).map(one => ({ name: one.properties.gateway,
      point: one.geometry.coordinates })),
  }
}

// Where the focus is, as a selector that finds the same link in new elements.
function focusOf(node) {
  const link = node.contains(document.activeElement) ? document.activeElement.closest('a[href^="#/plan/"]') : null
  const place = !link?.closest('svg') ? 'table a' : link.matches('.mark') ? 'svg a.mark' : 'svg a.beacon'
  return link && `${place}[href="${link.getAttribute('href')}"]`
}

// The stamps change every second, and nothing that is shown.
const contents = ({ at, rev, ...rest }) => rest

// The circle of a beacon: of its place, or around the only gateway that hears it.
function area({ place, state, gateways }, plan) {
  if (place) return { centre: [place.x, place.y], radius: place.radius, isRing: false }
  const near = state === 'distance' ? gateways[0] : null
  const gateway = plan.gateways.find(one => one.name === near?.gateway)
  return gateway && near.high ? { centre: gateway.point, radius: near.high, isRing: true } : { radius: 0 }
}

const round = value => Math.round(value * 100) / 100
const nameOf = one => one.name ?? one.beacon.split('/').slice(1).join('/')
const link = one => `#/plan/${encodeURIComponent(one.beacon)}`
const metres = value => `${value.toFixed(1)} m`
// The upper left one, where a name has room.
const corner = ring => ring.reduce((best, point) => point[1] - point[0] > best[1] - best[0] ? point : best)
const titleOf = (plan, name) => plan.zones.find(zone => zone.name === name)?.title ?? name
const text = (x, y, content, name) => svg('text', { x: round(x), y: round(y), class: name }, content)

// "Sales floor (91 %)", "Sales floor 62 %, Stock room 31 %" or "none".
function zoneWords({ zone, zones }, plan) {
  const share = name => zones.find(one => one.zone === name)?.probability
  if (zone) return titleOf(plan, zone) + (share(zone) === undefined ? '' : ` (${percent(share(zone))})`)
  return zones.map(one => `${titleOf(plan, one.zone)} ${percent(one.probability)}`).join(', ') || 'unknown'
}

const placeWords = ({ place }) => place ? `${place.x.toFixed(1)}, ${place.y.toFixed(1)}, within ${metres(place.radius)}`
  : 'unknown'
const interval = one => one.m === null ? 'unknown' : `${metres(one.m)} (${one.low.toFixed(1)} to ${metres(one.high)})`
const nearestWords = ({ nearest }) => nearest ? `${nearest.gateway} (${percent(nearest.probability)})` : 'unknown'
const distanceWords = ({ gateways }) => gateways[0]?.m === undefined || gateways[0].m === null ? 'unknown'
  : `${gateways[0].gateway}: ${interval(gateways[0])}`
const words = (one, plan) => `${STATES[one.state] ?? one.state}; ${placeWords(one)}; ${zoneWords(one, plan)}`

const numbers = count => count ? `${count.expected.toFixed(1)} (${count.low} to ${count.high})` : 'unknown'

const zoneTable = (zones, plan) => element('table', { class: 'gateway-table' }, head(ZONE_HEAD), element('tbody', {},
  zones.map(one => element('tr', { 'data-zone': one.zone, 'data-state': one.state },
    element('th', { scope: 'row' }, titleOf(plan, one.zone)), cells(ZONE_HEAD, [element('span',
      { class: 'gateway-state' }, ZONE_STATES[one.state] ?? one.state), numbers(one.visitors),
    numbers(one.things)])))))

const placeTable = (places, chosen, plan, state) => places.length === 0 ? element('p', { class: 'caption' },
  'No beacon of a registry has a place.') : element('table', { class: 'gateway-table' }, head(HEAD), element('tbody',
  {}, places.map(one => element('tr', { 'data-beacon': one.beacon, 'data-state': one.state,
    class: one.beacon === chosen ? 'chosen' : null }, element('th', { scope: 'row' }, element('a', { href: link(one),
    'aria-current': one.beacon === chosen ? 'true' : null }, nameOf(one))), cells(HEAD, [[state(one)?.state ===
    one.state ? null : element('span', { class: 'gateway-state' }, STATES[one.state] ?? one.state),
  faultSign(state(one))], zoneWords(one, plan),
  placeWords(one), nearestWords(one), distanceWords(one)])))))

// What the network of beacons says, where it is a fault.
const faultSign = one => one?.fault === 'yes' || one?.state === 'retired' ? [' ', sign(one.state)] : null

// The marks that have no place in the drawing, and beacons without a row, as a text.
const others = (faults, strangers) => [
  faults.length === 0 ? null : element('p', {}, 'Without a place in the registry: ', faults.map((one, index) =>
    [index ? ', ' : '', element('a', { href: link(one) }, nameOf(one)), ' ', sign(one.state)])),
  strangers.length === 0 ? null : element('p', {}, sign('unregistered'), ' ', strangers.map(one => one.sentence)
    .join(' '), ' ', element('a', { href: '#/beacons' }, 'All of them')),
].filter(Boolean)

const details = (one, plan, registered, events, now) => [
  element('h2', {}, nameOf(one), ' ', faultSign(registered)),
  registered ? evidence(registered).map(line => element('p', {}, line)) : null,
  element('p', {}, `${WHY[one.state] ?? ''} ${one.reasons.map(cause => `${reason(cause)}.`).join(' ')}`.trim()),
  element('p', { class: 'caption' }, `${one.beacon}; zone: ${zoneWords(one, plan)}; nearest gateway: ` +
    nearestWords(one)),
  one.gateways.length === 0 ? null : element('div', { class: 'scroll' }, element('table', { class: 'gateway-table' },
    head(LEVEL_HEAD), element('tbody', {}, one.gateways.map(gateway => element('tr', { 'data-gateway': gateway.gateway,
      'data-state': gateway.m === null ? 'unknown' : 'ok' }, element('th', { scope: 'row' }, gateway.gateway),
      cells(LEVEL_HEAD, [gateway.level === null ? 'does not listen' : `${Math.round(gateway.level)} dBm`,
        gateway.m === null ? 'unknown' : metres(gateway.m), gateway.m === null ? 'unknown'
          : `${gateway.low.toFixed(1)} to ${metres(gateway.high)}`, gateway.proximity])))))),
  registered && element('h3', {}, 'Last 24 hours'),
  registered && (eventList(events, now) ?? element('p', { class: 'caption' }, 'No event.')),
].flat().filter(Boolean)
