// All tries at one task as a tree: they share a node for as long as they did the same and came to the same state. What a
// search tried and did not take hangs beside.
import { useEffect, useState } from 'preact/hooks'
import { Verdict } from './judgement.jsx'
import { fixed, plural, visible } from './format.js'
import { useKeys } from './keys.jsx'
import { go, keyOf, link } from './router.js'
import { start } from './text.jsx'

const MOST = 200

export function tree(episodes) {
  const root = { children: [], episodes: episodes.map((each) => each.key), rewards: [] }
  for (const { key, run, episode } of episodes) {
    let node = root
    episode.turns.forEach((turn, place) => {
      const name = JSON.stringify([turn.action.kind, start(turn.action.text), turn.state_hash])
      let next = node.children.find((each) => each.name === name)
      if (!next) {
        next = { name, turn, number: place + 1, children: [], episodes: [], rewards: [] }
        node.children.push(next)
      }
      for (const trial of turn.trials ?? []) {
        if (trial.chosen || node.children.some((each) => each.trial && start(each.trial.action.text) === start(trial.action.text))) continue
        node.children.push({ name: `trial ${node.children.length}`, trial, number: place + 1, children: [], episodes: [], rewards: [trial.reward] })
      }
      next.episodes.push(key)
      next.rewards.push(episode.scores?.exact?.value ?? null)
      node = next
    })
    node.endings = [...(node.endings ?? []), { key, run, episode }]
  }
  return root
}

export function Branches({ source, run, task }) {
  const [state, set] = useState({ root: null, problem: '', left: 0 })
  useEffect(() => {
    const load = async () => {
      const { runs } = await source.task(task)
      const own = runs.filter((each) => each.run === run)
      const tries = [...own, ...runs.filter((each) => each.run !== run)].flatMap(({ run: name, rows }) => rows.map((row) => [name, row[1]]))
      const found = []
      for (const [name, repeat] of tries.slice(0, MOST)) {
        const { episode } = await source.episode(name, task, repeat)
        found.push({ key: keyOf(task, repeat), run: name, episode })
      }
      if (!found.length) throw new Error(`no episode of ${task} in ${run}`)
      set({ root: tree(found), problem: '', left: tries.length - found.length, tries: found.length })
    }
    load().catch((error) => set({ root: null, problem: error.message, left: 0 }))
  }, [source, run, task])
  useKeys({ u: () => go([run]), Backspace: () => go([run]) })
  if (state.problem) return <p role="alert">{visible(state.problem)}</p>
  if (!state.root) return <p class="wait">Loading…</p>
  return (
    <>
      <h1>{visible(task)}</h1>
      <p>{plural(state.tries, 'try', 'tries')}, of all open runs. Those that did the same and came to the same state share a line.</p>
      <p class="quiet">Each line: the turn, the action, the mean reward of the tries that took it, and the state it led to. A line branches where tries part; ✓ and ✗ are how they ended.</p>
      {state.left > 0 && <p class="remark">{state.left} more tries are left out.</p>}
      <Nodes nodes={state.root.children} run={run} label={`tree of ${task}`} />
    </>
  )
}

function Nodes({ nodes, run, label }) {
  if (!nodes.length) return null
  return (
    <ul class="tree" aria-label={label}>
      {nodes.map((node) => <Node key={node.name} node={node} run={run} />)}
    </ul>
  )
}

const mean = (values) => {
  const known = values.filter((value) => value != null)
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null
}

// A line of tries that stay together is not indented: only where they part the tree grows to the right.
function Node({ node, run }) {
  const chain = [node]
  while (chain.at(-1).children.length === 1 && !chain.at(-1).endings) chain.push(chain.at(-1).children[0])
  return (
    <li>
      {chain.map((each) => <Step key={each.name} node={each} run={run} />)}
      <Nodes nodes={chain.at(-1).children} run={run} />
    </li>
  )
}

function Step({ node, run }) {
  const action = node.trial?.action ?? node.turn.action
  const text = action.kind === 'execute' ? start(action.text) : `${action.kind} ${start(action.text)}`
  const first = text.trim().split('\n')[0]
  return (
    <div class={`node ${node.trial ? 'trial' : ''}`}>
      <span class="number quiet">{node.number}</span>
      <code>{visible(first.slice(0, 160))}{(first.length > 160 || text.trim().includes('\n')) && ' …'}</code>
      <span class="reward">{fixed(mean(node.rewards))}</span>
      {node.trial ? <span class="quiet">tried, not taken</span> : <span class="hash">{node.turn.state_hash?.slice(0, 8)}</span>}
      {node.episodes.length > 1 && <span class="quiet">{plural(node.episodes.length, 'try', 'tries')}</span>}
      {node.endings?.map(({ key, run: owner, episode }) => (
        <span key={`${owner} ${key}`} class="ending">
          <a href={link([owner, key])}>{owner === run ? '' : visible(owner)}:{episode.repeat}</a> <Verdict value={episode.scores?.exact?.success ?? null} />
        </span>
      ))}
    </div>
  )
}
