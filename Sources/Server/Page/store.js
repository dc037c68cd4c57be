// What the page knows: the last document of each item, from the event stream. Beacons are no part of a snapshot: their view
// asks for them.

const TRUTH_MS = 3600000

export class Store extends EventTarget {
  server = null
  #kinds
  // What a simulation says about each queue: [time, people]; a number holds until the next one.
  #truth = new Map()

  // `kinds`: the name of the list of documents by their event. Each list is a map by the item's name.
  constructor(kinds) {
    super()
    this.#kinds = kinds
    for (const list of Object.values(kinds)) this[list] = new Map()
  }

  take(type, value) {
    if (type === 'snapshot') {
      this.server = value.server
      for (const [kind, list] of Object.entries(this.#kinds)) {
        this[list] = new Map((value[list] ?? []).map(one => [one[kind], one]))
      }
      this.#truth = new Map(Object.entries(value.truth ?? {}))
    } else if (this.#kinds[type]) {
      this[this.#kinds[type]].set(value[type], value)
    } else if (type === 'truth') {
      const { queue, at, people } = value
      this.#truth.set(queue, [...this.truth(queue).filter(([time]) => time > at - TRUTH_MS), [at, people]])
    } else if (type === 'server') {
      this.server = { ...this.server, ...value }
    }
    this.dispatchEvent(new CustomEvent('change', { detail: { type, value } }))
  }

  truth(name) { return this.#truth.get(name) ?? [] }

  // The end of the last second that a queue's numbers describe: the site's present.
  get now() { return Math.max(0, ...[...this.queues.values()].map(queue => queue.at)) || Date.now() }
}
