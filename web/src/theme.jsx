// Light and dark: as the system has it, until somebody says otherwise.
import { useEffect, useState } from 'preact/hooks'

const NEXT = { '': 'dark', dark: 'light', light: '' }
const NAMES = { '': 'as the system', dark: 'dark', light: 'light' }

function stored() {
  try {
    return localStorage.getItem('intercode-theme') ?? ''
  } catch {
    return '' // a file may have no storage
  }
}

export function ThemeButton() {
  const [theme, set] = useState(stored)
  useEffect(() => {
    document.documentElement.dataset.theme = theme
    try {
      localStorage.setItem('intercode-theme', theme)
    } catch {
      // it holds until the page is closed
    }
  }, [theme])
  return (
    <button class="theme" onClick={() => set(NEXT[theme])} aria-label={`Colours: ${NAMES[theme]}`} title={`Colours: ${NAMES[theme]}`}>
      {{ '': '◐', dark: '●', light: '○' }[theme]}
    </button>
  )
}
