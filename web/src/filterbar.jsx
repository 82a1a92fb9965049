// The filters above the table. What is chosen goes into the address at once.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { columnOf, distinct } from './filters.js'
import { errorClass, visible } from './format.js'
import { link } from './router.js'

const FIELDS = ['query', 'action', 'observation', 'thought']
const RANGES = [['', 'reward', '0.01'], ['turns_', 'turns', '1'], ['seconds_', 'seconds', 'any'], ['tokens_', 'tokens', '1'], ['cost_', 'cost', 'any']]

export function FilterBar({ query, set, episodes, notes, scoring, leading, run }) {
  const [text, setText] = useState(query.q ?? '')
  useEffect(() => setText(query.q ?? ''), [query.q])
  useEffect(() => {
    if (text === (query.q ?? '')) return
    const timer = setTimeout(() => set({ q: text }), 30)
    return () => clearTimeout(timer)
  }, [text])
  const values = useMemo(
    () => ({
      status: distinct(episodes.map((e) => e.status)),
      category: distinct(episodes.map((e) => e.category || 'none')),
      difficulty: distinct(episodes.map((e) => e.difficulty || 'none')),
      error: distinct(episodes.filter((e) => e.error).map((e) => errorClass(e.error))),
      tag: distinct(Object.values(notes).flatMap((note) => note.tags ?? [])),
    }),
    [episodes, notes],
  )
  const active = Object.keys(query).filter((name) => !['scoring', 'sort', 'dir', 'group'].includes(name)).length
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        <span class="unseen">Search in {query.in ?? 'everything'}</span>
        <input type="search" placeholder="Search (/)" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <Choice name="success" options={['yes', 'no', 'unscored']} {...{ query, set }} />
      {['status', 'category', 'difficulty', 'error', 'tag'].map(
        (name) => (values[name].length > 1 || query[name] || (values[name].length && name !== 'status' && name !== 'category' && name !== 'difficulty')) ? <Choice key={name} name={name} options={values[name]} {...{ query, set }} /> : null,
      )}
      <Switch name="disagree" label="scorings disagree" {...{ query, set }} />
      <details class="more-filters" open={RANGES.some(([p]) => query[`${p}min`] || query[`${p}max`]) || undefined}>
        <summary>More</summary>
        <div>
          {RANGES.map(([prefix, label, step]) => (
            <fieldset key={label}>
              <legend>{label}</legend>
              <Bound name={`${prefix}min`} label={`least ${label}`} {...{ step, query, set }} /> –{' '}
              <Bound name={`${prefix}max`} label={`most ${label}`} {...{ step, query, set }} />
            </fieldset>
          ))}
          <label>
            search in{' '}
            <select value={query.in ?? ''} onChange={(event) => set({ in: event.currentTarget.value })}>
              <option value="">everything</option>
              {FIELDS.map((name) => <option key={name}>{name}</option>)}
            </select>
          </label>
          <label>
            success by{' '}
            <select value={scoring} onChange={(event) => set({ scoring: event.currentTarget.value })}>
              <option>exact</option>
              <option>paper</option>
              {columnOf(leading) === 'leading' && <option value={leading}>{visible(leading)}</option>}
            </select>
          </label>
          <Switch name="marked" label="bookmarked or noted" {...{ query, set }} />
        </div>
      </details>
      <Switch name="group" label="by task" {...{ query, set }} />
      {active > 0 && <a class="button" href={link([run], { sort: query.sort, dir: query.dir, group: query.group })}>Clear</a>}
    </form>
  )
}

function Choice({ name, options, query, set }) {
  return (
    <select name={name} aria-label={name} value={query[name] ?? ''} onChange={(event) => set({ [name]: event.currentTarget.value })}>
        <option value="">{name}: any</option>
      {options.map((each) => <option key={each} value={each}>{visible(each)}</option>)}
    </select>
  )
}

function Switch({ name, label, query, set }) {
  return (
    <label class="switch">
      <input type="checkbox" name={name} checked={!!query[name]} onChange={(event) => set({ [name]: event.currentTarget.checked ? '1' : '' })} /> {label}
    </label>
  )
}

function Bound({ name, label, step, query, set }) {
  return (
    <input type="number" name={name} aria-label={label} step={step} min="0" value={query[name] ?? ''} onInput={(event) => set({ [name]: event.currentTarget.value })} />
  )
}
