// All runs: live ones first, then the latest, or in the order and the choice that the reader wants.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Command } from './command.jsx'
import { CHOICES, FolderSummary, chosenRuns, tokensOf } from './folder.jsx'
import { count, date, dollars, fixed, percent, plural, sharedPrefix, visible } from './format.js'
import { useKeys } from './keys.jsx'
import { go, link } from './router.js'
import { Settings } from './settings.jsx'
import { Interval } from './summary.jsx'

export function useRuns(source, live) {
  const [data, setData] = useState(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let timer
    const load = () => source.runs().then(setData, (error) => setProblem(error.message))
    load()
    const stop = live.listen((event) => {
      if (event.event === 'open') load()
      if (!event.run || timer) return
      timer = setTimeout(() => {
        timer = undefined
        load()
      }, 300)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [source])
  return { data, problem }
}

const failuresOf = ({ summary }) => summary.counted - summary.successes

// How it went comes first: a phone has room for no more.
const COLUMNS = [
  ['run', (run) => run.name], ['success', (run) => run.summary.rate], ['failed', failuresOf], ['95 %', (run) => run.summary.rate],
  ['episodes', (run) => run.summary.episodes], ['status', (run) => statusOf(run).word],
  ['agent, model', (run) => `${run.settings.agent} ${run.settings.model}`], ['data set', (run) => run.settings.dataset],
  ['reward', (run) => run.summary.rewards[run.scoring]], ['tokens', tokensOf], ['cost', (run) => run.summary.usage.cost], ['began', (run) => run.started_at],
]
const NUMBERS = ['success', 'failed', '95 %', 'episodes', 'reward', 'tokens', 'cost']

// Whether it goes on, is whole, or was stopped with episodes missing.
function statusOf(run) {
  if (run.activity) return { word: 'running', kind: 'live' }
  if (run.missing > 0) return { word: 'stopped', kind: 'warn', why: `${count(run.missing)} of ${plural(run.planned, 'episode')} not played` }
  if (run.summary.errors > 0) return { word: 'errors', kind: 'bad', why: `${plural(run.summary.errors, 'episode')} ended in an error` }
  return { word: 'done', kind: '' }
}

function inOrder(runs, query) {
  const value = COLUMNS.find(([name]) => name === query.sort)?.[1]
  if (!value) return [...runs].sort((a, b) => !!b.activity - !!a.activity || b.started_at - a.started_at)
  const sign = query.dir === 'desc' ? -1 : 1
  return [...runs].sort((a, b) => {
    const [x, y] = [value(a) ?? -Infinity, value(b) ?? -Infinity]
    return sign * (typeof x === 'string' ? x.localeCompare(y, 'en', { numeric: true }) : x - y)
  })
}

export function Runs({ source, live, query }) {
  const { data, problem } = useRuns(source, live)
  const [chosen, setChosen] = useState([])
  const [at, setAt] = useState(0)
  const set = (changes) => go([], { ...query, ...changes }, { replace: true })
  const runs = useMemo(() => inOrder(chosenRuns(data?.runs ?? [], query), query), [data, query])
  const move = (by) => setAt(Math.max(0, Math.min(runs.length - 1, at + by)))
  useKeys({
    j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: () => runs[at] && go([runs[at].name]),
    '/': () => document.querySelector('input[type=search]')?.focus(),
  })
  if (problem) return <p role="alert">{problem}</p>
  if (!data) return <p class="wait">Loading…</p>
  const many = data.runs.length > 1
  const pick = (name) => setChosen(chosen.includes(name) ? chosen.filter((x) => x !== name) : [...chosen, name])
  const picked = chosen.flatMap((name) => runs.filter((run) => run.name === name))
  return (
    <>
      <h1>Runs</h1>
      <Remarks data={data} />
      {many && <FolderSummary {...{ runs: data.runs, chosen: runs, query, set }} />}
      {many && <RunFilters {...{ runs: data.runs, query, set }} />}
      {many && <p class="hint">Mark two runs or more to compare them.</p>}
      {query.group ? (
        Object.entries(groupsOf(runs)).map(([dataset, group]) => (
          <section key={dataset} aria-label={dataset}>
            <h2>{visible(dataset)}</h2>
            <Table {...{ runs: group, query, set, many, chosen, pick, selected: runs[at]?.name }} />
          </section>
        ))
      ) : (
        <Table {...{ runs, query, set, many, chosen, pick, selected: runs[at]?.name }} />
      )}
      {picked.length > 1 && <Chosen picked={picked} />}
      {many && <SearchEverywhere source={source} runs={runs} query={query} set={set} />}
    </>
  )
}

const groupsOf = (runs) => runs.reduce((groups, run) => ({ ...groups, [run.settings.dataset]: [...(groups[run.settings.dataset] ?? []), run] }), {})

function RunFilters({ runs, query, set }) {
  const datasets = [...new Set(runs.map((run) => run.settings.dataset))].sort()
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        <span class="unseen">Filter runs by name, agent, model or data set</span>
        <input type="search" placeholder="Filter (/)" value={query.q ?? ''} onInput={(event) => set({ q: event.currentTarget.value })} />
      </label>
      {datasets.length > 1 && (
        <select aria-label="data set" value={query.dataset ?? ''} onChange={(event) => set({ dataset: event.currentTarget.value })}>
          <option value="">data set: any</option>
          {datasets.map((each) => <option key={each} value={each}>{visible(each)}</option>)}
        </select>
      )}
      {datasets.length > 1 && (
        <label class="switch">
          <input type="checkbox" checked={!!query.group} onChange={(event) => set({ group: event.currentTarget.checked ? '1' : '' })} /> by data set
        </label>
      )}
      {CHOICES.filter((name) => query[name]).map((name) => (
        <button key={name} type="button" onClick={() => set({ [name]: '' })} aria-label={`${name} any`}>{name}: {visible(query[name])} ✕</button>
      ))}
    </form>
  )
}

// It stays in sight, however far down the runs that were marked are.
function Chosen({ picked }) {
  const names = picked.map((run) => run.name)
  return (
    <section class="chosen" aria-label="Marked runs">
      <p><a class="button" href={link(['~compare', ...names])}>Compare {names.length > 2 ? `${names.length} runs` : names.join(' and ')}</a></p>
      <Settings runs={picked} />
    </section>
  )
}

function Table({ runs, query, set, many, chosen, pick, selected }) {
  const sort = (name) => {
    const next = query.sort !== name ? 'asc' : query.dir === 'desc' ? null : 'desc'
    set(next ? { sort: name, dir: next === 'desc' ? 'desc' : '' } : { sort: '', dir: '' })
  }
  const direction = (name) => (query.sort !== name ? 'none' : query.dir === 'desc' ? 'descending' : 'ascending')
  const prefix = sharedPrefix(runs.map((run) => run.name))
  return (
    <div class="scroll">
      <table class="runs">
        <thead>
          <tr>
            {many && <th scope="col"><span class="unseen">compare</span></th>}
            {COLUMNS.map(([name]) => (
              <th scope="col" key={name} class={NUMBERS.includes(name) ? 'number' : ''} aria-sort={direction(name)}>
                <button class="sort" onClick={() => sort(name)}>{name}{{ ascending: ' ▲', descending: ' ▼', none: '' }[direction(name)]}</button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{runs.map((run) => <Run key={run.name} {...{ run, prefix, query, chosen, pick, many, selected: run.name === selected }} />)}</tbody>
      </table>
    </div>
  )
}

function Run({ run, prefix, query, chosen, pick, selected, many }) {
  const { summary, settings, scoring } = run
  const status = statusOf(run)
  const { category, difficulty } = query
  return (
    <tr class={selected ? 'selected' : ''}>
      {many && (
        <td>
          <input type="checkbox" aria-label={`compare ${run.name}`} checked={chosen.includes(run.name)} onChange={() => pick(run.name)} />
        </td>
      )}
      <th scope="row">
        <a href={link([run.name], { category, difficulty })}>{prefix && <span class="prefix">{visible(prefix)}</span>}{visible(run.name.slice(prefix.length))}</a>{' '}
        {run.problems.length > 0 && <span class="tag bad">{plural(run.problems.length, 'bad line')}</span>}
      </th>
      <td class="number strong">{percent(summary.rate)}</td>
      <td class="number">
        {failuresOf(run) ? <a href={link([run.name], { success: 'no', category, difficulty })} aria-label={`the ${count(failuresOf(run))} failed of ${run.name}`}>{count(failuresOf(run))}</a> : '–'}
      </td>
      <td class="number">
        {summary.rate == null ? '–' : (
          <>
            <Interval rate={summary.rate} low={summary.low} high={summary.high} name={run.name} />
            {(summary.low * 100).toFixed(1)}–{(summary.high * 100).toFixed(1)}
          </>
        )}
      </td>
      <td class="number">
        {count(summary.episodes)}{run.missing > 0 && ` of ${count(run.planned)}`}
        {summary.errors > 0 && <a class="bad" href={link([run.name], { status: 'error', category, difficulty })}> {plural(summary.errors, 'error')}</a>}
        {summary.refused > 0 && <a class="bad" href={link([run.name], { status: 'refused', category, difficulty })}> {summary.refused} refused</a>}
      </td>
      <td>{status.word === 'running' ? <span class="tag live">live</span> : <span class={`tag ${status.kind}`} title={status.why}>{status.word}</span>}</td>
      <td>{visible(settings.agent)}{settings.model && `, ${visible(settings.model)}`}</td>
      <td>{visible(settings.dataset)}</td>
      <td class="number">{fixed(summary.rewards[scoring], 3)}</td>
      <td class="number">{tokensOf(run) ? count(tokensOf(run)) : '–'}</td>
      <td class="number">{dollars(summary.usage.cost)}</td>
      <td class="date">{date(run.started_at)}</td>
    </tr>
  )
}

// Above the episodes of one run: how it ended, how to go on with it, and with what it was played.
export function AboutRun({ run }) {
  if (!run) return null
  const status = statusOf(run)
  return (
    <>
      {status.why && (
        <p class="remark">
          <strong>{status.word}</strong>: {status.why}.{run.resume && <> Go on with <Command text={run.resume} /></>}
        </p>
      )}
      <Settings runs={[run]} />
    </>
  )
}

function SearchEverywhere({ source, runs, query, set }) {
  const [found, setFound] = useState(null)
  const [busy, setBusy] = useState(false)
  async function search(event) {
    event.preventDefault()
    setBusy(true)
    const hits = await Promise.all(
      runs.map(async (run) => ({ run: run.name, keys: await source.search(run.name, query.text, 'query,action,observation,thought').catch(() => []) })),
    )
    setFound(hits.filter(({ keys }) => keys.length))
    setBusy(false)
  }
  return (
    <section aria-label="Search everywhere">
      <h2>Search everywhere</h2>
      <form class="filters" onSubmit={search}>
        <input aria-label="Search in the episodes of all runs" value={query.text ?? ''} onInput={(event) => set({ text: event.currentTarget.value })} />
        <button disabled={!query.text || busy}>{busy ? 'Searching…' : 'Search'}</button>
      </form>
      {found && !found.length && <p class="quiet">No episode holds it.</p>}
      {found?.map(({ run, keys }) => (
        <p key={run}>
          <a href={link([run], { q: query.text })}>{visible(run)}</a> <span class="quiet">{plural(keys.length, 'episode')}</span>{' '}
          {keys.slice(0, 5).map((key) => <a key={key} class="tag" href={link([run, key])}>{visible(key)}</a>)}
        </p>
      ))}
    </section>
  )
}

function Remarks({ data }) {
  const lines = [...data.problems, ...data.runs.flatMap((run) => run.problems)]
  return (
    <>
      {data.left_out && <p class="remark">{data.left_out}</p>}
      {lines.length > 0 && (
        <ul class="problems" role="alert">
          {lines.map((line) => <li key={line}>{visible(line)}</li>)}
        </ul>
      )}
    </>
  )
}
