// A run at a glance, drawn from its table: where it succeeds, what it earns, what it costs. A click filters the table.
import { useMemo, useState } from 'preact/hooks'
import { countedOf, isFailure } from './filters.js'
import { count, dollars, errorClass, fixed, percent, seconds, visible } from './format.js'

const Z = 1.96 // of a 95 % interval
const BUCKETS = 10
const MOST_BARS = 6 // of a chart until more are wanted

// Wilson's interval, as the reports have it.
export function wilson(won, of) {
  if (!of) return [0, 1]
  const rate = won / of
  const middle = (rate + (Z * Z) / (2 * of)) / (1 + (Z * Z) / of)
  const half = (Z / (1 + (Z * Z) / of)) * Math.sqrt((rate * (1 - rate)) / of + (Z * Z) / (4 * of * of))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

const judged = (episodes, scoring) => episodes.filter((each) => countedOf(each, scoring) != null)

// A bar for each name: of how many, how many succeeded, and what a click on it chooses.
function rates(episodes, scoring, nameOf, filterOf) {
  const groups = new Map()
  for (const each of judged(episodes, scoring)) {
    const name = String(nameOf(each))
    const group = groups.get(name) ?? { name, won: 0, of: 0, filter: filterOf(name) }
    group.of += 1
    group.won += countedOf(each, scoring) ? 1 : 0
    groups.set(name, group)
  }
  return [...groups.values()]
}

const LEVELS = ['easy', 'medium', 'hard', 'extra']
export const byLevel = (a, b) => LEVELS.indexOf(a.name) - LEVELS.indexOf(b.name)

// A second click on what is chosen takes the choice back.
export const isChosen = ({ filter }, query) => Object.entries(filter).every(([name, value]) => (query[name] ?? '') === value)
export const toggled = (bar, query) => (isChosen(bar, query) ? Object.fromEntries(Object.keys(bar.filter).map((name) => [name, ''])) : bar.filter)

export function Summary({ episodes, scoring, query, set }) {
  const charts = useMemo(() => chartsOf(episodes, scoring), [episodes, scoring])
  if (episodes.length < 2) return null
  const known = judged(episodes, scoring)
  return (
    <Charts {...{ ...charts, query, set }} headline={<Headline won={known.filter((each) => countedOf(each, scoring)).length} of={known.length} />}>
      <Totals episodes={episodes} scoring={scoring} />
    </Charts>
  )
}

// Charts of rates and of counts, as [title, bars]; those that would have one bar say nothing.
export function Charts({ headline, rates, counts, query, set, children }) {
  const click = (bar) => set(toggled(bar, query))
  return (
    <details class="summary" open={!matchMedia('(max-width: 640px)').matches}>
      <summary><h2>Summary</h2> {headline}</summary>
      <div class="charts">
        {rates.filter(([, bars]) => bars.length > 1).map(([title, bars]) => <Rates key={title} {...{ title, bars, query, click }} />)}
        {counts.filter(([, bars]) => bars.length).map(([title, bars]) => <Counts key={title} {...{ title, bars, query, click }} />)}
        {children}
      </div>
    </details>
  )
}

function chartsOf(episodes, scoring) {
  const spread = (name, prefix, word) => [name, bucketsOf(episodes.map((each) => each[name]), prefix, word)]
  return {
    rates: [
      ['success by category', rates(episodes, scoring, (e) => e.category || 'none', (category) => ({ category })).sort((a, b) => b.of - a.of)],
      ['success by difficulty', rates(episodes, scoring, (e) => e.difficulty || 'none', (difficulty) => ({ difficulty })).sort(byLevel)],
      ['success by turns used', rates(episodes, scoring, (e) => e.turns, (n) => ({ turns_min: n, turns_max: n })).sort((a, b) => a.name - b.name)],
    ],
    counts: [
      [`reward (${scoring})`, rewards(episodes, scoring)],
      ['errors', errors(episodes)],
      spread('seconds', 'seconds_', (value) => seconds(value)),
      spread('tokens', 'tokens_', count),
      spread('cost', 'cost_', (value) => `$${value}`),
    ],
  }
}

const MOST_BUCKETS = 6

// How many values lie between round numbers; nothing where all are alike.
function bucketsOf(values, prefix, word) {
  const known = values.filter((value) => value > 0)
  if (!known.length) return []
  const [low, high] = known.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, 0])
  const [first, last] = [low, high].map((value) => Math.floor(Math.log10(value)))
  const boundsOf = (steps) => {
    const all = Array.from({ length: last - first + 2 }, (_, n) => steps.map((step) => Number((step * 10 ** (first + n)).toPrecision(1)))).flat()
    return all.slice(Math.max(0, all.findLastIndex((bound) => bound <= low)), all.findIndex((bound) => bound > high) + 1)
  }
  const fine = boundsOf([1, 2, 5])
  const bounds = fine.length <= MOST_BUCKETS + 1 ? fine : boundsOf([1])
  if (bounds.length < 3) return []
  return bounds.slice(0, -1).map((bound, place) => {
    const end = bounds[place + 1]
    return {
      name: `${word(bound)} to ${word(end)}`,
      number: known.filter((value) => value >= bound && value < end).length,
      filter: { [`${prefix}min`]: String(bound), [`${prefix}max`]: String(Number((end * 0.9999).toPrecision(5))) },
    }
  })
}

