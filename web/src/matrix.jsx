// Any number of runs: by category, and a line for each task with a column for each run.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { asEpisode, countedOf } from './filters.js'
import { fixed, percent, plural, sharedPrefix, visible } from './format.js'
import { Verdict } from './judgement.jsx'
import { useKeys } from './keys.jsx'
import { wholeTable } from './live.js'
import { go, link } from './router.js'

const MOST_TASKS = 1000

export function useTables(source, runs) {
  const [state, set] = useState({ tables: null, problem: '' })
  useEffect(() => {
    Promise.all(runs.map((run) => wholeTable(source, run))).then((tables) => set({ tables, problem: '' }), (error) => set({ tables: null, problem: error.message }))
  }, [source, runs.join(' ')])
  return state
}

export function Many({ source, runs, query }) {
  const { tables, problem } = useTables(source, runs)
  const scoring = query.scoring || tables?.[0].scoring || 'exact'
  const found = useMemo(() => (tables ? matrixOf(tables, scoring) : null), [tables, scoring])
  useKeys({ u: () => go([]), Backspace: () => go([]) })
  if (problem) return <p role="alert">{visible(problem)}</p>
  if (!found) return <p class="wait">Comparing…</p>
  const lines = found.tasks.filter((each) => !query.differ || new Set(each.rates).size > 1)
  return (
    <>
      <h1>{runs.length} runs</h1>
      <AgainstFirst {...{ source, runs, scoring }} />
      <h2>By category</h2>
      <Rates runs={runs} lines={found.categories} name="category" address={(run, category) => link([run], { category })} />
      <h2>By task</h2>
      <p>
        <a class="button" aria-current={query.differ ? 'true' : undefined} href={link(['~compare', ...runs], { ...query, differ: query.differ ? '' : '1' })}>
          {query.differ ? 'Show all tasks' : 'Only where they differ'}
        </a>{' '}
        <span class="quiet">{plural(lines.length, 'task')}</span>
      </p>
      <Rates runs={runs} lines={lines.slice(0, MOST_TASKS)} name="task" address={(run, task) => link([run, `${task}:0`])} />
      {lines.length > MOST_TASKS && <p class="more">{lines.length - MOST_TASKS} more tasks.</p>}
    </>
  )
}

// Each run against the first, by the test that two runs are compared with.
function AgainstFirst({ source, runs, scoring }) {
  const [first, ...others] = runs
  const [found, setFound] = useState([])
  useEffect(() => {
    const problem = (error) => ({ problem: error.message })
    Promise.all(others.map((run) => source.compare(first, run, scoring).catch(problem))).then(setFound)
  }, [source, runs.join(' '), scoring])
  return (
    <ul class="against">
      {found.map((data, place) => (
        <li key={others[place]}>
          <a href={link(['~compare', first, others[place]])}>{visible(others[place])} against {visible(first)}</a>:{' '}
          {data.problem ? <span class="quiet">{visible(data.problem)}</span> : <Difference data={data} />}
        </li>
      ))}
    </ul>
  )
}

export function Difference({ data }) {
  const points = (value) => fixed(value * 100, 1)
  return (
    <>
      <strong>{data.difference > 0 && '+'}{points(data.difference)} points</strong> of success (95 %: {points(data.low)} to {points(data.high)},{' '}
      {data.p < 0.001 ? 'p < 0.001' : `p = ${fixed(data.p, 3)}`}, {data.procedure})
    </>
  )
}

// Of each category and each task: a value for each run, of the episodes that count.
export function matrixOf(tables, scoring) {
  const columns = tables.map((table) => table.rows.map((row) => asEpisode(table.columns, row)).filter((each) => countedOf(each, scoring) != null))
  const linesOf = (nameOf) => {
    const groups = columns.map((episodes) => groupBy(episodes, nameOf))
    return [...new Set(groups.flatMap((group) => [...group.keys()]))].sort().map((name) => lineOf(name, groups.map((group) => group.get(name) ?? [])))
  }
  const lineOf = (name, tries) => ({
    name,
    rates: tries.map((each) => mean(each.map((one) => Number(countedOf(one, scoring))))),
    turns: tries.map((each) => mean(each.map((one) => one.turns))),
    cost: tries.map((each) => mean(each.map((one) => one.cost))),
  })
  return { categories: [...linesOf((each) => each.category || 'none'), { ...lineOf('all', columns), isAll: true }], tasks: linesOf((each) => each.task) }
}

const mean = (values) => (!values.length || values.includes(null) ? null : values.reduce((sum, each) => sum + each, 0) / values.length)

function groupBy(episodes, nameOf) {
  const groups = new Map()
  for (const each of episodes) {
    const name = nameOf(each)
    if (!groups.has(name)) groups.set(name, [])
    groups.get(name).push(each)
  }
  return groups
}

// One try succeeds or does not; of several it is a share.
export function Rate({ value }) {
  return value === 0 || value === 1 ? <Verdict value={value === 1} long={false} /> : <>{percent(value)}</>
}

export function Rates({ runs, lines, name, address }) {
  const prefix = sharedPrefix(lines.map((line) => line.name))
  const ofTasks = name === 'task'
  return (
    <div class="scroll">
      <table class="pairs">
        <thead><tr><th scope="col">{name}</th>{runs.map((run) => <th scope="col" key={run} class="number"><a href={link([run])}>{visible(run)}</a></th>)}</tr></thead>
        <tbody>
          {lines.map((line) => {
            const called = <>{prefix && <span class="prefix">{visible(prefix)}</span>}{visible(line.name.slice(prefix.length))}</>
            return (
              <tr key={line.isAll ? ' all' : line.name}>
                <th scope="row">{ofTasks ? <a href={link(['~task', line.name])}>{called}</a> : called}</th>
                {line.rates.map((rate, place) => (
                  <td key={place} class="number">
                    {rate == null ? <span class="quiet">–</span> : <a href={address(runs[place], line.isAll ? '' : line.name)}>{ofTasks ? <Rate value={rate} /> : percent(rate)}</a>}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
