// One task in two runs: two episodes side by side, where they part, and what their endings differ in.
import { useMemo } from 'preact/hooks'
import { useChanges } from './changes.jsx'
import { KINDS, kindOf } from './compare.jsx'
import { Diff } from './diff.jsx'
import { useEpisode } from './episode.jsx'
import { count, dollars, fixed, plural, visible } from './format.js'
import { Verdict, noteText } from './judgement.jsx'
import { useKeys } from './keys.jsx'
import { go, link } from './router.js'
import { Ansi, Code } from './spans.jsx'
import { Episode, LongText, start } from './text.jsx'

// The first turn in which the two did not do the same, or did not come to the same state; -1 where there is none.
export function divergence(a, b) {
  const turns = Math.max(a.turns.length, b.turns.length)
  for (let place = 0; place < turns; place++) {
    const [x, y] = [a.turns[place], b.turns[place]]
    if (!x || !y) return { place, why: 'one goes on and the other has ended' }
    if (x.action.kind !== y.action.kind || start(x.action.text) !== start(y.action.text)) return { place, why: 'another action' }
    if (x.state_hash && y.state_hash && x.state_hash !== y.state_hash) return { place, why: 'the same action, another state' }
  }
  return null
}

export function SideBySide({ source, a, b, task, query, data }) {
  const [left, right] = [useEpisode(source, a, task, Number(query.ra ?? 0)), useEpisode(source, b, task, Number(query.rb ?? 0))]
  const tasks = useMemo(() => data.pairs.filter((pair) => !query.kind || kindOf(pair) === query.kind).map(([name]) => name), [data, query.kind])
  const at = tasks.indexOf(task)
  const step = (by) => {
    const next = tasks[at + by]
    if (next) go(['~compare', a, b, next], { ...query, ra: '', rb: '' })
  }
  const choose = (side, repeat) => go(['~compare', a, b, task], { ...query, [side ? 'rb' : 'ra']: repeat === '0' ? '' : repeat }, { replace: true })
  useKeys({
    n: () => step(1), p: () => step(-1), j: () => step(1), k: () => step(-1), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
  })
  if (left.problem || right.problem) return <p role="alert">{visible(left.problem || right.problem)}</p>
  if (!left.episode || !right.episode) return <p class="wait">Loading…</p>
  const apart = divergence(left.episode, right.episode)
  const turns = Math.max(left.episode.turns.length, right.episode.turns.length)
  return (
    <>
      <header class="about">
        <div class="walk">
          <button disabled={at <= 0} onClick={() => step(-1)} aria-label="task before (←)">←</button>
          <span class="quiet">{count(at + 1)} of {count(tasks.length)}{query.kind ? `: ${KINDS[query.kind]}` : ' tasks'}</span>
          <button disabled={at + 1 >= tasks.length} onClick={() => step(1)} aria-label="next task (→)">→</button>
        </div>
        <h1>{visible(task)}</h1>
        <p><a href={link(['~task', task])}>in all runs</a></p>
      </header>
      <div class="query"><LongText value={left.episode.task.query} label="query">{(text) => visible(text)}</LongText></div>
      <p>{apart ? `They part in turn ${apart.place + 1}: ${apart.why}.` : 'Both did the same.'}</p>
      <div class="sides heads">
        {[[a, left], [b, right]].map(([run, { episode, repeats = [] }], side) => (
          <p key={side}>
            {repeats.length > 1 && (
              <select aria-label={`repeat of ${'AB'[side]}`} value={episode.repeat} onChange={(event) => choose(side, event.currentTarget.value)}>
                {repeats.map((each) => <option key={each} value={each}>repeat {each}</option>)}
              </select>
            )}{' '}
            {'AB'[side]} <a href={link([run, `${task}:${episode.repeat}`])}>{visible(run)}</a>{' '}
            <Verdict value={episode.scores?.[data.scoring]?.success ?? null} /> {fixed(episode.scores?.[data.scoring]?.value)},{' '}
            {plural(episode.turns.length, 'turn')}{episode.usage?.cost ? `, ${dollars(episode.usage.cost)}` : ''}
            <br />
            <span class="quiet">{(episode.scores?.[data.scoring]?.notes ?? []).map((note) => visible(noteText(note))).join('; ') || visible(start(episode.error))}</span>
          </p>
        ))}
      </div>
      <ol class="turns pairwise">
        {Array.from({ length: turns }, (_, place) => (
          <li key={place} class={`turn ${apart?.place === place ? 'parting' : ''}`}>
            {apart?.place === place && <p class="parting-line" id="divergence">they part here: {apart.why}</p>}
            <div class="sides">
              {[[a, left], [b, right]].map(([run, { episode }], side) => (
                <Side key={side} {...{ source, run, task, episode, place }} />
              ))}
            </div>
          </li>
        ))}
      </ol>
      <TwoEndings {...{ source, a, b, task, left, right }} />
    </>
  )
}

