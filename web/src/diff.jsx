// Unified diffs of two texts, by lines.
import { structuredPatch } from 'diff'
import { visible } from './format.js'

const LONGEST = 400 // lines of a diff that are drawn at once

export function Diff({ before, after, labels = ['before', 'after'] }) {
  const patch = structuredPatch(labels[0], labels[1], before ?? '', after ?? '', '', '', { context: 3, timeout: 2000 })
  if (!patch) return <p class="remark">These two differ in so many lines that no diff was made of them.</p>
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ])
  if (!lines.length) return <p class="quiet">The text is the same.</p>
  return (
    <>
      <pre class="diff" tabIndex={0} aria-label={`difference of ${labels.join(' and ')}`}>
        {lines.slice(0, LONGEST).map((line, place) => <Line key={place} line={line} />)}
      </pre>
      {lines.length > LONGEST && <p class="more">{lines.length - LONGEST} more lines of this diff are not drawn.</p>}
    </>
  )
}

const CLASSES = { '+': 'added', '-': 'removed', '@': 'hunk', '\\': 'hunk' }

function Line({ line }) {
  const text = line.length > 2000 ? `${line.slice(0, 2000)}… and ${line.length - 2000} more characters` : line
  return <span class={CLASSES[line[0]] ?? ''}>{visible(text)}{'\n'}</span>
}

// How many lines were added and removed.
export function counts(before, after) {
  const patch = structuredPatch('a', 'b', before ?? '', after ?? '', '', '', { context: 0, timeout: 500 })
  if (!patch) return null
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  return [lines.filter((line) => line[0] === '+').length, lines.filter((line) => line[0] === '-').length]
}
