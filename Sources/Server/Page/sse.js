// The text of an event stream becomes events (WHATWG HTML, section 9.2.6). EventSource can't send an Authorization
// header.

export class EventParser {
  #rest = ''
  #event = { type: '', data: [] }
  lastID = ''
  // The pause before the next connection, in milliseconds, once the server has named it.
  retry = null

  // The events that `text` completes.
  push(text) {
    const events = [], lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop()
    for (const line of lines) {
      const event = this.#take(line)
      if (event) events.push(event)
    }
    return events
  }

  #take(line) {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') this.#event.data.push(value)
    else if (name === 'event') this.#event.type = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value)
    else if (name === 'id' && !value.includes('\0')) this.lastID = value
    return null
  }

  #dispatch() {
    const { type, data } = this.#event
    this.#event = { type: '', data: [] }
    return data.length === 0 ? null : { type: type || 'message', data: data.join('\n') }
  }
}
