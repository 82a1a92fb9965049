// Two runs on the same tasks: who won what, and two episodes side by side.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useEpisode } from './episode.jsx'
import { Verdict } from './episodes.jsx'
import { fixed, percent, plural, visible } from './format.js'
import { useKeys } from './keys.jsx'
import { go, link } from './router.js'
import { Ansi, Code } from './spans.jsx'
import { Episode, LongText, start } from './text.jsx'

const KINDS = { both: 'both succeed', won: 'only B succeeds', lost: 'only A succeeds', neither: 'neither succeeds', mixed: 'some tries' }

function kindOf([, a, b]) {
  if (a === 1 && b === 1) return 'both'
  if (a === 0 && b === 0) return 'neither'
  if (a === 0 && b === 1) return 'won'
  if (a === 1 && b === 0) return 'lost'
  return 'mixed'
}

export function Compare({ source, parts, query }) {
  const [a, b, task] = parts
  const [data, setData] = useState(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    setData(null)
    setProblem('')
    if (a && b) source.compare(a, b, query.scoring ?? 'exact').then(setData, (error) => setProblem(error.message))
  }, [source, a, b, query.scoring])
  const up = () => (task ? go(['~compare', a, b], query) : go([]))
  useKeys({ u: up, Backspace: up })
  if (problem) return <p role="alert">{visible(problem)}</p>
  if (!data) return <p class="wait">Comparing…</p>
  if (task) return <SideBySide key={task} {...{ source, a, b, task, query, data }} />
  return <Matrix {...{ a, b, data, query }} />
}

function Matrix({ a, b, data, query }) {
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
      <p>
        B differs from A by <strong>{fixed(data.difference * 100, 1)} points</strong> of success (95 %: {fixed(data.low * 100, 1)} to{' '}
        {fixed(data.high * 100, 1)}, p = {fixed(data.p, 3)}, {data.procedure}), over {plural(data.tasks, 'task')} by {data.scoring} scoring.
      </p>
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
      <div class="scroll">
        <table class="pairs">
          <thead>
            <tr><th scope="col">task</th><th scope="col">who</th><th scope="col" class="number">success A</th><th scope="col" class="number">B</th><th scope="col" class="number">reward A</th><th scope="col" class="number">B</th></tr>
          </thead>
          <tbody>
            {shown.slice(0, 1000).map(({ pair, kind }) => (
              <tr key={pair[0]}>
                <th scope="row"><a href={link(['~compare', a, b, pair[0]], query)}>{visible(pair[0])}</a></th>
                <td><span class={{ won: 'good', lost: 'bad' }[kind] ?? 'quiet'}>{KINDS[kind]}</span></td>
                {pair.slice(1).map((value, place) => <td class="number" key={place}>{fixed(value)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length > 1000 && <p class="more">{shown.length - 1000} more tasks: choose a field above.</p>}
    </>
  )
}

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

function SideBySide({ source, a, b, task, query, data }) {
  const [left, right] = [useEpisode(source, a, task, Number(query.ra ?? 0)), useEpisode(source, b, task, Number(query.rb ?? 0))]
  const tasks = useMemo(() => data.pairs.map(([name]) => name), [data])
  const step = (by) => {
    const next = tasks[tasks.indexOf(task) + by]
    if (next) go(['~compare', a, b, next], { ...query, ra: '', rb: '' })
  }
  const choose = (side, repeat) => go(['~compare', a, b, task], { ...query, [side ? 'rb' : 'ra']: repeat === '0' ? '' : repeat }, { replace: true })
  useKeys({ n: () => step(1), p: () => step(-1), j: () => step(1), k: () => step(-1) })
  if (left.problem || right.problem) return <p role="alert">{visible(left.problem || right.problem)}</p>
  if (!left.episode || !right.episode) return <p class="wait">Loading…</p>
  const apart = divergence(left.episode, right.episode)
  const turns = Math.max(left.episode.turns.length, right.episode.turns.length)
  return (
    <>
      <h1>{visible(task)}</h1>
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
            <Verdict value={episode.scores?.[data.scoring]?.success ?? null} /> {fixed(episode.scores?.[data.scoring]?.value)}
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
    </>
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