function rewards(episodes, scoring) {
  const values = episodes.map((each) => each[scoring]).filter((value) => value != null)
  if (!values.length) return []
  const place = (value) => Math.max(0, Math.min(BUCKETS, Math.floor(value * BUCKETS)))
  const numbers = Array.from({ length: BUCKETS + 1 }, () => 0)
  for (const value of values) numbers[place(value)] += 1
  return numbers.flatMap((number, at) => (number ? [{
    name: at === BUCKETS ? '1' : `${fixed(at / BUCKETS, 1)} to ${fixed((at + 1) / BUCKETS, 1)}`,
    number,
    filter: { min: String(at / BUCKETS), max: at === BUCKETS ? '' : String(at / BUCKETS + 0.0999) },
  }] : [])).reverse()
}

// By message, in which numbers and paths do not count.
const cluster = (error) => error.replace(/(?:\/[\w.-]+)+/g, '…').replace(/\d+/g, '#').slice(0, 90)

function errors(episodes) {
  const groups = new Map()
  for (const { error } of episodes) {
    if (!error) continue
    const name = cluster(error)
    const group = groups.get(name) ?? { name, number: 0, filter: { error: errorClass(error) } }
    group.number += 1
    groups.set(name, group)
  }
  return [...groups.values()].sort((a, b) => b.number - a.number)
}

export function Headline({ won, of }) {
  const [low, high] = wilson(won, of)
  return <span><strong>{percent(of ? won / of : null)}</strong> succeeded <span class="quiet">({count(won)} of {count(of)}; 95 %: {percent(low)} to {percent(high)})</span></span>
}

// The first bars, and a button for the others.
function useFew(bars) {
  const [all, setAll] = useState(false)
  const more = bars.length > MOST_BARS && <button class="more" onClick={() => setAll(!all)}>{all ? 'fewer' : `${bars.length - MOST_BARS} more`}</button>
  return [all ? bars : bars.slice(0, MOST_BARS), more]
}

function Rates({ title, bars, query, click }) {
  const [shown, more] = useFew(bars)
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <table>
        <tbody>
          {shown.map((bar) => (
            <tr key={bar.name} aria-current={isChosen(bar, query) ? 'true' : undefined}>
              <th scope="row"><button onClick={() => click(bar)}>{visible(bar.name)}</button></th>
              <td><Interval name={bar.name} rate={bar.won / bar.of} low={wilson(bar.won, bar.of)[0]} high={wilson(bar.won, bar.of)[1]} /></td>
              <td class="number">{percent(bar.won / bar.of)}</td>
              <td class="number quiet">{bar.won} of {bar.of}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </figure>
  )
}

export function Interval({ rate, low, high, name }) {
  const label = `${name}: ${percent(rate)}, 95 % interval ${percent(low)} to ${percent(high)}`
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      <rect class="track" width="100" height="10" />
      <rect class="value" width={100 * rate} height="10" />
      <rect class="interval" x={100 * low} y="4" width={Math.max(0.5, 100 * (high - low))} height="2" />
    </svg>
  )
}

function Counts({ title, bars, query, click }) {
  const [shown, more] = useFew(bars)
  const most = Math.max(...bars.map((bar) => bar.number), 1)
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <table>
        <tbody>
          {shown.map((bar) => (
            <tr key={bar.name} aria-current={isChosen(bar, query) ? 'true' : undefined}>
              <th scope="row"><button onClick={() => click(bar)}>{visible(bar.name)}</button></th>
              <td>
                <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={`${bar.name}: ${count(bar.number)} episodes`}>
                  <rect class="track" width="100" height="10" />
                  <rect class="value" width={(100 * bar.number) / most} height="10" />
                </svg>
              </td>
              <td class="number">{count(bar.number)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </figure>
  )
}

const middle = (values) => (values.length ? [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] : null)

function Totals({ episodes, scoring }) {
  const failures = episodes.filter((each) => isFailure(each, scoring)).length
  const tokens = episodes.reduce((sum, each) => sum + (each.tokens ?? 0), 0)
  const cost = episodes.reduce((sum, each) => (sum == null || each.cost == null ? null : sum + each.cost), 0)
  const lines = [
    ['episodes', count(episodes.length)],
    ['failures', count(failures)],
    ['turns, median', count(middle(episodes.map((each) => each.turns)))],
    ['time, median', seconds(middle(episodes.map((each) => each.seconds)))],
    ...(tokens ? [['tokens', count(tokens)], ['tokens an episode', count(Math.round(tokens / episodes.length))], ['cost', dollars(cost)]] : []),
  ]
  return (
    <figure class="chart">
      <figcaption>in all</figcaption>
      <table><tbody>{lines.map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td class="number">{value}</td></tr>)}</tbody></table>
    </figure>
  )
}
