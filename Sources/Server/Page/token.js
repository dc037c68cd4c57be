// The token of the API: asked for once, kept until the browser's tab is closed.

import { element } from './dom.js'

const KEY = 'sightline.token'

export class Token {
  #asking = null
  #refused = false

  get headers() {
    const token = sessionStorage.getItem(KEY)
    return token ? { authorization: `Bearer ${token}` } : {}
  }

  get isSet() { return sessionStorage.getItem(KEY) !== null }

  // Whether the person has entered a token, unless they went on without one before.
  ask() { return !this.#refused && this.#enter() }

  // For a part of the page that shows no dialog by itself. With a token, the page begins again.
  link() {
    const enter = async () => { if (await this.#enter()) location.reload() }
    return element('button', { type: 'button', class: 'link-button', onclick: enter }, 'Enter a token')
  }

  // Concurrent requests share one question.
  #enter() {
    this.#asking ??= this.#dialog().finally(() => { this.#asking = null })
    return this.#asking
  }

  #dialog() {
    const input = element('input', { type: 'password', id: 'token', autocomplete: 'off', required: true })
    const dialog = element('dialog', { 'aria-labelledby': 'token-title' },
      element('form', { method: 'dialog' },
        element('h2', { id: 'token-title' }, 'A token is needed'),
        element('p', {}, 'The server shows this only with a token. The page keeps it until this tab is closed.'),
        element('label', { for: 'token' }, 'Token'), input,
        element('p', { class: 'buttons' },
          element('button', { value: 'use' }, 'Use the token'),
          element('button', { value: 'cancel', formnovalidate: true }, 'Go on without'))))
    document.body.append(dialog)
    dialog.showModal()
    return new Promise(resolve => dialog.addEventListener('close', () => {
      const isGiven = dialog.returnValue === 'use' && input.value !== ''
      if (isGiven) sessionStorage.setItem(KEY, input.value)
      else this.#refused = true
      dialog.remove()
      resolve(isGiven)
    }))
  }
}