// What the two left, compared: their answers at once, their states after both were played again.
function TwoEndings({ source, a, b, task, left, right }) {
  const [mine, theirs] = [useChanges(source, a, task, left.episode.repeat), useChanges(source, b, task, right.episode.repeat)]
  const [before, after] = [left, right].map(({ episode }) => start(episode.turns.findLast((turn) => turn.action.kind === 'execute')?.observation.text))
  const load = () => Promise.all([mine.load(), theirs.load()])
  const doing = mine.doing || theirs.doing
  const problem = mine.problem || theirs.problem
  return (
    <section class="endings" aria-label="The two endings">
      <h2>The two endings</h2>
      {before === after ? <p class="quiet">Both showed the same at last.</p> : <Diff before={before} after={after} labels={['A', 'B']} />}
      {mine.changes && theirs.changes ? (
        <States mine={mine.changes.agent} theirs={theirs.changes.agent} />
      ) : (
        <p class="replay">
          <button onClick={load} disabled={!!doing}>What did each leave?</button> {doing && <span role="status" class="doing">{doing}</span>}
          {problem && <span role="alert">{visible(problem)}</span>}
        </p>
      )}
    </section>
  )
}

function States({ mine, theirs }) {
  const name = (each) => `${each.kind} ${each.name}`
  const ofA = new Map((mine?.changes ?? []).map((each) => [name(each), each]))
  const ofB = new Map((theirs?.changes ?? []).map((each) => [name(each), each]))
  const differing = [...new Set([...ofA.keys(), ...ofB.keys()])].filter((each) => {
    const [x, y] = [ofA.get(each), ofB.get(each)]
    const [left, right] = [x ? x.after : y.before, y ? y.after : x.before]
    return left?.text !== right?.text || left?.about !== right?.about
  })
  if (!differing.length) return <p class="good">Both left the same.</p>
  return (
    <ul class="beside">
      {differing.map((each) => {
        const [x, y] = [ofA.get(each), ofB.get(each)]
        const [left, right] = [x ? x.after : y.before, y ? y.after : x.before]
        return (
          <li key={each}>
            <code>{visible(each)}</code> <span class="quiet">A: {visible(left?.about ?? 'not there')}; B: {visible(right?.about ?? 'not there')}</span>
            {(left?.text != null || right?.text != null) && <Diff before={left?.text} after={right?.text} labels={['A', 'B']} />}
          </li>
        )
      })}
    </ul>
  )
}

function Side({ source, run, task, episode, place }) {
  const turn = episode.turns[place]
  if (!turn) return <p class="quiet">ended: {episode.status}</p>
  return (
    <Episode.Provider value={{ source, run, task, repeat: episode.repeat }}>
      <div>
        <p class="line"><a href={link([run, `${task}:${episode.repeat}`, String(place + 1)])}>turn {place + 1}</a> <span class="hash">{turn.state_hash?.slice(0, 8)}</span></p>
        {turn.action.kind === 'execute' ? (
          <LongText value={turn.action.text} label={`action of turn ${place + 1}`} class="action">{(text) => <Code text={text} language={episode.task.world} />}</LongText>
        ) : (
          <p class="move">{turn.action.kind} {visible(start(turn.action.text))}</p>
        )}
        <LongText value={turn.observation.text} label={`observation of turn ${place + 1}`} class="observation">{(text) => <Ansi text={text} />}</LongText>
      </div>
    </Episode.Provider>
  )
}
