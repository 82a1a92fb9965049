// All runs: live ones first, then the latest.
import { useEffect, useState } from 'preact/hooks'
import { count, date, dollars, fixed, percent, plural } from './format.js'
import { go, link } from './router.js'
import { useKeys } from './keys.jsx'
import { visible } from './format.js'

export function Runs({ source, live }) {
  const [data, setData] = useState(null)
  const [problem, setProblem] = useState('')
  const [chosen, setChosen] = useState([])
  const [at, setAt] = useState(0)
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
  const runs = [...(data?.runs ?? [])].sort((a, b) => !!b.activity - !!a.activity || b.started_at - a.started_at)
  const move = (by) => setAt(Math.max(0, Math.min(runs.length - 1, at + by)))
  const open = () => runs[at] && go([runs[at].name])
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: open })
  if (problem) return <p role="alert">{problem}</p>
  if (!data) return <p class="wait">Loading…</p>
  const pick = (name) => setChosen(chosen.includes(name) ? chosen.filter((x) => x !== name) : [...chosen.slice(-1), name])
  return (
    <>
      <h1>Runs</h1>
      <Remarks data={data} />
      {runs.length > 1 && (
        <p class="hint">
          {chosen.length === 2 ? (
            <a class="button" href={link(['~compare', ...chosen])}>Compare {chosen.join(' and ')}</a>
          ) : (
            'Mark two runs to compare them.'
          )}
        </p>
      )}
      <div class="scroll">
        <table class="runs">
          <thead>
            <tr>
              {runs.length > 1 && <th scope="col"><span class="unseen">compare</span></th>}
              {['run', 'agent, model', 'data set', 'episodes', 'success', '95 %', 'reward', 'tokens', 'cost', 'began'].map((name) => (
                <th scope="col" key={name} class={NUMBERS.includes(name) ? 'number' : ''}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run, place) => (
              <Run key={run.name} {...{ run, chosen, pick, selected: place === at, many: runs.length > 1 }} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const NUMBERS = ['episodes', 'success', '95 %', 'reward', 'tokens', 'cost']

function Run({ run, chosen, pick, selected, many }) {
  const { summary, settings, scoring } = run
  const usage = summary.usage
  return (
    <tr class={selected ? 'selected' : ''}>
      {many && (
        <td>
          <input type="checkbox" aria-label={`compare ${run.name}`} checked={chosen.includes(run.name)} onChange={() => pick(run.name)} />
        </td>
      )}
      <th scope="row">
        <a href={link([run.name])}>{visible(run.name)}</a>{' '}
        {run.activity && <span class="tag live">live</span>}
        {run.problems.length > 0 && <span class="tag bad">{plural(run.problems.length, 'bad line')}</span>}
      </th>
      <td>{visible(settings.agent)}{settings.model && `, ${visible(settings.model)}`}</td>
      <td>{visible(settings.dataset)}</td>
      <td class="number">
        {count(summary.episodes)}{run.missing > 0 && ` of ${count(run.planned)}`}
        {summary.errors > 0 && <span class="bad"> {plural(summary.errors, 'error')}</span>}
      </td>
      <td class="number strong">{percent(summary.rate)}</td>
      <td class="number">{summary.rate == null ? '–' : `${(summary.low * 100).toFixed(1)}–${(summary.high * 100).toFixed(1)}`}</td>
      <td class="number">{fixed(summary.rewards[scoring], 3)}</td>
      <td class="number">{usage.prompt_tokens + usage.completion_tokens ? count(usage.prompt_tokens + usage.completion_tokens) : '–'}</td>
      <td class="number">{dollars(usage.cost)}</td>
      <td class="date">{date(run.started_at)}</td>
    </tr>
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
