// With what a run was played, and what differs from others.
import { visible } from './format.js'

const shown = (value) => (value === '' || value == null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value))

export const differs = (runs, name) => new Set(runs.map((run) => JSON.stringify(run.settings[name] ?? null))).size > 1

export function Settings({ runs }) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.settings)))]
  const differing = names.filter((name) => differs(runs, name))
  const many = runs.length > 1
  const rows = many ? [...differing, ...names.filter((name) => !differing.includes(name))] : names
  return (
    <details class="settings" open={many || undefined}>
      <summary>{many ? `Settings: ${differing.length} of ${names.length} differ` : 'Settings'}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Settings">
        <table>
          {many && <thead><tr><th scope="col">setting</th>{runs.map((run) => <th scope="col" key={run.name}>{visible(run.name)}</th>)}</tr></thead>}
          <tbody>
            {rows.map((name) => (
              <tr key={name} class={many && differing.includes(name) ? 'differs' : ''}>
                <th scope="row">{many && differing.includes(name) && '≠ '}{name.replaceAll('_', ' ')}</th>
                {runs.map((run) => <td key={run.name}>{visible(shown(run.settings[name]))}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
