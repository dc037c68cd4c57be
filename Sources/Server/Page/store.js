// What the page knows: the last document of each queue and gateway, from the event stream.

const TRUTH_MS = 3600000
// The kinds of the event stream by their event, which is also the member with the item's name: the key of the list in a
// snapshot, and of the last documents by item.
export const KINDS = { queue: 'queues', gateway: 'gateways' }

export class Store extends EventTarget {
  server = null
  queues = new Map()
  gateways = new Map()
  // What a simulation says about each queue: [time, people]; a number holds until the next one.
  #truth = new Map()

  take(type, value) {
    if (type === 'snapshot') {
      this.server = value.server
      for (const [kind, list] of Object.entries(KINDS)) this[list] = new Map(value[list].map(one => [one[kind], one]))
      this.#truth = new Map(Object.entries(value.truth ?? {}))
    } else if (KINDS[type]) {
      this[KINDS[type]].set(value[type], value)
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
