// Keys, and the list of them.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

const isTyping = (element) => /^(INPUT|TEXTAREA|SELECT)$/.test(element?.tagName) || element?.isContentEditable

export function useKeys(actions) {
  const latest = useRef(actions)
  latest.current = actions
  useLayoutEffect(() => { // not useEffect: a key that is pressed as soon as the page is seen is heard
    const press = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Escape' && isTyping(event.target)) return event.target.blur()
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return
      const action = latest.current[event.key]
      if (!action) return
      event.preventDefault()
      action(event)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

const KEYS = [
  ['j k, ↓ ↑', 'next and last episode of the list, or turn'],
  ['Enter', 'open the episode'],
  ['n p', 'next and last episode, from within one'],
  ['f', 'next failure'],
  ['/', 'search in queries, actions, observations and thoughts'],
  ['c', 'what each turn changed'],
  ['b', 'bookmark'],
  ['u, Backspace', 'up: to the list, to all runs'],
  ['?', 'these lines'],
  ['Esc', 'leave a field, close this'],
]

export function Help({ close }) {
  const dialog = useRef(null)
  useEffect(() => dialog.current.showModal(), [])
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt><kbd>{keys}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog"><button>Close</button></form>
    </dialog>
  )
}
