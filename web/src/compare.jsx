// Two runs on the same tasks: who won what, by category and by task, and what it took.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { dollars, fixed, percent, plural, sharedPrefix, visible } from './format.js'
import { useKeys } from './keys.jsx'
import { Difference, Many, Rate, Rates, matrixOf, useTables } from './matrix.jsx'
import { go, link } from './router.js'
import { SideBySide } from './sidebyside.jsx'

export const KINDS = { both: 'both succeed', won: 'only B succeeds', lost: 'only A succeeds', neither: 'neither succeeds', mixed: 'some tries' }

export function kindOf([, a, b]) {
  if (a === 1 && b === 1) return 'both'
  if (a === 0 && b === 0) return 'neither'
  if (a === 0 && b === 1) return 'won'
  if (a === 1 && b === 0) return 'lost'
  return 'mixed'
}

export function Compare({ source, parts, query, names }) {
  const runs = parts.filter((part) => names.includes(part))
  if (runs.length > 2) return <Many key={runs.join(' ')} source={source} runs={runs} query={query} />
  return <Two source={source} parts={parts} query={query} />
}

function Two({ source, parts, query }) {
  const [a, b, task] = parts
  const [data, setData] = useState(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    setData(null)
    setProblem('')
    if (a && b) source.compare(a, b, query.scoring ?? '').then(setData, (error) => setProblem(error.message))
  }, [source, a, b, query.scoring])
  const up = () => (task ? go(['~compare', a, b], query) : go([]))
  useKeys({ u: up, Backspace: up })
  if (problem) return <p role="alert">{visible(problem)}</p>
  if (!data) return <p class="wait">Comparing…</p>
  if (task) return <SideBySide key={task} {...{ source, a, b, task, query, data }} />
  return <Pairs {...{ source, a, b, data, query }} />
}

const MOST_TASKS = 1000

function Pairs({ source, a, b, data, query }) {
  const pairs = data.pairs.map((pair) => ({ pair, kind: kindOf(pair) }))
  const number = (kind) => pairs.filter((each) => each.kind === kind).length
  const shown = pairs.filter((each) => !query.kind || each.kind === query.kind)
  const cell = (kind) => (
    <td>
      <a href={link(['~compare', a, b], { ...query, kind: query.kind === kind ? '' : kind })} aria-current={query.kind === kind ? 'true' : undefined}>
        <strong>{number(kind)}</strong> {KINDS[kind]}
      </a>
    </td>
  )
  return (
    <>
      <h1>Two runs</h1>
      <dl class="two">
        <div><dt>A</dt><dd><a href={link([a])}>{visible(a)}</a> {percent(data.rates[0])}, reward {fixed(data.rewards[0], 3)}</dd></div>
        <div><dt>B</dt><dd><a href={link([b])}>{visible(b)}</a> {percent(data.rates[1])}, reward {fixed(data.rewards[1], 3)}</dd></div>
      </dl>
      <p>B differs from A by <Difference data={data} />, over {plural(data.tasks, 'task')} by {data.scoring} scoring.</p>
      {data.warning && <p class="remark">{visible(data.warning)}</p>}
      {data.left_out.length > 0 && <p class="quiet">{plural(data.left_out.length, 'task counts', 'tasks count')} in only one of the runs.</p>}
      <div class="scroll">
        <table class="matrix">
          <thead><tr><td /><th scope="col">B succeeds</th><th scope="col">B fails</th></tr></thead>
          <tbody>
            <tr><th scope="row">A succeeds</th>{cell('both')}{cell('lost')}</tr>
            <tr><th scope="row">A fails</th>{cell('won')}{cell('neither')}</tr>
          </tbody>
        </table>
      </div>
      {number('mixed') > 0 && <p><a href={link(['~compare', a, b], { ...query, kind: 'mixed' })}>{number('mixed')} with several tries, of which some succeed</a></p>}
      <ByTask {...{ source, a, b, data, query, shown }} />
    </>
  )
}

// What both took is in their tables, which may be large: the pairs are there before.
function ByTask({ source, a, b, data, query, shown }) {
  const { tables } = useTables(source, [a, b])
  const found = useMemo(() => (tables ? matrixOf(tables, data.scoring) : null), [tables, data.scoring])
  const took = useMemo(() => new Map(found?.tasks.map((each) => [each.name, each])), [found])
  const columns = [['turns', 'turns', (value) => fixed(value, Number.isInteger(value) ? 0 : 1)]]
  if (found?.tasks.some(({ cost }) => cost.some(Boolean))) columns.push(['cost', 'cost', dollars])
  const prefix = sharedPrefix(shown.map(({ pair }) => pair[0]))
  return (
    <>
      {found?.categories.length > 2 && (
        <details class="by-category" open={!query.kind && !matchMedia('(max-width: 640px)').matches}>
          <summary><h2>By category</h2></summary>
          <Rates runs={[a, b]} lines={found.categories} name="category" address={(run, category) => link([run], { category })} />
        </details>
      )}
      <h2>By task</h2>
      <div class="scroll">
        <table class="pairs">
          <thead>
            <tr>
              <th scope="col">task</th>
              {['success', 'reward', ...columns.map(([name]) => name)].flatMap((name) => [
                <th scope="col" class="number" key={name}>{name} A</th>, <th scope="col" class="number" key={`${name} B`}><span class="unseen">{name} </span>B</th>,
              ])}
              <th scope="col">who</th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, MOST_TASKS).map(({ pair, kind }) => (
              <tr key={pair[0]}>
                <th scope="row"><a href={link(['~compare', a, b, pair[0]], query)}>{prefix && <span class="prefix">{visible(prefix)}</span>}{visible(pair[0].slice(prefix.length))}</a></th>
                {pair.slice(1, 3).map((value, place) => <td class="number" key={place}><Rate value={value} /></td>)}
                {pair.slice(3).map((value, place) => <td class="number" key={place + 2}>{fixed(value)}</td>)}
                {columns.flatMap(([name, field, word]) => [0, 1].map((side) => <td class="number" key={`${name} ${side}`}>{word(took.get(pair[0])?.[field][side])}</td>))}
                <td><span class={{ won: 'good', lost: 'bad' }[kind] ?? 'quiet'}>{KINDS[kind]}</span></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length > MOST_TASKS && <p class="more">{shown.length - MOST_TASKS} more tasks: choose a field above.</p>}
    </>
  )
}
