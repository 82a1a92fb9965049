// All runs of a folder at a glance, from the figures that each of them has. A click chooses runs, and what is told of them.
import { count, dollars, fixed, plural, seconds } from './format.js'
import { Charts, Headline, byLevel } from './summary.jsx'

export const tokensOf = ({ summary: { usage } }) => usage.prompt_tokens + usage.completion_tokens

// The runs that are chosen, each with its figures in the category or of the difficulty that is.
export function chosenRuns(runs, query) {
  const wanted = (query.q ?? '').toLowerCase().split(/\s+/)
  return runs
    .filter((run) => wanted.every((word) => wordsOf(run).includes(word)))
    .filter((run) => (!query.dataset || run.settings.dataset === query.dataset) && (!query.error || run.errors[query.error]))
    .filter((run) => SPREADS.every((name) => !query[name] || run.spreads[name][query[name]]))
    .flatMap((run) => {
      const summary = query.category ? run.by_category[query.category] : query.difficulty ? run.by_difficulty[query.difficulty] : run.summary
      return summary ? [{ ...run, summary }] : []
    })
}

const SPREADS = ['turns', 'reward', 'seconds']
export const CHOICES = ['category', 'difficulty', 'error', ...SPREADS]

const nextStep = (step) => step * (step.toExponential().startsWith('2') ? 2.5 : 2) // 1, 2, 5, 10, …

const wordsOf = (run) => [run.name, run.settings.agent, run.settings.model, run.settings.dataset, run.world].join(' ').toLowerCase()

export function FolderSummary({ runs, chosen, query, set }) {
  const rates = (groupsOf, filterOf) => {
    const groups = new Map()
    for (const [name, { successes, counted }] of runs.flatMap(groupsOf)) {
      const group = groups.get(name) ?? { name, won: 0, of: 0, filter: filterOf(name) }
      groups.set(name, { ...group, won: group.won + successes, of: group.of + counted })
    }
    return [...groups.values()].filter(({ of }) => of)
  }
  const counts = (groupsOf, filterName, word = (name) => name) => {
    const numbers = new Map()
    for (const [name, number] of runs.flatMap((run) => Object.entries(groupsOf(run)))) numbers.set(name, (numbers.get(name) ?? 0) + number)
    return [...numbers].map(([name, number]) => ({ name: word(name), number, filter: { [filterName]: name }, at: Number(name) }))
  }
  const byStep = (bars) => bars.sort((a, b) => a.at - b.at)
  const sum = (value) => chosen.reduce((total, run) => total + value(run), 0)
  const tokens = sum(tokensOf)
  const headline = (
    <>
      <Headline won={sum((run) => run.summary.successes)} of={sum((run) => run.summary.counted)} />{' '}
      <span class="quiet">in {plural(chosen.length, 'run')}{tokens > 0 && `, ${count(tokens)} tokens, ${dollars(sum((run) => run.summary.usage.cost ?? NaN) || null)}`}</span>
    </>
  )
  return (
    <Charts
      {...{ query, set }}
      headline={headline}
      rates={[
        ['success by data set', rates((run) => [[run.settings.dataset, run.summary]], (dataset) => ({ dataset })).sort((a, b) => b.of - a.of)],
        ['success by category', rates((run) => Object.entries(run.by_category), (category) => ({ category, difficulty: '' })).sort((a, b) => b.of - a.of)],
        ['success by difficulty', rates((run) => Object.entries(run.by_difficulty), (difficulty) => ({ difficulty, category: '' })).sort(byLevel)],
        ['success by turns used', rates((run) => Object.entries(run.spreads.turns).map(([n, [successes, counted]]) => [n, { successes, counted }]), (turns) => ({ turns })).sort((a, b) => a.name - b.name)],
      ]}
      counts={[
        ['reward', byStep(counts((run) => run.spreads.reward, 'reward', (step) => (step === '1' ? '1' : `${step} to ${fixed(Number(step) + 0.1, 1)}`))).reverse()],
        ['errors', counts((run) => run.errors, 'error')],
        ['seconds', byStep(counts((run) => run.spreads.seconds, 'seconds', (step) => `${seconds(Number(step))} to ${seconds(nextStep(Number(step)))}`))],
      ]}
    />
  )
}
