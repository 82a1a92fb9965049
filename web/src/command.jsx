// A command to copy into a terminal.
import { useState } from 'preact/hooks'
import { visible } from './format.js'

export function Command({ text }) {
  const [copied, set] = useState(false)
  const copy = () =>
    navigator.clipboard?.writeText(text).then(() => {
      set(true)
      setTimeout(() => set(false), 1500)
    })
  return (
    <>
      <code class="command">{visible(text)}</code>
      {navigator.clipboard && <button onClick={copy}>{copied ? 'copied' : 'copy'}</button>}
    </>
  )
}
