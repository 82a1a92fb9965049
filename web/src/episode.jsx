// One episode: what was asked, turn by turn what was done and seen, and how it was judged.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Endings, useChanges } from './changes.jsx'
import { Command } from './command.jsx'
import { isFailure } from './filters.js'
import { useShown } from './episodes.jsx'
import { count, date, dollars, seconds, visible } from './format.js'
import { Judgement, VerdictLine } from './judgement.jsx'
import { useKeys } from './keys.jsx'
import { Note } from './notes.jsx'
import { go, link, parse, taskOf } from './router.js'
import { Episode, LongText } from './text.jsx'
import { Timeline } from './timeline.jsx'
import { Turn, conversations } from './turn.jsx'

export function useEpisode(source, run, task, repeat, again) {
  const [state, set] = useState({ episode: null, commands: {}, problem: '' })
  useEffect(() => {
    let over = false
    source.episode(run, task, repeat).then(
      (found) => over || set({ ...found, problem: '' }),
      (error) => over || set({ episode: null, commands: {}, problem: error.message }),
    )
    return () => (over = true)
  }, [source, run, task, repeat, again])
  return state
}

export function EpisodeView({ source, run, episode: key, turn, live }) {
  const { task, repeat } = taskOf(key)
  const { query } = parse(location.hash)
  const list = useShown(source, run, query, live)
  const place = list.shown.findIndex((each) => each.key === key)
  const { episode, commands, model_options: options, problem } = useEpisode(source, run, task, repeat, list.shown[place]?.started_at)
  const changes = useChanges(source, run, task, repeat)
  const at = useRef(turn)
  const toTurn = (number) => {
    if (!episode || number < 1 || number > episode.turns.length) return
    at.current = number
    go([run, key, String(number)], query, { replace: true })
    reveal(number)
  }
  const toEpisode = (by) => list.shown[place + by] && go([run, list.shown[place + by].key], query)
  const nextFailure = () => {
    const next = list.shown.find((each, number) => number > place && isFailure(each, list.scoring))
    if (next) go([run, next.key], query)
  }
  const up = () => go([run], query)
  useKeys({
    j: () => toTurn(at.current + 1), k: () => toTurn(at.current - 1),
    ArrowDown: () => toTurn(at.current + 1), ArrowUp: () => toTurn(at.current - 1),
    n: () => toEpisode(1), p: () => toEpisode(-1), f: nextFailure, c: changes.load, u: up, Backspace: up,
    b: () => list.write(key, { bookmark: !list.notes[key]?.bookmark }), '/': up,
  })
  useLayoutEffect(() => { // not useEffect: it would undo what the next key, pressed soon, has done
    at.current = turn
  }, [episode, turn])
  useEffect(() => {
    if (episode && turn) reveal(turn)
  }, [episode, turn])
  useEffect(() => {
    if (episode && !source.canReplay) changes.load()
  }, [episode])
  const where = useMemo(() => ({ source, run, task, repeat, options }), [source, run, task, repeat, options])
  if (problem) return <p role="alert">{problem}</p>
  if (!episode) return <p class="wait">Loading…</p>
  return (
    <Episode.Provider value={where}>
      <article class="episode">
        <Heading {...{ episode, run, query, place, list, toEpisode }} />
        <Note note={list.notes[key]} write={(note) => list.write(key, note)} problem={list.noteProblem} canWrite={source.canWrite} />
        <Timeline episode={episode} toTurn={toTurn} current={turn} />
        <ChangesButton {...{ changes, source, episode }} />
        <Turns {...{ episode, changes: changes.changes, current: turn, run, taskKey: key, commands }} />
        <Judgement episode={episode} scoring={list.scoring} />
        {changes.changes && <Endings changes={changes.changes} world={episode.task.world} />}
        <Commands commands={commands} turn={turn} turns={episode.turns.length} />
      </article>
    </Episode.Provider>
  )
}

function reveal(number) {
  document.getElementById(`turn-${number}`)?.scrollIntoView({ block: 'start' })
}

