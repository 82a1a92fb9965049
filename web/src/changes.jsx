// What a turn changed in the world, and how the agent left it beside how the gold does.
import { useState } from 'preact/hooks'
import { Diff, counts } from './diff.jsx'
import { plural, visible } from './format.js'
import { Ansi, Code } from './spans.jsx'
import { LongText } from './text.jsx'

const KINDS = { file: 'file', table: 'table', variable: 'variable', shell: 'shell’s' }

export function useChanges(source, run, task, repeat) {
  const [state, set] = useState({ changes: null, doing: '', problem: '' })
  async function load() {
    if (state.doing || state.changes) return
    set({ changes: null, doing: 'playing the episode again…', problem: '' })
    try {
      const tell = (event) =>
        set((old) => ({ ...old, doing: event.message ?? `playing the episode again: step ${event.turn} of ${event.turns}` }))
      set({ changes: await source.changes(run, task, repeat, tell), doing: '', problem: '' })
    } catch (error) {
      set({ changes: null, doing: '', problem: error.message })
    }
  }
  return { ...state, load }
}

export function TurnChanges({ found }) {
  if (!found) return null
  const main = found.changes.filter((each) => !each.is_by_product)
  const others = found.changes.filter((each) => each.is_by_product)
  return (
    <section class="changes" aria-label={`What turn ${found.number} changed`}>
      {!found.agrees && <p class="remark">Played again, this turn led to another state than the one stored.</p>}
      {found.note && <p class="remark">{found.note}</p>}
      {!found.changes.length && !found.note && <p class="quiet">changed nothing</p>}
      <ByFolder changes={main} draw={(each) => <Change key={`${each.kind} ${each.name}`} change={each} open={main.length <= 3} />} />
      {others.length > 0 && (
        <details>
          <summary>{plural(others.length, 'by-product')} (caches, git’s own files)</summary>
          {others.map((each) => <Change key={each.name} change={each} />)}
        </details>
      )}
    </section>
  )
}

const FEW = 8 // changes that are listed one by one

const folderOf = ({ kind, name }) => (kind === 'file' && name.includes('/') ? name.slice(0, name.lastIndexOf('/')) || '/' : '')

// Many changes are folded by the folders that they lie in.
function ByFolder({ changes, draw }) {
  if (changes.length <= FEW) return <>{changes.map(draw)}</>
  const folders = new Map()
  for (const each of changes) folders.set(folderOf(each), [...(folders.get(folderOf(each)) ?? []), each])
  return (
    <>
      {[...folders].map(([folder, inside]) => (folder === '' || inside.length === 1 ? inside.map(draw) : (
        <Folder key={folder} {...{ folder, inside, draw }} />
      )))}
    </>
  )
}

function Folder({ folder, inside, draw }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="change" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary><code>{visible(folder)}/</code> <span class="quiet">{plural(inside.length, 'change')}: {summaryOf(inside)}</span></summary>
      {open && inside.map(draw)}
    </details>
  )
}

function summaryOf(changes) {
  const verbs = changes.map(verb)
  return ['added', 'changed', 'removed'].map((each) => [verbs.filter((one) => one === each).length, each]).filter(([number]) => number).map(([number, each]) => `${number} ${each}`).join(', ')
}

const verb = ({ before, after }) => (!before ? 'added' : !after ? 'removed' : 'changed')

function Change({ change, open = false, labels }) {
  const [isOpen, setOpen] = useState(open)
  const { before, after } = change
  const has = before?.text != null || after?.text != null
  const numbers = has ? counts(before?.text, after?.text) : null
  return (
    <details class="change" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class={`verb ${verb(change)}`}>{labels ? '' : verb(change)}</span> {KINDS[change.kind]} <code>{visible(change.name)}</code>
        {numbers && <span class="counts"> <span class="good">+{numbers[0]}</span> <span class="bad">−{numbers[1]}</span></span>}
      </summary>
      {isOpen && (
        <>
          <About before={before} after={after} labels={labels} />
          {has && <Diff before={before?.text} after={after?.text} labels={labels} />}
        </>
      )}
    </details>
  )
}

