// The episodes of a run: a table of any length, of which only what is in sight is drawn.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { FilterBar } from './filterbar.jsx'
import { chosen, disagrees, episodesOf, grouped, isFailure, successOf } from './filters.js'
import { count, date, dollars, errorClass, fixed, plural, seconds, sharedPrefix, visible } from './format.js'
import { Verdict } from './judgement.jsx'
import { useKeys } from './keys.jsx'
import { useTable } from './live.js'
import { useNotes } from './notes.jsx'
import { go, link } from './router.js'
import { AboutRun, useRuns } from './runs.jsx'
import { Summary } from './summary.jsx'

const COLUMNS = [
  ['task', 'episode'], ['status', 'status'], ['success', 'success'], ['exact', 'exact'], ['paper', 'paper'],
  ['category', 'category'], ['difficulty', 'difficulty'], ['turns', 'turns'], ['failed', 'failed actions'],
  ['seconds', 'time'], ['tokens', 'tokens'], ['cost', 'cost'], ['error', 'error'],
]
const NUMBERS = new Set(['exact', 'paper', 'turns', 'failed', 'seconds', 'tokens', 'cost'])
const HEIGHT = 34
const last = new Map() // by run, the episode that was selected last: who comes back finds it again

export function useShown(source, run, query, live) {
  const state = useTable(source, run, live)
  const scoring = query.scoring || state.table?.scoring || 'exact'
  const found = useSearch(source, run, query, state.table)
  const { notes, write, problem: noteProblem } = useNotes(source, run)
  const episodes = useMemo(() => (state.table ? episodesOf(state.table) : []), [state.table])
  const shown = useMemo(() => chosen(episodes, query, scoring, notes, found.keys), [episodes, query, notes, found.keys])
  return { ...state, scoring, notes, write, noteProblem, episodes, shown, searching: found.busy, problem: state.problem || found.problem }
}

function useSearch(source, run, query, table) {
  const [state, set] = useState({ keys: null, busy: false, problem: '' })
  const where = query.in || 'query,action,observation,thought'
  useEffect(() => {
    if (!query.q) return set({ keys: null, busy: false, problem: '' })
    let over = false
    set((old) => ({ ...old, busy: true }))
    source.search(run, query.q, where).then(
      (keys) => over || set({ keys: new Set(keys), busy: false, problem: '' }),
      (error) => over || set({ keys: new Set(), busy: false, problem: error.message }),
    )
    return () => (over = true)
  }, [source, run, query.q, where, table?.count])
  return state
}

export function Episodes({ source, run, query, live }) {
  const state = useShown(source, run, query, live)
  const { table, scoring, shown, episodes, notes, write } = state
  const { data } = useRuns(source, live)
  const lines = useMemo(() => (query.group ? grouped(shown, scoring) : shown), [shown, query.group, scoring])
  const [at, setAt] = useState(0)
  const view = useRef(null)
  const set = (changes) => go([run], { ...query, ...changes }, { replace: true })
  const select = (place) => {
    setAt(place)
    last.set(run, lines[place]?.key)
    view.current?.reveal(place)
  }
  useEffect(() => {
    const place = lines.findIndex((line) => line.key && line.key === last.get(run))
    if (place > 0) select(place)
  }, [!table])
  const move = (by) => {
    let place = at + by
    while (lines[place]?.group) place += by
    if (lines[place]) select(place)
  }
  const open = (episode) => episode?.key && go([run, episode.key], query)
  const nextFailure = () => {
    const place = lines.findIndex((line, number) => number > at && line.key && isFailure(line, scoring))
    if (place >= 0) select(place)
  }
  const mark = () => lines[at]?.key && write(lines[at].key, { bookmark: !notes[lines[at].key]?.bookmark })
  useKeys({
    j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1),
    Enter: () => open(lines[at]), f: nextFailure, b: mark, u: () => go([]), Backspace: () => go([]),
    '/': () => document.querySelector('input[type=search]')?.focus(),
  })
  if (state.problem && !table) return <p role="alert">{state.problem}</p>
  if (!table) return <p class="wait">Loading…</p>
  const hidden = new Set(COLUMNS.map(([name]) => name).filter((name) => isEmpty(name, episodes)))
  return (
    <>
      <h1 class="unseen">Episodes of {run}</h1>
      <Activity activity={state.activity} stored={table.rows.length} />
      {state.problem && <p role="alert">{state.problem}</p>}
      <AboutRun run={data?.runs.find((each) => each.name === run)} />
      <Summary {...{ episodes, scoring, query, set }} />
      <FilterBar {...{ source, query, set, episodes, notes, scoring, leading: table.scoring, run }} />
      <p class="hint" role="status" aria-live="polite" id="shown">
        {table.more ? 'reading… ' : state.searching ? 'searching… ' : ''}
        {plural(shown.length, 'episode')}{shown.length < episodes.length && ` of ${count(episodes.length)}`},{' '}
        {plural(shown.filter((e) => successOf(e, scoring)).length, 'success', 'successes')},{' '}
        {plural(shown.filter((e) => isFailure(e, scoring)).length, 'failure')}
      </p>
      <VirtualTable
        {...{ run, query, lines, scoring, notes, write, at, setAt: select, hidden, set, view, canWrite: source.canWrite, many: data?.runs.length > 1 }}
      />
    </>
  )
}