function Heading({ episode, run, query, place, list, toEpisode }) {
  const { task } = episode
  const tries = list.episodes.filter((each) => each.task === task.id).length
  return (
    <header class="about">
      <div class="walk">
        <button disabled={place <= 0} onClick={() => toEpisode(-1)} aria-label="episode before (p)">←</button>
        <span class="quiet">{place >= 0 ? `${count(place + 1)} of ${count(list.shown.length)}` : 'not among those filtered'}</span>
        <button disabled={place < 0 || place + 1 >= list.shown.length} onClick={() => toEpisode(1)} aria-label="next episode (n)">→</button>
      </div>
      <h1>{visible(task.id)}{episode.repeat > 0 && `:${episode.repeat}`}</h1>
      <VerdictLine episode={episode} scoring={list.scoring} />
      <p class="facts">
        <span class={`status ${episode.status}`}>{episode.status}</span>
        {[task.world, task.category, task.difficulty].filter(Boolean).map((each) => <span class="tag" key={each}>{visible(each)}</span>)}
        <span>played by {visible(episode.agent)}</span>
        <span>{date(episode.started_at)}</span>
        <span>{seconds(episode.seconds)}</span>
        {episode.usage?.prompt_tokens > 0 && (
          <span>{count(episode.usage.prompt_tokens)} + {count(episode.usage.completion_tokens)} tokens, {dollars(episode.usage.cost)}</span>
        )}
        <span class="quiet">{visible(episode.image ?? '')}</span>
        <a href={link(['~task', task.id])}>in all runs</a>
        {(tries > 1 || episode.turns.some((turn) => turn.trials?.length)) && <a href={link([run, '~tree', task.id], query)}>tree</a>}
      </p>
      <div class="query"><LongText value={task.query} label="query">{(text) => visible(text)}</LongText></div>
      {episode.error && <p role="alert" class="bad">{visible(typeof episode.error === 'string' ? episode.error : episode.error.$text)}</p>}
    </header>
  )
}

function ChangesButton({ changes, source, episode }) {
  if (changes.changes) {
    const differing = changes.changes.turns.filter((each) => !each.agrees).length
    return differing ? <p class="remark">Played again, {differing} of {episode.turns.length} turns led to another state than the one stored.</p> : null
  }
  if (!source.canReplay) return changes.problem ? <p role="alert">{visible(changes.problem)}</p> : null
  return (
    <div class="replay">
      <button onClick={changes.load} disabled={!!changes.doing}>What did each turn change? (c)</button>
      {changes.doing && <span role="status" class="doing">{changes.doing}</span>}
      {changes.problem && <p role="alert">{visible(changes.problem)}</p>}
    </div>
  )
}

function Turns({ episode, changes, current, run, taskKey, commands }) {
  const told = useMemo(() => conversations(episode), [episode])
  const first = useMemo(() => firstSeen(episode), [episode])
  return (
    <ol class="turns">
      {episode.turns.map((turn, place) => (
        <Turn
          key={place}
          {...{ turn, number: place + 1, world: episode.task.world, told: told[place], current: current === place + 1 }}
          before={episode.turns[place - 1]}
          same={first[place]}
          found={changes?.turns[place]}
          link={link([run, taskKey, String(place + 1)], parse(location.hash).query)}
          command={commands.play?.replace(/ K$/, ` ${place + 1}`)}
        />
      ))}
    </ol>
  )
}

// For each turn the first one after which the world was in the same state; 0 where it is that one itself.
function firstSeen(episode) {
  const seen = new Map()
  return episode.turns.map((turn, place) => {
    if (!turn.state_hash) return 0
    if (seen.has(turn.state_hash)) return seen.get(turn.state_hash)
    seen.set(turn.state_hash, place + 1)
    return 0
  })
}

const WORDS = { show: 'show it in a terminal', replay: 'play it again and compare', verify: 'certify that it is the same', play: 'go on from a turn yourself' }

function Commands({ commands, turn, turns }) {
  if (!commands || !Object.keys(commands).length) return null
  return (
    <section class="commands" aria-label="Go on from here">
      <h2>Go on from here</h2>
      <dl>
        {Object.entries(commands).map(([name, text]) => (
          <div key={name}>
            <dt>{WORDS[name]}</dt>
            <dd><Command text={text.replace(/ K$/, ` ${turn || turns}`)} /></dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
