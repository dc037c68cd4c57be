// Files of what is on the screen: tables as CSV, charts as PNG.

import { element } from './dom.js'

const MINUTE_MS = 60000, MARGIN = 16, HEAD = 28, SCALE = 2

// The buttons; `csv()` and `png()` return a text and a canvas, `name()` the file's name without its end.
export function saveButtons(name, csv, png) {
  const button = (text, onclick) => element('button', { type: 'button', onclick }, text)
  return [
    button('Save as CSV', () => save(`${name()}.csv`, new Blob([csv()], { type: 'text/csv' }))),
    button('Save as PNG', () => png().toBlob(blob => save(`${name()}.png`, blob))),
  ]
}

function save(name, blob) {
  const url = URL.createObjectURL(blob)
  element('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), MINUTE_MS)
}

// A table (RFC 4180) of rows of cells; a cell without a value is empty.
export const table = rows => rows.map(row => row.map(cell => cell ?? '').join()).map(line => `${line}\r\n`).join('')

// A chart with a title. It is painted part by part: the page's policy admits no images of its own making.
export function picture(chart, title) {
  const { width, height } = chart.viewBox.baseVal, frame = element('canvas', { width: (width + 2 * MARGIN) * SCALE,
    height: (height + 2 * MARGIN + HEAD) * SCALE })
  const canvas = frame.getContext('2d'), style = getComputedStyle(document.documentElement)
  canvas.scale(SCALE, SCALE)
  canvas.fillStyle = style.getPropertyValue('--surface')
  canvas.fillRect(0, 0, frame.width, frame.height)
  canvas.fillStyle = style.getPropertyValue('--ink')
  canvas.font = `600 16px ${style.fontFamily}`
  canvas.fillText(title, MARGIN, MARGIN + 14)
  canvas.translate(MARGIN, MARGIN + HEAD)
  for (const part of chart.querySelectorAll('rect, line, polyline, polygon, circle, path, text')) {
    if (!part.closest('defs') && getComputedStyle(part).visibility !== 'hidden') paint(canvas, part)
  }
  return frame
}

function paint(canvas, part) {
  const style = getComputedStyle(part), number = name => Number(part.getAttribute(name) ?? 0)
  const outline = new Path2D(shape(part, number)), opacity = Number(style.opacity)
  canvas.save()
  if (style.fill !== 'none') {
    canvas.globalAlpha = opacity * Number(style.fillOpacity)
    canvas.fillStyle = style.fill.startsWith('url') ? hatching(canvas, style.fill) : style.fill
    if (part.tagName === 'text') text(canvas, part, style, number)
    else canvas.fill(outline)
  }
  if (style.stroke !== 'none' && part.tagName !== 'text') {
    canvas.globalAlpha = opacity * Number(style.strokeOpacity)
    Object.assign(canvas, { strokeStyle: style.stroke, lineWidth: parseFloat(style.strokeWidth), lineJoin: 'round' })
    canvas.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(',').map(parseFloat))
    canvas.stroke(outline)
  }
  canvas.restore()
}

// The outline of an element as a path.
function shape(part, number) {
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(number), radius = number('r')
  switch (part.tagName) {
    case 'rect': return `M${x} ${y}h${width}v${height}h${-width}z`
    case 'line': return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`
    case 'circle': return `M${number('cx') - radius} ${number('cy')}a${radius} ${radius} 0 1 0 ${2 * radius} 0` +
      `a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`
    case 'polyline': return `M${part.getAttribute('points')}`
    case 'polygon': return `M${part.getAttribute('points')}z`
    case 'path': return part.getAttribute('d')
    default: return ''
  }
}

function text(canvas, part, style, number) {
  canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
  canvas.textAlign = { middle: 'center', end: 'right' }[style.textAnchor] ?? 'left'
  canvas.fillText(part.textContent, number('x'), number('y'))
}

// The pattern of `hatch`, such as url("#gap-3").
function hatching(canvas, url) {
  const pattern = document.getElementById(url.slice(6, -2)), [ground, line] = pattern.children
  const size = Number(pattern.getAttribute('width')), tile = element('canvas', { width: size, height: size })
  const pen = tile.getContext('2d'), style = getComputedStyle(line)
  pen.fillStyle = getComputedStyle(ground).fill
  pen.fillRect(0, 0, size, size)
  pen.fillStyle = style.stroke
  pen.fillRect(0, 0, parseFloat(style.strokeWidth) / 2, size)
  const result = canvas.createPattern(tile, 'repeat')
  result.setTransform(new DOMMatrix().rotate(45))
  return result
}
