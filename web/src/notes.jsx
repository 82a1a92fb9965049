// Bookmarks, notes and tags, which are kept in a file beside the run.
import { useEffect, useState } from 'preact/hooks'
import { taskOf } from './router.js'

const latest = new Map() // by run, a promise of its notes after what was written last: writes go one after the other

export function useNotes(source, run) {
  const [notes, set] = useState({})
  const [problem, setProblem] = useState('')
  useEffect(() => {
    Promise.resolve(latest.get(run)).then(() => source.notes(run)).then(set, (error) => setProblem(error.message))
  }, [source, run])
  async function write(key, changes) {
    if (!source.canWrite) return
    const { task, repeat } = taskOf(key)
    const written = Promise.resolve(latest.get(run)).then((known) =>
      source.noteDown(run, task, repeat, { ...(known ?? notes)[key], ...changes }),
    )
    latest.set(run, written.catch(() => null))
    try {
      set(await written)
      setProblem('')
    } catch (error) {
      setProblem(error.message)
    }
  }
  return { notes, write, problem }
}

export function Note({ note, write, problem, canWrite }) {
  const [text, setText] = useState(note?.text ?? '')
  const [tags, setTags] = useState((note?.tags ?? []).join(', '))
  const known = (note?.tags ?? []).join(', ')
  // Each field follows what is kept of it alone: while one is being stored the other may be written in.
  useEffect(() => setText(note?.text ?? ''), [note?.text])
  useEffect(() => setTags(known), [known])
  if (!canWrite && !note) return null
  const keep = () => write({ text, tags: [...new Set(tags.split(',').map((tag) => tag.trim()).filter(Boolean))] })
  return (
    <section class="note" aria-label="Notes">
      <button disabled={!canWrite} aria-pressed={!!note?.bookmark} onClick={() => write({ bookmark: !note?.bookmark })}>
        {note?.bookmark ? '★ bookmarked' : '☆ bookmark'}
      </button>
      <label>note <textarea rows={1} readOnly={!canWrite} value={text} onInput={(e) => setText(e.currentTarget.value)} onBlur={keep} /></label>
      <label>tags <input readOnly={!canWrite} value={tags} placeholder="a, b" onInput={(e) => setTags(e.currentTarget.value)} onBlur={keep} /></label>
      {problem && <p role="alert">{problem}</p>}
    </section>
  )
}
