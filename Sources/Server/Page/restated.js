// What has changed in a minute that was published before: by late messages, or in hindsight.

import { exactDuration, plural, unlessAll } from './words.js'

// The values of a minute that differ from those first published, as the page shows them, and who sent messages later;
// empty if none does.
// Its forecast is not restated: a forecast is what was shown at the time.
export function restatement(minute) {
  const { restated, length, coverage, waits } = minute
  if (!restated) return ''
  const known = (value, text) => Number.isFinite(value) ? text(value) : 'unknown'
  if (!hasOtherNumbers(minute)) return length ? ['first unknown', ...late(minute)].join('; ') : ''
  const count = value => String(Math.round(value))
  const pairs = [
    [`people${unlessAll(coverage)}`, restated.people, length?.people, count],
    ['served', restated.served, minute.served, count], ['gave up', restated.abandoned, minute.abandoned, count],
    ['median wait', restated.medianMs, waits?.medianMs ?? null, exactDuration],
    // A store of an earlier version does not have the first value.
  ].filter(([, first]) => first !== undefined)
  const changed = pairs.map(([name, first, now, text]) => [name, known(first, text), known(now, text)])
    .filter(([, first, now]) => first !== now)
    .map(([name, first, now]) => `${name} first ${first}, now ${now}`)
  return changed.length ? [...changed, ...late(minute)].join('; ') : ''
}

// Whether a minute had other numbers when it was first published. One that was unknown then had none.
export const hasOtherNumbers = ({ restated }) => Number.isFinite(restated?.people) || Number.isFinite(restated?.served)

const late = minute => lateGateways(minute).map(({ gateway, ms }) => lateWords(gateway, ms))

// The gateways that were unknown for a longer time when the minute was first published: they sent the rest later.
export function lateGateways({ restated, reasons }) {
  const unknown = (list, name) => (list ?? []).filter(({ gateway, state }) => gateway === name && state === 'unknown')
    .reduce((sum, { ms }) => sum + ms, 0)
  return [...new Set((restated?.reasons ?? []).map(({ gateway }) => gateway))]
    .map(gateway => ({ gateway, ms: unknown(restated.reasons, gateway) - unknown(reasons, gateway) }))
      .filter(({ ms }) => ms > 0)
}

export const lateWords = (gateway, ms) => `${plural(Math.round(ms / 1000), 'second')} of ${gateway} came late`

// Whether a restated minute has other leavers than first published. A store of an earlier version does not have the
// first numbers.
export const hasOtherLeavers = ({ restated, served, abandoned, waits }) => restated.served !== undefined &&
  (restated.served !== served || restated.abandoned !== abandoned || restated.medianMs !== (waits?.medianMs ?? null))
