// The page: reads the event stream, shows one of three views, and says when the numbers are stale.

import { API, needsToken } from './api.js'
import { element, setContent, setText } from './dom.js'
import { closeExplanations } from './explain.js'
import { showFoot } from './now.js'
import { Store } from './store.js'
import { Stream } from './stream.js'
import { Token } from './token.js'
import { KINDS, VIEWS, viewOf } from './views.js'
import { isWall } from './wall.js'
import { dateTime, otherZone, setTimeZone } from './words.js'

const part = id => document.getElementById(id)

class Page {
  #store = new Store(KINDS)
  #isWall = isWall()
  // A dialog would lie over a wall until somebody comes.
  #api = new API(new Token(), this.#isWall)
  #sites = []
  #site = ''
  // The site of the address if the server does not know it; else null.
  #unknownSite = null
  #version = null
  #stream
  #view = null

  async start() {
    document.documentElement.classList.toggle('wall', this.#isWall)
    closeExplanations()
    await this.#chooseSite()
    if (this.#unknownSite !== null) return this.#showSites()
    this.#stream = new Stream(this.#api, this.#site, (type, value) => this.#store.take(type, value))
    this.#store.addEventListener('change', ({ detail }) => this.#update(detail))
    addEventListener('hashchange', () => this.#show(true))
    setInterval(() => this.#showLink(), 500)
    this.#show(false)
    this.#stream.run()
  }

  // The site of the address, else the server's first one; waits for the server.
  async #chooseSite() {
    for (let pause = 500; ; pause = Math.min(2 * pause, 10000)) {
      try {
        this.#sites = (await this.#api.get('sites')).sites
        break
      } catch (error) {
        this.#showTrouble(`${error.status ? error.message : 'The server does not answer.'} The page tries again.`,
          needsToken(error))
        await new Promise(resolve => setTimeout(resolve, pause))
      }
    }
    const wanted = new URLSearchParams(location.search).get('site')
    const site = wanted === null ? this.#sites[0] : this.#sites.find(one => one.site === wanted)
    if (!site) this.#unknownSite = wanted
    this.#site = site?.site ?? ''
    setTimeZone(site?.timeZone)
  }

  // Instead of a view.
  #showSites() {
    const link = ({ site }) => {
      const query = new URLSearchParams(location.search)
      query.set('site', site)
      return element('li', {}, element('a', { href: `?${query}${location.hash}` }, site))
    }
    part('stale').hidden = true
    document.title = 'Sightline: unknown site'
    part('main').replaceChildren(element('h1', {}, `The server does not know the site ${this.#unknownSite}.`),
      element('p', {}, 'It knows:'), element('ul', {}, this.#sites.map(link)))
  }

  #show(isNavigation) {
    const [name, item] = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent)
    const view = viewOf(name)
    this.#view?.close()
    this.#view = new view.View({ store: this.#store, api: this.#api, site: this.#site, item })
    part('main').replaceChildren(this.#view.node)
    document.body.dataset.view = view.name
    document.title = `Sightline: ${this.#view.title}`
    this.#showNavigation()
    if (isNavigation) part('main').focus()
  }

  #update(change) {
    this.#keepUp()
    this.#view.update(change)
    this.#showNavigation()
    this.#showLink()
    showFoot(part('foot'), this.#store)
  }

  // A page on a wall stays open for months: another version of the server has another page.
  #keepUp() {
    const { version } = this.#store.server ?? {}
    if (this.#version !== null && version !== this.#version) location.reload()
    this.#version = version ?? this.#version
  }

  #showNavigation() {
    const site = this.#sites.find(one => one.site === this.#site)
    const links = VIEWS.map(({ name, text, link }) => [name, link(this.#store, site), text]).filter(([, href]) => href)
    const current = document.body.dataset.view
    setContent(document.querySelector('nav'), [links, current, this.#site], () => [
      ...links.map(([view, href, text]) => element('a', { href, 'aria-current': view === current ? 'page' : null },
        text)), this.#siteChoice()])
  }

  #siteChoice() {
    if (this.#sites.length < 2) return null
    const options = this.#sites.map(({ site }) => element('option', { value: site, selected: site === this.#site },
      site))
    return element('select', { 'aria-label': 'Site', onchange: event => {
      const query = new URLSearchParams(location.search)
      query.set('site', event.target.value)
      location.search = query
    } }, options)
  }

  // By the page's own clock: the server can't say that it is gone.
  #showLink() {
    const stale = this.#stream.staleSince()
    document.body.classList.toggle('is-stale', stale !== null)
    const { connected, startingPercent = null } = this.#store.server ?? {}
    const inZone = ms => `${dateTime(ms)}${otherZone(ms) && ` (${otherZone(ms)})`}`
    const { problem } = this.#stream
    const trouble = stale !== null ? `Stale since ${inZone(stale)}: ` +
      `${problem?.message ?? 'the server does not answer.'} The page tries again.`
      : connected === false && startingPercent === null ? 'The server is not connected to its MQTT broker: no ' +
        'messages of gateways arrive. The server tries again.' : ''
    this.#showTrouble(trouble, stale !== null && needsToken(problem ?? {}))
    const seconds = this.#stream.refreshSeconds
    const time = stale !== null ? 'stale'
      : `${inZone(Date.now())}${seconds === null ? '' : `, new numbers every ${seconds} s`}`
    setText(part('link'), `${this.#site} · ${time}`)
  }

  // `text` is empty without a trouble.
  #showTrouble(text, isTokenMissing) {
    part('stale').hidden = text === ''
    setContent(part('stale'), [text, isTokenMissing], () => isTokenMissing ? [text, ' ', this.#api.tokenLink()]
      : [text])
  }
}

new Page().start()
