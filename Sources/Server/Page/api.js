// Requests to the server's API. Paths are relative to the page, so that a reverse proxy may serve it below any path.

const base = new URL('api/v1/', document.baseURI)

// The server's answer when it is not a success.
export class Problem extends Error {
  constructor(status, text) {
    super(text)
    this.status = status
  }
}

export const needsToken = ({ status } = {}) => [401, 403].includes(status)

export const path = (...parts) => parts.map(encodeURIComponent).join('/')

export class API {
  #token
  #isQuiet

  // `isQuiet`: no request asks for a token.
  constructor(token, isQuiet) {
    this.#token = token
    this.#isQuiet = isQuiet
  }

  // Fetches `path`; asks once for a token if the server demands one, unless the request is quiet.
  async open(path, { query = {}, headers = {}, signal, isQuiet = this.#isQuiet, ...more } = {}) {
    const url = new URL(path, base)
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
    const send = () => fetch(url, { headers: { ...headers, ...this.#token.headers }, signal, cache: 'no-store',
      ...more })
    let response = await send()
    if (needsToken(response) && !isQuiet && await this.#token.ask()) response = await send()
    if (!response.ok) throw await problem(response)
    return response
  }

  tokenLink() { return this.#token.link() }

  get hasToken() { return this.#token.isSet }

  // Sends a change; asks for a token that may change something.
  post(path, document) { return this.#send('POST', path, document) }

  put(path, document) { return this.#send('PUT', path, document) }

  async #send(method, path, document) {
    const response = await this.open(path, { method, body: JSON.stringify(document),
      headers: { accept: 'application/json', 'content-type': 'application/json' } })
    return response.json()
  }

  async remove(path) {
    return (await this.open(path, { method: 'DELETE', headers: { accept: 'application/json' } })).json()
  }

  async get(path, options = {}) {
    const response = await this.open(path, { ...options, headers: { accept: 'application/json' } })
    return response.json()
  }
}

async function problem(response) {
  const document = await response.json().catch(() => ({}))
  return new Problem(response.status, document.detail ?? document.title ?? `The server answers ${response.status}.`)
}
