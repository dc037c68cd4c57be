// Parts of the views that show lists: tables, what their columns mean, and why a list is not known.

import { needsToken } from './api.js'
import { element } from './dom.js'

export const head = names => element('thead', {}, element('tr', {}, names.map(name => element('th', { scope: 'col' },
  name))))

// The cells behind the first one, which is the row's head.
export const cells = (names, contents) => contents.map((content, index) => element('td',
  { 'data-name': names[index + 1] }, content))

export const meanings = words => element('details', { class: 'columns' },
  element('summary', {}, 'What the columns mean'), element('dl', {}, Object.entries(words).map(([name, text]) =>
    [element('dt', {}, name), element('dd', {}, text)])))

// `things`: what needs a token.
export const failure = (problem, things, api) => element('p', { class: 'caption' }, needsToken(problem)
  ? [`${things} need a token of the scope read. `, api.tokenLink()] : problem.message)

// Once: later updates leave the scroll position alone.
export function reveal(list) {
  const row = list.querySelector('.chosen')
  if (row && !list.dataset.revealed) requestAnimationFrame(() => row.scrollIntoView({ block: 'center' }))
  list.dataset.revealed = 'true'
}
