// Small helpers to make and update elements. All text is set as text, never as HTML.

const SVG = 'http://www.w3.org/2000/svg'

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value)
    else node.setAttribute(name, value === true ? '' : value)
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined))
  return node
}

export const element = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children)

export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children)

// Sets the text only if it differs, so that a screen reader does not repeat it.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

// Shows children only if `key` differs from the last call's: an update without news leaves the elements and the focus.
export function setContent(node, key, make) {
  const text = JSON.stringify(key)
  if (shown.get(node) === text) return
  shown.set(node, text)
  node.replaceChildren(...[make()].flat().filter(child => child !== null && child !== undefined))
}
const shown = new WeakMap()

// Puts elements in an order; moves nothing while the focus is inside, since a moved element loses it.
export function arrange(list, nodes) {
  const present = [...list.children]
  if (nodes.length === present.length && nodes.every((node, index) => node === present[index])) return
  const isSame = new Set([...present, ...nodes]).size === present.length && nodes.length === present.length
  if (!isSame || !list.contains(document.activeElement)) list.replaceChildren(...nodes)
}

let count = 0
export const newID = prefix => `${prefix}-${++count}`

// A pattern of diagonal lines: the time or the thing about which nothing is known.
export function hatch(id, className = 'hatch-line') {
  return svg('defs', {}, svg('pattern', { id, width: 7, height: 7, patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)' },
    svg('rect', { width: 7, height: 7, class: `${className}-ground` }),
    svg('line', { x1: 0, y1: 0, x2: 0, y2: 7, class: className })))
}

// A box whose chart is drawn again when its width changes, so that text keeps its size.
export class ChartBox {
  #draw = null
  #width = 0
  node

  // `paper`: its width on paper.
  constructor(className, paper = PAPER) {
    this.paper = paper
    this.node = element('div', { class: `${className} fitted` })
    boxes.set(this.node, this)
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width)
      if (width === this.#width) return
      this.#width = width
      this.fit()
    }).observe(this.node)
  }

  // `draw` returns a chart of the given width.
  show(draw) {
    this.#draw = draw
    this.fit()
  }

  fit(width = this.#width) { if (this.#draw && width > 0) this.node.replaceChildren(this.#draw(width)) }
}

// Charts are drawn again for paper: scaled down, their text would be too small.
const boxes = new WeakMap()
export const PAPER = 640
const all = () => [...document.querySelectorAll('.fitted')].map(node => boxes.get(node))
addEventListener('beforeprint', () => all().forEach(box => box.fit(box.paper)))
addEventListener('afterprint', () => all().forEach(box => box.fit()))
