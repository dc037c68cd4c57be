// How the server made each number, in a sentence or two.

import { duration, openRange, percent, plural, waitTime } from './words.js'

export function lengthReason(queue) {
  const { length, coverage } = queue
  const interval = `In 9 of 10 cases, between ${length.low} and ${length.high} people are there.` +
    (coverage && length.high > Math.round(length.people)
      ? ' More people without a beacon may be there, and a beacon nearby may be in line: the range ends above the ' +
        'estimate.' : '') +
    (length.low < length.tags ? ' A beacon near the line may be a passer-by’s: the range begins below the number ' +
      'of beacons.' : '')
  const delay = 'A person who has just joined is counted some seconds later.'
  if (length.tags === 0) return [`No beacon is in line. ${delay}`, interval]
  if (!coverage) return [`${plural(length.tags, 'beacon is', 'beacons are')} in line. People without a beacon are ` +
    `not counted. ${delay}`, interval]
  return [`${plural(length.tags, 'beacon is', 'beacons are')} in line, and ${share(coverage)} carry one. ` +
    `${length.tags} divided by ${Math.round(coverage.percent)} % is about ${Math.round(length.people)}. ${delay}`,
      interval]
}

export function waitReason(queue) {
  const { wait } = queue
  const range = wait.learning ? '' : ' The wait of 9 in 10 people should lie in the range.'
  return [`A forecast from the people in line, and from the times between those who left lately. A wait includes the ` +
    `time at the till.${range}`, forecastScore(wait)]
}

// The server's means are those of the last forecasts, of this number at most.
const MOST_SCORED = 200

// "Past forecasts: off by ½ minute, at a mean wait of 3½ minutes"; empty while they are too few.
export const pastError = wait => !wait || wait.learning || !wait.scored || wait.meanErrorMs === null ? ''
  : `Past forecasts: off by ${waitTime(wait.meanErrorMs)}, at a mean wait of ${waitTime(wait.meanWaitMs)}`

// How good the last forecasts were.
export function forecastScore(wait) {
  if (wait.scored === 0 || wait.meanErrorMs === null) return 'No forecast has been compared with a wait yet: the ' +
    'range is a guess.'
  const learning = wait.learning ? ' These are few: the range is a guess.' : ''
  return `The last ${plural(Math.min(wait.scored, MOST_SCORED), 'forecast')} missed by ${waitTime(wait.meanErrorMs)} ` +
    `on average, with a mean wait of ${waitTime(wait.meanWaitMs)}; ${percent(wait.inInterval)} came within their ` +
    `range.${learning}`
}

export const tillsReason = 'A till is open if a person with a beacon was served there in the last 5 minutes. While ' +
  'people are in line, at least one till counts as open.'

export const trendReason = 'The mean number of people in each of the last 30 minutes. A hatched minute is unknown.'

export const selfCheckReason = 'By Little’s law, the sum of all waits equals the number of people in line, summed ' +
  'over time. The server computes both sums in different ways, and they must not differ by a millisecond.'

export function leaversReason({ leavers, throughput }) {
  const rate = throughput ? ` That is ${Math.round(throughput.perHour)} an hour (${Math.floor(throughput.low)} to ` +
    `${Math.ceil(throughput.high)}).` : ''
  const waited = (ms, lowMs, highMs) => `${waitTime(ms)} ${openRange({ ms, lowMs, highMs })}`
  const waits = Number.isFinite(leavers.medianMs)
    ? `Half of those who were served waited longer than ` +
      `${waited(leavers.medianMs, leavers.medianLowMs, leavers.medianHighMs)}, ` +
      `one in ten longer than ${waited(leavers.p90Ms, leavers.p90LowMs, leavers.p90HighMs)}.` : ''
  return [`People with a beacon who left the queue in the last ${duration(leavers.sinceMs)}. In 9 of 10 cases, ` +
    `between ${leavers.servedLow} and ` +
    `${leavers.servedHigh} were served.${rate} Few of those who give up are recognised.`, waits]
}

// "30 % of people (25 to 35 %)".
export function share({ percent, lowPercent, highPercent }) {
  const interval = lowPercent < highPercent ? ` (${Math.floor(lowPercent)} to ${Math.ceil(highPercent)} %)` : ''
  return `${Math.round(percent)} % of people${interval}`
}

export function coverageSentence(queue) {
  const { coverage } = queue
  if (!coverage) return `${queue.queue}: lengths count people with a beacon only, since the share of people who ` +
    `carry one is not known.`
  const source = coverage.source === 'receipts' ? 'counted from the tills’ receipts' : 'as configured'
  return `${queue.queue}: ${share(coverage)} carry a beacon, ${source}.`
}
