// Rows of a database as a table: an SQL observation is a Python list of tuples. What is not exactly that stays a text.
import { useMemo, useState } from 'preact/hooks'
import { count, visible } from './format.js'

const MOST_ROWS = 200
const VALUE = /\s*(?:(-?[\d.]+(?:[eE][+-]?\d+)?|None|True|False|nan|inf|-inf)|b?'((?:[^'\\]|\\.)*)'|b?"((?:[^"\\]|\\.)*)"|([\w.]+\([^()]*\)))\s*/y
const ESCAPES = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' }

const unescaped = (text) => text.replace(/\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)/gi, (whole, code) =>
  /^[xu]/i.test(code) && code.length > 1 ? String.fromCharCode(parseInt(code.slice(1), 16)) : ESCAPES[code] ?? whole)

// The rows, or null where the text is anything else.
export function rowsOf(text) {
  if (!text.startsWith('[(') || !text.trimEnd().endsWith(')]')) return null
  const rows = []
  let at = 1
  for (;;) {
    if (text[at] !== '(') return null
    at += 1
    const row = []
    while (text[at] !== ')') {
      VALUE.lastIndex = at
      const found = VALUE.exec(text)
      if (!found) return null
      row.push(found[2] != null || found[3] != null ? unescaped(found[2] ?? found[3]) : found[1] === 'None' ? null : found[1] ?? found[4])
      at = VALUE.lastIndex
      if (text[at] === ',') at += 1
      else if (text[at] !== ')') return null
    }
    rows.push(row)
    at += 1
    if (text.slice(at).trimEnd() === ']') return rows
    if (text.slice(at, at + 2) !== ', ') return null
    at += 2
  }
}

export function Rows({ text, children }) {
  const rows = useMemo(() => rowsOf(text), [text])
  const [asText, setAsText] = useState(false)
  if (!rows) return children
  return (
    <div class="rows">
      {asText ? children : (
        <div class="scroll">
          <table>
            <tbody>{rows.slice(0, MOST_ROWS).map((row, at) => <tr key={at}>{row.map((value, place) => <td key={place}>{value == null ? <em class="quiet">NULL</em> : visible(value)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      )}
      <p class="more">{count(rows.length)} rows{rows.length > MOST_ROWS && !asText && `, ${MOST_ROWS} shown`} <button onClick={() => setAsText(!asText)}>{asText ? 'as a table' : 'as text'}</button></p>
    </div>
  )
}
