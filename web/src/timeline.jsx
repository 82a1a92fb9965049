// Where the time of an episode went: the agent (and in it the model), and the world.
import { seconds } from './format.js'

// For each turn the seconds of the agent before it, those of them that the model took, and the world's.
export function times(episode) {
  let end = 0
  return episode.turns.map((turn) => {
    const world = turn.action.kind === 'execute' ? turn.observation.seconds ?? 0 : 0
    const agent = Math.max(0, (turn.started ?? 0) - end)
    const model = (turn.calls ?? []).reduce((sum, call) => sum + (call.reply.seconds ?? 0), 0)
    end = Math.max(end, (turn.started ?? 0) + world)
    return { agent, model: Math.min(model, agent || model), world }
  })
}

export function Timeline({ episode, toTurn, current }) {
  const all = times(episode)
  const whole = all.reduce((sum, each) => sum + each.agent + each.world, 0) || 1
  if (!all.length) return null
  return (
    <div class="timeline" role="group" aria-label="Time of each turn">
      {all.map((each, place) => {
        const label = `turn ${place + 1}: agent ${seconds(each.agent)}, of that model ${seconds(each.model)}, world ${seconds(each.world)}`
        const share = (value) => `${Math.max(0, (value / (each.agent + each.world || 1)) * 100)}%`
        return (
          <button key={place} title={label} aria-label={label} aria-current={current === place + 1 ? 'step' : undefined}
            style={{ flexGrow: (each.agent + each.world) / whole }} onClick={() => toTurn(place + 1)}>
            <span class="model" style={{ width: share(each.model) }} />
            <span class="agent" style={{ width: share(each.agent - each.model) }} />
            <span class="world" style={{ width: share(each.world) }} />
          </button>
        )
      })}
      <p class="legend"><span class="model" /> model <span class="agent" /> agent <span class="world" /> world</p>
    </div>
  )
}
