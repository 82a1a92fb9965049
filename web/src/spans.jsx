// Libraries that colour text write HTML. It is never given to the browser as HTML: what they write is read again here,
// and of all that could be in it only spans with a class or a colour become elements.
import { AnsiUp } from 'ansi_up'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import { visible } from './format.js'

hljs.registerLanguage('bash', bash)
hljs.registerLanguage('json', json)
hljs.registerLanguage('python', python)
hljs.registerLanguage('sql', sql)

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'", '&amp;': '&' }
const TOKEN = /<span([^<>]*)>|<\/span>/g
const STYLES = { color: 'color', 'background-color': 'backgroundColor' }
const COLOUR = /^rgb\(\d{1,3},\d{1,3},\d{1,3}\)$/
const FONTS = { 'font-weight:bold': 'bold', 'opacity:0.7': 'faint', 'font-style:italic': 'italic', 'text-decoration:underline': 'underline' }

const unescaped = (text) => visible(text.replace(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity]))

function props(attributes) {
  const found = { class: /class="([\w\- ]*)"/.exec(attributes)?.[1] ?? '' }
  const style = /style="([^"]*)"/.exec(attributes)?.[1] ?? ''
  for (const part of style.split(';')) {
    const [name, value = ''] = part.split(':').map((each) => each.trim())
    if (STYLES[name] && COLOUR.test(value)) found.style = { ...found.style, [STYLES[name]]: value }
    const font = FONTS[`${name}:${value}`]
    if (font) found.class = `${found.class} ansi-${font}`
  }
  return found
}

function elements(html) {
  const stack = [{ children: [] }]
  let end = 0
  for (const match of html.matchAll(TOKEN)) {
    const top = stack.at(-1)
    if (match.index > end) top.children.push(unescaped(html.slice(end, match.index)))
    end = match.index + match[0].length
    if (match[0] !== '</span>') stack.push({ props: props(match[1]), children: [] })
    else if (stack.length > 1) {
      const { props: own, children } = stack.pop()
      stack.at(-1).children.push(<span {...own}>{children}</span>)
    }
  }
  stack.at(-1).children.push(unescaped(html.slice(end)))
  return stack.reduceRight((inner, each) => [...each.children, ...inner], [])
}

const LANGUAGES = { bash: 'bash', ctf: 'bash', swe: 'bash', sql: 'sql', python: 'python', json: 'json' }
const LONGEST = 100_000 // characters that are coloured: more would keep the browser busy

export function Code({ text, language }) {
  const known = LANGUAGES[language]
  if (!known || text.length > LONGEST) return visible(text)
  return elements(hljs.highlight(text, { language: known, ignoreIllegals: true }).value)
}

export function Ansi({ text }) {
  if (!text.includes('\u001b[')) return visible(text)
  const ansi = new AnsiUp()
  ansi.use_classes = true
  ansi.url_allowlist = {}
  return elements(ansi.ansi_to_html(text))
}

// A patch, as git prints it: its lines in the colours of a diff.
export const isPatch = (text) => /^(?:diff --git |--- \S.*\n\+\+\+ )/m.test(text)

const MARKS = [[/^(?:diff |index |--- |\+\+\+ |@@)/, 'hunk'], [/^\+/, 'added'], [/^-/, 'removed']]

export function Patch({ text }) {
  return text.split('\n').map((line, at) => (
    <span key={at} class={`line-of-patch ${MARKS.find(([pattern]) => pattern.test(line))?.[1] ?? ''}`}>{visible(line)}{'\n'}</span>
  ))
}
