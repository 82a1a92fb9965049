// One turn: the action, what it did, and what the model was told and said.
import { useContext, useState } from 'preact/hooks'
import { TurnChanges } from './changes.jsx'
import { count, dollars, fixed, seconds, visible } from './format.js'
import { Rows } from './rows.jsx'
import { Ansi, Code, Patch, isPatch } from './spans.jsx'
import { Episode, LongText, lengthOf, start } from './text.jsx'

// The whole conversation before each call: a call stores only what was new in it.
export function conversations(episode) {
  let before = []
  let tools = []
  return episode.turns.map((turn) =>
    (turn.calls ?? []).map((call) => {
      const messages = [...before.slice(0, call.kept), ...call.sent]
      tools = call.tools?.length ? call.tools : tools
      before = [...messages, { role: 'assistant', text: call.reply.text, tool_calls: call.reply.tool_calls }]
      return { messages, kept: call.kept, reply: call.reply, tools }
    }),
  )
}

export function Turn({ turn, number, world, told, before, same, found, current, link, command }) {
  const { action, observation } = turn
  const usage = (turn.calls ?? []).map((call) => call.reply.usage)
  const tokens = usage.reduce((sum, each) => sum + (each?.prompt_tokens ?? 0) + (each?.completion_tokens ?? 0), 0)
  const cost = usage.reduce((sum, each) => (each?.cost == null || sum == null ? null : sum + each.cost), 0)
  const repeats = action.kind === 'submit' && before && start(before.observation.text) === start(observation.text)
  return (
    <li id={`turn-${number}`} class={`turn ${current ? 'current' : ''}`} aria-label={`turn ${number}`}>
      <p class="line">
        <a href={link}><strong>turn {number}</strong></a>
        <span class="quiet">at {seconds(turn.started)}</span>
        {action.kind === 'execute' && <span class="quiet">took {seconds(observation.seconds)}</span>}
        {tokens > 0 && <span class="quiet">{count(tokens)} tokens, {dollars(cost)}</span>}
        {turn.reward !== 0 && <span>reward {fixed(turn.reward)}</span>}
        {turn.state_hash && (
          <span class="hash" title={`state ${turn.state_hash}`}>
            {turn.state_hash.slice(0, 8)}{same > 0 && ` = after turn ${same}`}
          </span>
        )}
        {command && <CopyCommand command={command} />}
      </p>
      {lengthOf(turn.thought) > 0 && (
        <details class="thought">
          <summary>thought <span class="quiet">{visible(start(turn.thought).slice(0, 90))}</span></summary>
          <LongText value={turn.thought} label={`thought of turn ${number}`}>{(text) => visible(text)}</LongText>
        </details>
      )}
      <Action {...{ action, number, world }} />
      {repeats ? (
        <p class="quiet">the last observation again</p>
      ) : (
        <Observation {...{ observation, number, world }} />
      )}
      <TurnChanges found={found} />
      {turn.trials?.length > 0 && <Trials trials={turn.trials} world={world} />}
      {told.map((call, place) => <Call key={place} {...{ call, place, calls: told.length, number }} />)}
    </li>
  )
}

function Action({ action, number, world }) {
  if (action.kind === 'skip') return <p class="move">skip: the task was given up</p>
  if (action.kind === 'nothing') return <p class="move">no code in the reply</p>
  const label = `action of turn ${number}`
  if (action.kind === 'submit') {
    return (
      <div class="move">
        submit {lengthOf(action.text) > 0 && <LongText value={action.text} label={label}>{(text) => (isPatch(text) ? <Patch text={text} /> : visible(text))}</LongText>}
      </div>
    )
  }
  return (
    <LongText value={action.text} label={label} class="action">
      {(text) => <Code text={text} language={world} />}
    </LongText>
  )
}

function Observation({ observation, number, world }) {
  const failed = observation.exit_code !== 0 && observation.exit_code != null
  const text = (
    <LongText value={observation.text} label={`observation of turn ${number}`} class="observation">
      {(text) => (isPatch(text) ? <Patch text={text} /> : <Ansi text={text} />)}
    </LongText>
  )
  return (
    <div class="seen">
      {world === 'sql' ? <Rows text={start(observation.text)}>{text}</Rows> : text}
      <p class="line">
        {observation.exit_code != null && <span class={failed ? 'bad' : 'quiet'}>exit {observation.exit_code}</span>}
        {observation.timed_out && <span class="bad">timed out</span>}
        {observation.truncated && <span class="bad">cut at the sandbox’s limit: the rest was not stored</span>}
      </p>
    </div>
  )
}

