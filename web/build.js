// Builds ../build/web/{report,dashboard}.html: each with page, style and script in one file, and a
// Content-Security-Policy that names their hashes. The same sources and lock file give the same bytes.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '..', 'build', 'web');
/// Of a page, compressed.
const most_bytes = 150 * 1024;

async function bundle(entry, loader) {
  const {outputFiles} = await build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format: 'esm', target: ['es2022', 'safari16'],
    charset: 'utf8', legalComments: 'inline', logLevel: 'warning', outdir: out, loader,
  });
  return outputFiles[0].text.trim();
}

const hash = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;

function fill(name, page, place, text) {
  const parts = page.split(place);
  if (parts.length !== 2) throw new Error(`${name}/page.html has ${parts.length - 1} places for ${place}`);
  return parts.join(text);
}

async function buildPage(name) {
  const script = await bundle(`${name}/main.js`);
  const style = await bundle(`${name}/style.css`);
  // What would end the element early.
  if (/<\/script|<!--/i.test(script)) throw new Error('the script has what ends a script element');
  if (/<\/style/i.test(style)) throw new Error('the style has what ends a style element');
  let page = readFileSync(join(here, name, 'page.html'), 'utf8');
  page = fill(name, page, 'SCRIPT-HASH', hash(script));
  page = fill(name, page, 'STYLE-HASH', hash(style));
  page = fill(name, page, '>STYLE<', `>${style}<`);
  page = fill(name, page, '>SCRIPT<', `>${script}<`);
  const packed = gzipSync(page).length;
  if (packed > most_bytes) throw new Error(`${name}.html has ${packed} bytes compressed, more than ${most_bytes}`);
  // Whole or not at all: dray may read it meanwhile.
  writeFileSync(join(out, `${name}.html.new`), page);
  renameSync(join(out, `${name}.html.new`), join(out, `${name}.html`));
  console.log(`build/web/${name}.html: ${page.length} characters, ${packed} bytes compressed`);
}

mkdirSync(out, {recursive: true});
await buildPage('report');
await buildPage('dashboard');
