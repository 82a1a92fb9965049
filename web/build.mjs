// Bundles the page: `npm run build` writes app.js and app.css where the Python package serves them from.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

const out = process.argv[2] ?? '../src/intercode/view/static'

// A test compares this word with the sources, so that nobody forgets to build.
const sources = createHash('sha256')
for (const name of readdirSync('src').sort()) sources.update(name).update('\0').update(readFileSync(`src/${name}`))
const banner = `/* Built from web/src (${sources.digest('hex')}) by npm run build. Its libraries and licences: LICENSES.txt */`

await build({
  entryPoints: { app: 'src/main.jsx' },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome109', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'ascii',
  legalComments: 'none',
  banner: { js: banner, css: banner },
})
await build({ entryPoints: ['src/app.css'], outfile: `${out}/app.css`, minify: true, banner: { css: banner }, logLevel: 'error' })

const names = ['ansi_up', 'diff', 'highlight.js', 'preact']
const licences = names.map((name) => {
  const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`))
  const file = readdirSync(`node_modules/${name}`).find((each) => /^licen[cs]e/i.test(each))
  const text = file ? readFileSync(`node_modules/${name}/${file}`, 'utf8').trim() : about.license
  return `${name} ${about.version} (${about.license})\n\n${text}\n`
})
writeFileSync(`${out}/LICENSES.txt`, licences.join('\n' + '-'.repeat(80) + '\n\n'))