function Trials({ trials, world }) {
  return (
    <details class="trials">
      <summary>{trials.length} actions tried in branches</summary>
      <ol>
        {trials.map((trial, place) => (
          <li key={place}>
            <span class={trial.chosen ? 'good' : 'quiet'}>{trial.chosen ? 'taken' : 'left'}, reward {fixed(trial.reward)}{trial.ended && ', ends the episode'}</span>
            <LongText value={trial.action.text} label={`trial ${place + 1}`} class="action">{(text) => <Code text={text} language={world} />}</LongText>
            <LongText value={trial.observation.text} label={`outcome ${place + 1}`}>{(text) => <Ansi text={text} />}</LongText>
          </li>
        ))}
      </ol>
    </details>
  )
}

function Call({ call, place, calls, number }) {
  const [open, setOpen] = useState(false)
  const { reply } = call
  const usage = reply.usage ?? {}
  return (
    <details class="call" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        model call{calls > 1 && ` ${place + 1} of ${calls}`}{' '}
        <span class="quiet">
          {[visible(reply.model ?? ''), seconds(reply.seconds), `${count(usage.prompt_tokens)} + ${count(usage.completion_tokens)} tokens`,
            reply.tries > 1 && `${reply.tries} tries`, reply.finish_reason && visible(reply.finish_reason)].filter(Boolean).join(', ')}
        </span>
      </summary>
      {open && <Conversation {...{ call, number }} />}
    </details>
  )
}

// What was asked for beside the messages: the model's options, the tools, and whatever of the provider's own answer was stored.
function Request({ call }) {
  const raw = call.reply.raw && Object.keys(call.reply.raw).length ? call.reply.raw : null
  const options = Object.entries(useContext(Episode).options ?? {}).map(([name, value]) => visible(`${name}=${value}`))
  const tools = (call.tools ?? []).map((tool) => visible(tool.name))
  const told = [options.length && `settings: ${options.join(', ')}`, tools.length && `tools: ${tools.join(', ')}`].filter(Boolean)
  if (!tools.length && !raw) return told.length ? <p class="quiet">{told[0]}</p> : null
  return (
    <details>
      <summary>{told.join('; ') || 'raw reply'}</summary>
      {call.tools?.length > 0 && <pre tabIndex={0} aria-label="tools"><Code text={JSON.stringify(call.tools, null, 1)} language="json" /></pre>}
      {raw && <pre tabIndex={0} aria-label="raw reply"><Code text={JSON.stringify(raw, null, 1)} language="json" /></pre>}
    </details>
  )
}

function Conversation({ call, number }) {
  const { reply } = call
  return (
    <>
    <Request call={call} />
    <ol class="messages">
      {call.messages.map((message, at) => (
        <li key={at} class={at < call.kept ? 'kept' : ''}>
          <details open={at >= call.kept}>
            <summary>{message.role}{at < call.kept && <span class="quiet"> as in the call before</span>}</summary>
            <Message message={message} label={`message ${at + 1} of turn ${number}`} />
          </details>
        </li>
      ))}
      <li class="reply">
        <strong>reply</strong>
        {lengthOf(reply.reasoning) > 0 && (
          <details>
            <summary>reasoning</summary>
            <LongText value={reply.reasoning} label="reasoning">{(text) => visible(text)}</LongText>
          </details>
        )}
        <Message message={reply} label="reply" />
      </li>
    </ol>
    </>
  )
}

function Message({ message, label }) {
  return (
    <>
      {lengthOf(message.text) > 0 && <LongText value={message.text} label={label}>{(text) => visible(text)}</LongText>}
      {(message.tool_calls ?? []).map((call, place) => (
        <div key={place}>
          <code>{visible(call.name)}</code>
          <LongText value={call.arguments} label="arguments"  class="action">{(text) => <Code text={text} language="json" />}</LongText>
        </div>
      ))}
    </>
  )
}

function CopyCommand({ command }) {
  const [copied, set] = useState(false)
  if (!navigator.clipboard) return null
  const copy = () => navigator.clipboard.writeText(command).then(() => set(true))
  return <button class="small" title={command} onClick={copy}>{copied ? 'copied' : 'play from here'}</button>
}