const OPTIONAL = { category: (e) => e.category, difficulty: (e) => e.difficulty, tokens: (e) => e.tokens, cost: (e) => e.cost !== 0, error: (e) => e.error, failed: (e) => e.failed }
const isEmpty = (name, episodes) => OPTIONAL[name] && !episodes.some(OPTIONAL[name])

function Activity({ activity, stored }) {
  const [now, setNow] = useState(Date.now() / 1000)
  useEffect(() => {
    if (!activity) return
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000)
    return () => clearInterval(timer)
  }, [!activity])
  if (!activity) return null
  return (
    <section class="activity" aria-label="What is going on">
      <p>
        <span class="tag live">live</span> {count(activity.finished)} of {count(activity.total)} finished, {count(stored)} stored
      </p>
      <progress max={activity.total} value={activity.finished} aria-label="finished episodes" />
      <ul>
        {activity.workers.map((each) => (
          <li key={`${each.task}:${each.repeat}`}>
            {visible(String(each.task))}{each.repeat > 0 && `:${each.repeat}`}{' '}
            <span class="quiet">
              {each.turn ? `turn ${each.turn}` : 'being made ready'}, {seconds(Math.max(0, now - (each.since ?? now)))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function VirtualTable({ run, query, lines, scoring, notes, write, at, setAt, hidden, set, view, canWrite, many }) {
  const box = useRef(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  useEffect(() => {
    const measure = () => box.current && setHeight(box.current.clientHeight)
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  view.current = {
    reveal(place) {
      const { scrollTop, clientHeight } = box.current
      const y = place * HEIGHT
      if (y < scrollTop + HEIGHT) box.current.scrollTop = Math.max(0, y - HEIGHT)
      else if (y + 3 * HEIGHT > scrollTop + clientHeight) box.current.scrollTop = y + 3 * HEIGHT - clientHeight
    },
  }
  const first = Math.max(0, Math.floor(top / HEIGHT) - 8)
  const end = Math.min(lines.length, first + Math.ceil(height / HEIGHT) + 20)
  const columns = COLUMNS.filter(([name]) => !hidden.has(name))
  const prefix = useMemo(() => sharedPrefix(lines.filter((line) => line.key).map((line) => line.task)), [lines])
  const sort = (name) => {
    const next = query.sort !== name ? 'asc' : query.dir === 'desc' ? null : 'desc'
    set(next ? { sort: name, dir: next === 'desc' ? 'desc' : '' } : { sort: '', dir: '' })
  }
  const direction = (name) => (query.sort !== name ? 'none' : query.dir === 'desc' ? 'descending' : 'ascending')
  return (
    <div class="virtual" ref={box} onScroll={(event) => setTop(event.currentTarget.scrollTop)} tabIndex={0} role="region" aria-label="Episodes">
      <div role="table" aria-label="Episodes" aria-rowcount={lines.length + 1} class="grid" style={{ '--columns': columns.map(([n]) => WIDTHS[n] ?? '5.5rem').join(' ') }}>
        <div role="rowgroup" class="head">
          <div role="row" class="row" aria-rowindex={1}>
            <span role="columnheader" class="cell mark"><span class="unseen">bookmark</span></span>
            {columns.map(([name, label]) => (
              <span role="columnheader" key={name} class={`cell ${name}`} aria-sort={direction(name)}>
                <button onClick={() => sort(name)}>
                  {label}{{ ascending: ' ▲', descending: ' ▼', none: '' }[direction(name)]}
                </button>
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="body" style={{ height: `${lines.length * HEIGHT}px` }}>
          {lines.slice(first, end).map((line, offset) => {
            const place = first + offset
            const style = { transform: `translateY(${place * HEIGHT}px)` }
            if (line.group) return <Group key={`group ${line.group}`} {...{ line, run, place, style, span: columns.length }} />
            return (
              <Row key={line.key} {...{ line, prefix, place, style, run, query, columns, scoring, note: notes[line.key], write, canWrite, many }}
                selected={place === at} select={() => setAt(place)} />
            )
          })}
        </div>
      </div>
    </div>
  )
}

const WIDTHS = { task: 'minmax(12rem, 3fr)', error: 'minmax(8rem, 2fr)', category: '7rem', failed: '7.5rem', status: '6rem', paper: '4.5rem', exact: '4.5rem', turns: '4.5rem', cost: '5rem' }

function Group({ line, run, place, style, span }) {
  return (
    <div role="row" class="row group" style={style} aria-rowindex={place + 2}>
      <span role="cell" class="cell" aria-colspan={span + 1}>
        {visible(line.group)} <span class="quiet">{line.won} of {plural(line.tries, 'try', 'tries')} succeeded</span>{' '}
        <a href={link([run, '~tree', line.group])}>tree</a>
      </span>
    </div>
  )
}

function Row({ line, prefix, place, style, run, query, columns, scoring, note, write, canWrite, many, selected, select }) {
  return (
    <div role="row" class={`row ${selected ? 'selected' : ''}`} style={style} aria-rowindex={place + 2} aria-current={selected ? 'true' : undefined} onClick={select}>
      <span role="cell" class="cell mark">
        <button disabled={!canWrite} aria-pressed={!!note?.bookmark} aria-label={`bookmark ${line.key}`} onClick={() => write(line.key, { bookmark: !note?.bookmark })}>
          {note?.bookmark ? '★' : '☆'}
        </button>
      </span>
      {columns.map(([name]) => (
        <span role="cell" key={name} class={`cell ${name} ${NUMBERS.has(name) ? 'number' : ''}`}>
          {cell(name, line, { run, query, scoring, note, prefix, many })}
        </span>
      ))}
    </div>
  )
}

function cell(name, line, { run, query, scoring, note, prefix, many }) {
  switch (name) {
    case 'task':
      return (
        <>
          <a href={link([run, line.key], query)} title={`${visible(line.task)}: ${visible(line.query)}`}>{prefix && <span class="prefix">{visible(prefix)}</span>}{visible(line.task.slice(prefix.length))}{line.repeat > 0 && `:${line.repeat}`}</a>
          {disagrees(line) && <span class="tag warn" title="the two scorings disagree">≠</span>}
          {note?.tags?.map((tag) => <span class="tag" key={tag}>{visible(tag)}</span>)}
          {note?.text && <span title={visible(note.text)}> ✎</span>}
          {many && <a class="everywhere" href={link(['~task', line.task])} aria-label={`${line.task} in all runs`}>in all runs</a>}
        </>
      )
    case 'status':
      return <span class={`status ${line.status}`}>{line.status}</span>
    case 'success':
      return <Verdict value={successOf(line, scoring)} />
    case 'exact':
    case 'paper':
      return fixed(line[name])
    case 'seconds':
      return seconds(line.seconds)
    case 'cost':
      return dollars(line.cost)
    case 'error':
      return line.error && <span title={visible(line.error)}>{visible(errorClass(line.error))}</span>
    case 'started_at':
      return date(line.started_at)
    case 'category':
    case 'difficulty':
      return visible(line[name])
    default:
      return count(line[name])
  }
}
