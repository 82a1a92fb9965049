// Which episodes are shown, and in what order. All of it is in the address, so that it can be sent to others.
import { errorClass } from './format.js'
import { keyOf } from './router.js'

const RANGES = { '': 'value', turns_: 'turns', seconds_: 'seconds', tokens_: 'tokens', cost_: 'cost' }

export function episodesOf(table) {
  return table.rows.map((row) => asEpisode(table.columns, row))
}

export function asEpisode(columns, row) {
  const episode = {}
  columns.forEach((name, place) => (episode[name] = row[place]))
  episode.key = keyOf(episode.task, episode.repeat)
  return episode
}

// Whoever gives up has not succeeded; what broke has neither.
export const columnOf = (scoring) => (['exact', 'paper'].includes(scoring) ? scoring : 'leading') // any other has judged where it leads
export const successOf = (episode, scoring) => episode[`success_${columnOf(scoring)}`] ?? (episode.status === 'skipped' ? false : null)
// The same where the episode counts for a rate, as in the reports: a task that is left out of scores does not.
export const countedOf = (episode, scoring) => (episode.excluded ? null : successOf(episode, scoring))
export const isFailure = (episode, scoring) => ['error', 'refused'].includes(episode.status) || successOf(episode, scoring) === false

// The world's own two rewards, where both have judged.
export const disagrees = (e) => e.success_exact != null && e.success_paper != null && e.success_exact !== e.success_paper

function test(query, scoring, notes, found) {
  const tests = []
  const equal = (name, value) => query[name] && tests.push((e) => value(e) === query[name])
  equal('status', (e) => e.status)
  equal('category', (e) => e.category || 'none')
  equal('difficulty', (e) => e.difficulty || 'none')
  equal('error', (e) => errorClass(e.error))
  equal('success', (e) => ({ true: 'yes', false: 'no' })[successOf(e, scoring)] ?? 'unscored')
  if (query.disagree) tests.push(disagrees)
  if (query.marked) tests.push((e) => notes[e.key]?.bookmark || notes[e.key]?.text)
  if (query.tag) tests.push((e) => notes[e.key]?.tags?.includes(query.tag))
  for (const [prefix, name] of Object.entries(RANGES)) {
    const value = (e) => (name === 'value' ? e[columnOf(scoring)] : e[name]) ?? NaN
    const [low, high] = [query[`${prefix}min`], query[`${prefix}max`]]
    if (low) tests.push((e) => value(e) >= Number(low))
    if (high) tests.push((e) => value(e) <= Number(high))
  }
  if (found) tests.push((e) => found.has(e.key))
  return (episode) => tests.every((each) => each(episode))
}

const collator = new Intl.Collator('en', { numeric: true })

function order(a, b) {
  if (a == null || b == null) return a == null ? (b == null ? 0 : 1) : -1 // what is not there comes last
  return typeof a === 'string' ? collator.compare(a, b) : a - b
}

export function chosen(episodes, query, scoring, notes, found) {
  const kept = episodes.filter(test(query, scoring, notes, found))
  if (query.sort) {
    const sign = query.dir === 'desc' ? -1 : 1
    const value = (e) => (query.sort === 'success' ? successOf(e, scoring) : e[query.sort])
    kept.sort((a, b) => {
      const [x, y] = [value(a), value(b)]
      return x == null || y == null ? order(x, y) : sign * order(x, y)
    })
  }
  return kept
}

// The same with a line before all tries at one task.
export function grouped(episodes, scoring) {
  const groups = new Map()
  for (const episode of episodes) groups.set(episode.task, [...(groups.get(episode.task) ?? []), episode])
  return [...groups].flatMap(([task, tries]) => [
    { group: task, tries: tries.length, won: tries.filter((e) => successOf(e, scoring)).length },
    ...tries,
  ])
}

export const distinct = (values) => [...new Set(values)].sort(collator.compare)
