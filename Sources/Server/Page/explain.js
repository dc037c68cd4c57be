// A number that explains itself: activating it shows how it was made.

import { element, setContent, setText } from './dom.js'

export class Figure {
  #main = element('span', { class: 'main' })
  #range = element('span', { class: 'range' })
  #why = element('div', { class: 'why-text' })
  node

  // `name` is a class for styles and tests; `caption`, the identity of an element that says what the number is.
  constructor(name, caption = null) {
    this.node = element('details', { class: `why ${name}` },
      element('summary', { 'aria-describedby': caption }, this.#main, ' ', this.#range), this.#why)
  }

  // `main`: a text, or a number between the words before and behind it.
  set(main, range, why) {
    const [before, number, unit] = typeof main === 'string' ? ['', main, ''] : main
    this.#main.classList.toggle('words', before === '' && unit === '')
    setContent(this.#main, main, () => [words(before), number, words(unit)])
    setText(this.#range, range)
    this.#range.hidden = range === ''
    const paragraphs = [why].flat().filter(Boolean)
    setContent(this.#why, paragraphs, () => paragraphs.map(text => element('p', {}, text)))
  }
}

const words = text => text && element('span', { class: 'unit' }, text)

// Escape and a click elsewhere close an open explanation.
export function closeExplanations() {
  const open = () => document.querySelectorAll('details.why[open]')
  addEventListener('keydown', event => {
    if (event.key !== 'Escape') return
    for (const one of open()) {
      one.open = false
      if (one.contains(document.activeElement)) one.querySelector('summary').focus()
    }
  })
  addEventListener('click', event => { for (const one of open()) if (!one.contains(event.target)) one.open = false })
}
