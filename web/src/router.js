// Where the reader is, in the part of the address behind `#`: it can be sent to others, and the browser goes back.
//   #/                       all runs
//   #/RUN?filters            the episodes of one
//   #/RUN/TASK:REPEAT/TURN   an episode, from a turn on
//   #/RUN/~tree/TASK         all tries at a task as a tree
//   #/~task/TASK             one task in all runs
//   #/~compare/A/B/TASK      two runs, or one task in both
import { useEffect, useState } from 'preact/hooks'

export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?')
  const parts = path.split('/').filter(Boolean).map(decoded)
  return { parts, query: Object.fromEntries(new URLSearchParams(query)) }
}

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// Task ids hold slashes, which stay readable in a query but not in a path.
export function link(parts, query = {}) {
  const path = parts.map((part) => encodeURIComponent(part)).join('/')
  const kept = Object.entries(query).filter(([, value]) => value !== '' && value != null)
  const text = new URLSearchParams(kept).toString()
  return `#/${path}${text ? `?${text}` : ''}`
}

export function go(parts, query = {}, { replace = false } = {}) {
  const target = link(parts, query)
  if (target === location.hash) return
  if (replace) {
    history.replaceState(null, '', target)
    dispatchEvent(new HashChangeEvent('hashchange'))
  } else location.hash = target
}

export function useRoute() {
  const [route, set] = useState(() => parse(location.hash))
  useEffect(() => {
    const follow = () => set(parse(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

export const keyOf = (task, repeat) => `${task}:${repeat}`

export function taskOf(key) {
  const at = key.lastIndexOf(':')
  return at < 0 ? { task: key, repeat: 0 } : { task: key.slice(0, at), repeat: Number(key.slice(at + 1)) || 0 }
}
