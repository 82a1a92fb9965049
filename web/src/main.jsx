// The page of `intercode view`.
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Branches } from './branches.jsx'
import { Compare } from './compare.jsx'
import { EpisodeView } from './episode.jsx'
import { Episodes } from './episodes.jsx'
import { Help, useKeys } from './keys.jsx'
import { useLive } from './live.js'
import { link, useRoute } from './router.js'
import { Runs, useRuns } from './runs.jsx'
import { open } from './source.js'
import { TaskInRuns } from './task.jsx'
import { ThemeButton } from './theme.jsx'

function App({ source }) {
  const route = useRoute()
  const live = useLive(source)
  const [help, setHelp] = useState(false)
  useKeys({ '?': () => setHelp(true) })
  const [run, second] = route.parts
  useEffect(() => {
    document.title = ['InterCode', ...route.parts].reverse().join(' · ')
  }, [route])
  return (
    <>
      <header class="top">
        <nav aria-label="Where you are">
          <a href="#/" class="home">InterCode</a>
          {run && !run.startsWith('~') && <a href={link([run])}>{run}</a>}
          {run === '~compare' && <a href={link(route.parts.slice(0, 3))}>compare</a>}
          {run === '~task' && <span>task {second}</span>}
          {second && !run.startsWith('~') && <span>{second === '~tree' ? `tree of ${route.parts[2]}` : second}</span>}
        </nav>
        {live.lost && <span class="lost" role="status">the server does not answer; trying again…</span>}
        <ThemeButton />
        <button onClick={() => setHelp(true)} aria-label="Help: keys">?</button>
      </header>
      <main>
        <View source={source} route={route} live={live} />
      </main>
      {help && <Help close={() => setHelp(false)} />}
    </>
  )
}

function View({ source, route, live }) {
  const [run, second, third] = route.parts
  if (!run) return <Runs source={source} live={live} query={route.query} />
  if (run === '~compare') return <Comparison source={source} route={route} live={live} />
  if (run === '~task') return <TaskInRuns key={second} source={source} task={second} />
  if (!second) return <Episodes key={run} source={source} run={run} query={route.query} live={live} />
  if (second === '~tree') return <Branches key={third} source={source} run={run} task={third} />
  return <EpisodeView key={`${run} ${second}`} {...{ source, run, episode: second, turn: Number(third) || 0, live }} />
}

function Comparison({ source, route, live }) {
  const { data, problem } = useRuns(source, live)
  if (problem) return <p role="alert">{problem}</p>
  if (!data) return <p class="wait">Comparing…</p>
  return <Compare source={source} parts={route.parts.slice(1)} query={route.query} names={data.runs.map((each) => each.name)} />
}

const root = document.getElementById('app')
open().then(
  (source) => {
    root.textContent = ''
    render(<App source={source} />, root)
  },
  (error) => {
    root.textContent = `This page cannot be shown: ${error.message}`
  },
)
