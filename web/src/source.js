// Where data comes from: the server, or what is inlined in an exported file. Both answer the same questions.
import { keyOf } from './router.js'

class Problem extends Error {}

class Server {
  canWrite = true
  canReplay = true
  isLive = true

  async ask(name, query = {}, options = {}) {
    const response = await fetch(`api/${name}?${new URLSearchParams(query)}`, options)
    const data = await response.json().catch(() => ({ error: `the server answers ${response.status}` }))
    if (data.error) throw new Problem(data.error)
    return data
  }

  runs = () => this.ask('runs')
  task = (task) => this.ask('task', { task })
  rows = (run, after = 0) => this.ask('rows', { run, after })
  episode = (run, task, repeat) => this.ask('episode', { run, task, repeat })
  search = async (run, q, where) => (await this.ask('search', { run, q, in: where })).keys.map(([t, r]) => keyOf(t, r))
  compare = (a, b, scoring) => this.ask('compare', { a, b, scoring })
  notes = async (run) => (await this.ask('notes', { run })).notes
  noteDown = async (run, task, repeat, note) =>
    (await this.ask('notes', { run, task, repeat }, { method: 'PUT', body: JSON.stringify(note), headers: own })).notes

  async text(run, task, repeat, path, from, to) {
    const response = await fetch(`api/text?${new URLSearchParams({ run, task, repeat, path, from, to })}`)
    if (!response.ok) throw new Problem(await response.text())
    return response.text()
  }

  textAddress = (run, task, repeat, path) => `api/text?${new URLSearchParams({ run, task, repeat, path })}`

  // Calls `tell` with each line of how far it is; resolves with the changes.
  async changes(run, task, repeat, tell) {
    const query = new URLSearchParams({ run, task, repeat })
    const response = await fetch(`api/changes?${query}`, { method: 'POST', headers: own })
    if (!response.ok) throw new Problem(await response.text())
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; ; ) {
      const { value, done } = await reader.read()
      const lines = (rest + (value ?? '')).split('\n')
      rest = lines.pop()
      for (const event of lines.map((line) => JSON.parse(line))) {
        if (event.error) throw new Problem(event.error)
        if (event.changes) return event.changes
        tell(event)
      }
      if (done) throw new Problem('the server was stopped')
    }
  }

  events(listen) {
    const stream = new EventSource('api/events')
    stream.onmessage = (message) => listen(JSON.parse(message.data))
    stream.onopen = () => listen({ event: 'open' })
    stream.onerror = () => listen({ event: 'lost' })
    return () => stream.close()
  }
}

const own = { 'x-intercode-view': '1' }

// An exported file: `index` is read at once, each episode when it is looked at.
class Inlined {
  canWrite = false
  canReplay = false
  isLive = false

  constructor(index) {
    this.index = index
  }

  static async open(element) {
    return new Inlined(await unpacked(element.textContent))
  }

  run(name) {
    const found = this.index.runs.find((run) => run.about.name === name)
    if (!found) throw new Problem(`no run called ${name} is in this file`)
    return found
  }

  runs = async () => ({ runs: this.index.runs.map((run) => run.about), problems: [], left_out: this.index.left_out })
  rows = async (run) => ({ ...this.run(run).table, scoring: this.run(run).about.scoring })
  task = async (task) => ({
    columns: this.index.runs[0].table.columns,
    runs: this.index.runs.map(({ about, table }) => ({
      run: about.name, agent: about.settings.agent, model: about.settings.model, scoring: about.scoring,
      rows: table.rows.filter(([name]) => name === task),
    })),
  })
  notes = async (run) => this.run(run).notes
  compare = async (a, b, scoring) => {
    const found = this.index.comparisons[JSON.stringify([a, b])]
    if (!found) throw new Problem('these runs have no judged task in common')
    return found[scoring || this.run(a).about.scoring] ?? found[Object.keys(found)[0]]
  }

  async whole(run, task, repeat) {
    this.run(run)
    const place = this.index.places[JSON.stringify([run, task, repeat])]
    if (place === undefined) throw new Problem(`${task}:${repeat} was left out of this file`)
    return unpacked(document.getElementById(`episode-${place}`).textContent)
  }

  episode = async (run, task, repeat) => {
    const { episode, commands } = await this.whole(run, task, repeat)
    const tries = this.run(run).table.rows.filter(([name, n]) => name === task && JSON.stringify([run, task, n]) in this.index.places)
    return { episode, commands, repeats: tries.map(([, n]) => n).sort((a, b) => a - b), model_options: this.run(run).about.settings.model_options }
  }

  async changes(run, task, repeat) {
    const { changes, error } = await this.whole(run, task, repeat)
    if (error) throw new Problem(error)
    return changes
  }

  async search(run, text, where) {
    const wanted = text.toLowerCase()
    const fields = where.split(',')
    const found = []
    for (const row of this.run(run).table.rows) {
      const [task, repeat] = row
      if (this.index.places[JSON.stringify([run, task, repeat])] === undefined) continue
      const { episode } = await this.whole(run, task, repeat)
      if ([...texts(episode, fields)].some((each) => each.toLowerCase().includes(wanted))) found.push(keyOf(task, repeat))
    }
    return found
  }

  events = () => () => {}
}

function* texts(episode, fields) {
  if (fields.includes('query')) yield episode.task.query
  for (const turn of episode.turns) {
    if (fields.includes('action')) yield turn.action.text
    if (fields.includes('observation')) yield turn.observation.text
    if (fields.includes('thought')) yield turn.thought
  }
}
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return JSON.parse(await new Response(stream).text())
}

export async function open() {
  const element = document.getElementById('data')
  return element ? Inlined.open(element) : new Server()
}
