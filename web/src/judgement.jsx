// How an episode was judged: the verdict in one line, then each reward with its parts.
import { fixed, visible } from './format.js'
import { start } from './text.jsx'

// The published reward of Bash is the sum of three parts; all others are shares of 1.
const PARTS = {
  file_diff: ['changed files', 0.33],
  file_changes: ['contents of changed files', 0.33],
  answer_similarity: ['similarity of the answer', 0.33],
  state: ['state', 1],
  answer: ['answer', 1],
  rows: ['rows', 1],
  columns: ['columns', 1],
  order: ['order of rows', 1],
}

const OTHER_WORDS = { error: 'not judged', refused: 'refused by the model', skipped: 'given up', truncated: 'out of turns' }

export function Verdict({ value, long = true }) {
  if (value == null) return <span class="quiet">–</span>
  if (!long) return value ? <span class="good" title="succeeded">✓</span> : <span class="bad" title="failed">✗</span>
  return value ? <span class="good">✓ yes</span> : <span class="bad">✗ no</span>
}

export const noteText = (note) => (typeof note === 'string' ? note : note.$text)

// The notes of the leading score; where there are none, the part that earned least.
function reasonOf(score) {
  if (!score || score.success) return ''
  if (score.notes?.length) return noteText(score.notes[0])
  const parts = Object.entries(score.parts ?? {}).filter(([name, value]) => value < maximum(name))
  const [worst] = parts.sort((a, b) => a[1] / maximum(a[0]) - b[1] / maximum(b[0]))
  return worst ? `${wordsOf(worst[0])}: ${fixed(worst[1])} of ${maximum(worst[0])}` : ''
}

const maximum = (name) => PARTS[name]?.[1] ?? 1
const wordsOf = (name) => PARTS[name]?.[0] ?? name.replaceAll('_', ' ')

export function VerdictLine({ episode, scoring }) {
  const { scores, status } = episode
  const leading = scores?.[scoring] ?? Object.values(scores ?? {})[0]
  const outcome = leading ? (leading.success ? 'succeeded' : 'failed') : OTHER_WORDS[status] ?? 'not judged'
  const kind = leading?.success ? 'good' : leading || status === 'error' ? 'bad' : 'quiet'
  const reason = leading ? reasonOf(leading) : episode.error && start(episode.error)
  return (
    <p class="verdict" id="verdict">
      <strong class={kind}>{leading ? (leading.success ? '✓ ' : '✗ ') : ''}{outcome}</strong>
      {ordered(scores, scoring).map(([name, score]) => <span key={name}>{visible(name)} {fixed(score.value)}</span>)}
      {reason && <button class="why" onClick={() => document.getElementById('scores')?.scrollIntoView()} title="go to the scores">{visible(reason.slice(0, 160))}</button>}
    </p>
  )
}

const ordered = (scores, first) => Object.entries(scores ?? {}).sort(([a], [b]) => (b === first) - (a === first) || (a < b ? -1 : 1))

export function Judgement({ episode, scoring }) {
  if (!episode.scores) return <p class="quiet" id="scores">This ending was not judged.</p>
  const { exact, paper } = episode.scores
  return (
    <section class="judgement" aria-label="Scores" id="scores">
      <h2>Scores</h2>
      {exact && paper && exact.success !== paper.success && <p class="remark">The two scorings disagree.</p>}
      <div class="sides">
        {ordered(episode.scores, scoring).map(([name, score]) => <Score key={name} name={name} score={score} />)}
      </div>
    </section>
  )
}

function Score({ name, score }) {
  return (
    <div class="score">
      <h3>{visible(name)} {fixed(score.value)} <Verdict value={score.success} /></h3>
      <table>
        <tbody>
          {Object.entries(score.parts ?? {}).map(([part, value]) => (
            <tr key={part}>
              <th scope="row">{visible(wordsOf(part))}</th>
              <td><meter min={0} max={maximum(part)} value={Math.max(0, Math.min(maximum(part), value))} aria-label={wordsOf(part)} /></td>
              <td class="number">{fixed(value)}{maximum(part) !== 1 && ` of ${maximum(part)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {score.notes?.length > 0 && <ul>{score.notes.map((note, place) => <li key={place}>{visible(noteText(note))}</li>)}</ul>}
    </div>
  )
}
