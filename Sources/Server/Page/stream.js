// The server's event stream: connects, resumes after the last event, and says since when nothing has come.
// A server without a place for another stream ends it at once, and names a longer pause: the page then asks for the
// news.

import { EventParser } from './sse.js'

// The server sends a comment every 15 s.
const SILENCE_MS = 20000, GIVE_UP_MS = 40000
const FIRST_PAUSE_MS = 500, LONGEST_PAUSE_MS = 10000, LIVE_PAUSE_MS = 1000

export class Stream {
  #api
  #site
  #onEvent
  #parser = new EventParser()
  #abort = null
  #wake = () => {}
  #retry = FIRST_PAUSE_MS
  #pause = FIRST_PAUSE_MS
  // The server's answer if it refuses the stream; null without one.
  problem = null
  #heard = Date.now()
  #isConnected = false

  constructor(api, site, onEvent) {
    this.#api = api
    this.#site = site
    this.#onEvent = onEvent
    addEventListener('online', () => this.#wake())
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#wake() })
  }

  // When the last byte came, by the page's own clock, if that is too long ago or the connection is lost; else null.
  staleSince(now = Date.now()) {
    if (now - this.#heard > GIVE_UP_MS) this.#abort?.abort()
    const patience = this.#isConnected ? SILENCE_MS : 2 * this.#retry
    return now - this.#heard > patience ? this.#heard : null
  }

  // The seconds between two requests for the news; null for a stream that goes on.
  get refreshSeconds() { return this.#retry > LIVE_PAUSE_MS ? this.#retry / 1000 : null }

  async run() {
    for (;;) {
      await this.#connect().catch(error => { this.problem = error.status ? error : null })
      this.#isConnected = false
      await new Promise(resolve => {
        this.#wake = resolve
        setTimeout(resolve, this.#pause * (0.75 + Math.random() / 2))
      })
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE_MS)
    }
  }

  async #connect() {
    this.#abort = new AbortController()
    const headers = { accept: 'text/event-stream' }
    if (this.#parser.lastID) headers['last-event-id'] = this.#parser.lastID
    const response = await this.#api.open('stream', { query: { site: this.#site }, headers,
      signal: this.#abort.signal })
    const lastID = this.#parser.lastID
    this.#parser = new EventParser()
    this.#parser.lastID = lastID
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      this.#heard = Date.now()
      this.#isConnected = true
      this.problem = null
      const events = this.#parser.push(value)
      this.#pause = this.#retry = this.#parser.retry ?? FIRST_PAUSE_MS
      for (const event of events) this.#onEvent(event.type, JSON.parse(event.data))
    }
  }
}
