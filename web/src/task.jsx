// One task in all runs that are open: who solved it, and by what.
import { useEffect, useState } from 'preact/hooks'
import { asEpisode, columnOf } from './filters.js'
import { fixed, seconds, visible } from './format.js'
import { Verdict } from './judgement.jsx'
import { useKeys } from './keys.jsx'
import { go, link } from './router.js'

export function TaskInRuns({ source, task }) {
  const [data, setData] = useState(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    source.task(task).then(setData, (error) => setProblem(error.message))
  }, [source, task])
  useKeys({ u: () => go([]), Backspace: () => go([]) })
  if (problem) return <p role="alert">{visible(problem)}</p>
  if (!data) return <p class="wait">Loading…</p>
  const found = data.runs.flatMap(({ run, agent, model, scoring, rows }) =>
    rows.map((row) => ({ run, agent, model, scoring, episode: asEpisode(data.columns, row) })),
  )
  return (
    <>
      <h1>{visible(task)} in all runs</h1>
      {!found.length && <p>No open run has played it.</p>}
      <div class="scroll">
        <table class="runs">
          <thead>
            <tr><th scope="col">run</th><th scope="col">agent, model</th><th scope="col">success</th><th scope="col" class="number">reward</th><th scope="col" class="number">turns</th><th scope="col" class="number">time</th><th scope="col">error</th></tr>
          </thead>
          <tbody>
            {found.map(({ run, agent, model, scoring, episode }) => (
              <tr key={`${run} ${episode.key}`}>
                <th scope="row"><a href={link([run, episode.key])}>{visible(run)}{episode.repeat > 0 && `:${episode.repeat}`}</a></th>
                <td>{visible(agent)}{model && `, ${visible(model)}`}</td>
                <td><Verdict value={episode[`success_${columnOf(scoring)}`]} /></td>
                <td class="number">{fixed(episode[columnOf(scoring)])}</td>
                <td class="number">{episode.turns}</td>
                <td class="number">{seconds(episode.seconds)}</td>
                <td>{visible(episode.error ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
