// Texts of any length: what is long is folded, what was not sent is fetched when it is wanted, and both is said.
import { useContext, useState } from 'preact/hooks'
import { createContext } from 'preact'
import { count, size } from './format.js'

export const Episode = createContext(null) // {source, run, task, repeat}: where more of a text comes from

const LINES = 40
const LONGEST = 6000
const STEP = 250_000 // characters that are added at a time: a browser lays out no more in a moment

export const start = (value) => (value == null ? '' : typeof value === 'string' ? value : value.$text)
export const lengthOf = (value) => (value == null ? 0 : typeof value === 'string' ? value.length : value.length)

function folded(text) {
  let end = Math.min(text.length, LONGEST)
  for (let line = 0, at = -1; line < LINES; line++) {
    at = text.indexOf('\n', at + 1)
    if (at < 0 || at >= end) return text.slice(0, end)
    if (line === LINES - 1) end = at
  }
  return text.slice(0, end)
}

export function LongText({ value, label, children, class: name = '' }) {
  const where = useContext(Episode)
  const [more, setMore] = useState('')
  const [shown, setShown] = useState(0)
  const [problem, setProblem] = useState('')
  const text = start(value) + more
  const whole = Math.max(lengthOf(value), text.length)
  const part = shown ? text.slice(0, shown) : folded(text)
  const left = whole - part.length

  async function show(until) {
    const wanted = Math.min(until, whole)
    try {
      for (let have = text.length, added = more; have < wanted; ) {
        const next = await where.source.text(where.run, where.task, where.repeat, value.path, have, have + (1 << 20))
        if (!next) break
        added += next
        have += next.length
        setMore(added)
      }
      setShown(wanted)
    } catch (error) {
      setProblem(error.message)
    }
  }

  return (
    <div class="long">
      <pre class={name} tabIndex={0} aria-label={label}>
        {part ? children(part) : <em class="nothing">nothing</em>}
      </pre>
      {left > 0 && (
        <p class="more">
          {size(left)} of {size(whole)} folded.{' '}
          <button onClick={() => show(part.length + STEP)}>
            {left > STEP ? `Show ${count(STEP)} more` : 'Show all'}
          </button>{' '}
          {value.path && where.source.textAddress && (
            <a href={where.source.textAddress(where.run, where.task, where.repeat, value.path)} target="_blank">
              as plain text
            </a>
          )}
        </p>
      )}
      {shown > 0 && left <= 0 && (
        <p class="more">
          <button onClick={() => setShown(0)}>Fold</button>
        </p>
      )}
      {problem && <p role="alert">{problem}</p>}
    </div>
  )
}
