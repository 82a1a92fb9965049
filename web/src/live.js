// What the server tells while runs go on. Who listens to a run hears of every new row, and of where it stands after a
// connection was lost.
import { useEffect, useRef, useState } from 'preact/hooks'

export function useLive(source) {
  const [lost, setLost] = useState(false)
  const listeners = useRef(new Set())
  useEffect(
    () =>
      source.events((event) => {
        if (event.event === 'open' || event.event === 'lost') setLost(event.event === 'lost')
        for (const each of listeners.current) each(event)
      }),
    [source],
  )
  const listen = (listener) => {
    listeners.current.add(listener)
    return () => listeners.current.delete(listener)
  }
  return { lost, listen: useRef(listen).current }
}

// The table of a run, kept up with it. Rows of an episode that was played again replace the former.
const tables = new Map() // by run, so that going from episode to episode asks only for what is new

export function useTable(source, run, live) {
  const [state, setState] = useState(() => ({ table: tables.get(run) ?? null, problem: '', activity: null }))
  const known = useRef(null)
  useEffect(() => {
    let over = false
    known.current = tables.get(run) ?? null
    const set = (table, activity) => {
      known.current = table
      tables.set(run, table)
      if (!over) setState((old) => ({ table, problem: '', activity: activity === undefined ? old.activity : activity }))
    }
    let loading = false
    let more = false
    const load = async () => {
      more = true
      if (loading) return
      loading = true
      try {
        while (more && !over) {
          more = false
          more = (await loadPart()) || more // the latter where something was stored meanwhile
        }
      } catch (error) {
        if (!over) setState((old) => ({ ...old, problem: error.message }))
      }
      loading = false
    }
    // Whether there is more to ask for: of a large run the first rows come at once.
    const loadPart = async () => {
      const have = known.current
      const found = await source.rows(run, have?.count ?? 0)
      if (have && have.generation !== found.generation) {
        known.current = null
        return true
      }
      set({ ...(have ? merged(have, found) : found), more: found.more }, found.activity ?? null)
      return found.more
    }
    load()
    const stop = live.listen((event) => {
      if (event.run !== run) return
      if (event.event === 'activity') setState((old) => ({ ...old, activity: event.activity }))
      const have = known.current
      if (event.event !== 'stored' || !have) return
      if (event.generation === have.generation && event.count === have.count) return
      if (event.rows && event.generation === have.generation && event.after === have.count) set(merged(have, event))
      else load()
    })
    return () => {
      over = true
      stop()
    }
  }, [source, run])
  return state
}

// All rows, of a large run too.
export async function wholeTable(source, run) {
  let table = await source.rows(run)
  while (table.more) {
    const next = await source.rows(run, table.count)
    table = next.generation === table.generation ? { ...merged(table, next), more: next.more } : await source.rows(run)
  }
  return table
}

function merged(table, more) {
  if (!more.rows.length && more.count === table.count) return table
  const name = (row) => JSON.stringify([row[0], row[1]])
  const newer = new Set(more.rows.map(name))
  const kept = newer.size ? table.rows.filter((row) => !newer.has(name(row))) : table.rows
  return { ...table, generation: more.generation, count: more.count, rows: [...kept, ...more.rows] }
}
