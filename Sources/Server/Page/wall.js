// The grid of a wall: the whole screen, with the largest numbers that fit.

// The room of a tile in units; a unit is the size of its small text. Tall: the range is below the number; flat: beside
// it; wide: charts are beside the numbers. Only a charted tile has the trend.
const PLAIN = [{ shape: 'tall', width: 23.5, height: 19.6 }, { shape: 'flat', width: 27, height: 18.6 }]
const CHARTED = [{ shape: 'tall charted', width: 25, height: 28 }, { shape: 'wide charted', width: 48, height: 18.5 }]
// More queues than these have no charts.
const MOST_CHARTED = 3

// The columns, the shape and the unit in pixels for a number of tiles.
export function wallGrid(count, width, height) {
  const shapes = count > MOST_CHARTED ? PLAIN : CHARTED, choices = []
  for (let columns = 1; columns <= Math.max(1, count); columns++) {
    const [across, down] = [width / columns, height / Math.ceil(count / columns)]
    for (const one of shapes) {
      choices.push({ columns, shape: one.shape, unit: Math.min(across / one.width, down / one.height) })
    }
  }
  return choices.reduce((best, one) => one.unit > best.unit ? one : best)
}

// Keeps the grid of a list of tiles.
export class Wall {
  #list

  constructor(list) {
    this.#list = list
    new ResizeObserver(() => this.arrange()).observe(list)
  }

  arrange() {
    const { clientWidth, clientHeight, children } = this.#list
    const { columns, shape, unit } = wallGrid(children.length, clientWidth, clientHeight)
    this.#list.dataset.shape = shape
    this.#list.style.setProperty('--columns', columns)
    this.#list.style.setProperty('--unit', `${Math.floor(unit * 4) / 4}px`)
  }
}

export const isWall = () => new URLSearchParams(location.search).has('wall')
