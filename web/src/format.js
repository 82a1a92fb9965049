// Numbers and texts as people read them.
export const percent = (value) => (value == null ? '–' : `${(value * 100).toFixed(1)} %`)
export const fixed = (value, digits = 2) => (value == null ? '–' : value.toFixed(digits))
export const dollars = (value) => (value == null ? '?' : value ? `$${value.toFixed(value < 0.1 ? 4 : 2)}` : '–')
export const count = (value) => (value == null ? '–' : value.toLocaleString('en'))
export const size = (length) =>
  length < 10_000 ? `${count(length)} characters` : `${(length / 1e6).toFixed(length < 1e6 ? 2 : 1)} million characters`
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`
export const errorClass = (error) => error.split(':')[0]

export function seconds(value) {
  if (value == null) return '–'
  if (value < 1) return `${Math.round(value * 1000)} ms`
  if (value < 120) return `${value.toFixed(1)} s`
  return value < 7200 ? `${Math.round(value / 60)} min` : `${(value / 3600).toFixed(1)} h`
}

export function date(value) {
  const when = new Date(value * 1000)
  const two = (number) => String(number).padStart(2, '0')
  const day = `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`
  return `${day} ${two(when.getHours())}:${two(when.getMinutes())}`
}

// What would act and not show: control characters, and marks that turn the direction of writing.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

export function visible(text) {
  return text.replace(HIDDEN, (letter) => {
    const code = letter.charCodeAt(0)
    if (code < 32) return String.fromCharCode(0x2400 + code)
    if (code === 127) return '\u2421'
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}

// What all names begin with, up to a slash: a phone has no room for it.
export function sharedPrefix(names) {
  if (names.length < 2) return ''
  let shared = names[0]
  for (const name of names) while (!name.startsWith(shared)) shared = shared.slice(0, -1)
  return shared.slice(0, shared.lastIndexOf('/') + 1)
}