function About({ before, after, labels = ['before', 'after'] }) {
  if (before?.about === after?.about) return <p class="quiet">{visible(after?.about ?? '')}</p>
  return (
    <p class="quiet">
      {before ? `${labels[0]}: ${visible(before.about)}` : `${labels[0]}: not there`}
      {'; '}
      {after ? `${labels[1]}: ${visible(after.about)}` : `${labels[1]}: not there`}
    </p>
  )
}

// Every name that either ending differs in from the beginning.
function beside(agent, gold) {
  const name = (each) => `${each.kind} ${each.name}`
  const theirs = new Map(gold.changes.map((each) => [name(each), each]))
  const mine = new Map(agent.changes.map((each) => [name(each), each]))
  return [...new Set([...mine.keys(), ...theirs.keys()])].map((each) => {
    const [a, g] = [mine.get(each), theirs.get(each)]
    const known = a ?? g
    // What only one of them changed is in the other as it was at the beginning.
    const left = a ? a.after : g.before
    const right = g ? g.after : a.before
    const same = left?.text === right?.text && (left?.about ?? '') === (right?.about ?? '')
    const who = !g ? 'only the agent changed it' : !a ? 'only the gold changes it' : same ? 'both the same' : 'both, differently'
    return { kind: known.kind, name: known.name, before: right, after: left, who, same, is_by_product: known.is_by_product }
  })
}

function Beside({ each, open }) {
  return (
    <div>
      <span class={each.same ? 'good' : 'bad'}>{each.who}</span>
      <Change change={each} open={open} labels={['gold', 'agent']} />
    </div>
  )
}

export function Endings({ changes, world }) {
  const [number, setNumber] = useState(0)
  const { agent, golds } = changes
  if (!agent || !golds.length) return <p class="quiet">There is no gold to put beside the ending.</p>
  const gold = golds[Math.min(number, golds.length - 1)]
  const all = beside(agent, gold)
  const lines = all.filter((each) => !each.is_by_product || !each.same)
  const differing = lines.filter((each) => !each.same)
  return (
    <section class="endings" aria-label="The agent’s ending beside the gold’s">
      <h3>The agent’s ending beside the gold’s</h3>
      {golds.length > 1 && (
        <p>
          {golds.map((each, place) => (
            <button key={place} aria-pressed={place === number} onClick={() => setNumber(place)}>gold {place + 1}</button>
          ))}
        </p>
      )}
      <p>
        {agent.state_hash === gold.state_hash ? (
          <span class="good">The states are equal.</span>
        ) : (
          <span class="bad">The states differ{differing.length > 0 && ` in ${plural(differing.length, 'thing')}`}.</span>
        )}
      </p>
      <div class="sides">
        <div>
          <h4>agent’s last observation</h4>
          <LongText value={agent.observation.text} label="agent’s last observation">{(text) => <Ansi text={text} />}</LongText>
        </div>
        <div>
          <h4>gold’s</h4>
          <LongText value={gold.observation.text} label="gold’s last observation">{(text) => <Ansi text={text} />}</LongText>
        </div>
      </div>
      {agent.observation.text !== gold.observation.text && (
        <details>
          <summary>the two observations as a diff, from the gold’s to the agent’s</summary>
          <Diff before={gold.observation.text} after={agent.observation.text} labels={['gold', 'agent']} />
        </details>
      )}
      <div class="beside">
        <ByFolder changes={differing} draw={(each) => <Beside key={`${each.kind} ${each.name}`} {...{ each, open: differing.length <= 3 }} />} />
        {differing.length < lines.length && (
          <details>
            <summary class="good">{plural(lines.length - differing.length, 'change')} that both made alike</summary>
            <ByFolder changes={lines.filter((each) => each.same)} draw={(each) => <Beside key={`${each.kind} ${each.name}`} {...{ each, open: false }} />} />
          </details>
        )}
      </div>
      <details>
        <summary>the gold itself</summary>
        <pre tabIndex={0} aria-label="gold"><Code text={gold.action} language={world} /></pre>
      </details>
    </section>
  )
}
