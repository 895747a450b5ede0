// Builds ../build/web/report.html: page, style and script in one file, with a Content-Security-Policy that
// names their hashes. The same sources and lock file give the same bytes.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '..', 'build', 'web');

async function bundle(entry, loader) {
  const {outputFiles} = await build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format: 'esm', target: ['es2022', 'safari16'],
    charset: 'utf8', legalComments: 'inline', logLevel: 'warning', outdir: out, loader,
  });
  return outputFiles[0].text.trim();
}

const hash = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;

function fill(page, name, text) {
  const parts = page.split(name);
  if (parts.length !== 2) throw new Error(`report/page.html has ${parts.length - 1} places for ${name}`);
  return parts.join(text);
}

const script = await bundle('report/main.js');
const style = await bundle('report/style.css');
// What would end the element early.
if (/<\/script|<!--/i.test(script)) throw new Error('the script has what ends a script element');
if (/<\/style/i.test(style)) throw new Error('the style has what ends a style element');
let page = readFileSync(join(here, 'report', 'page.html'), 'utf8');
page = fill(page, 'SCRIPT-HASH', hash(script));
page = fill(page, 'STYLE-HASH', hash(style));
page = fill(page, '>STYLE<', `>${style}<`);
page = fill(page, '>SCRIPT<', `>${script}<`);

mkdirSync(out, {recursive: true});
// Whole or not at all: dray may read it meanwhile.
writeFileSync(join(out, 'report.html.new'), page);
renameSync(join(out, 'report.html.new'), join(out, 'report.html'));
console.log(`build/web/report.html: ${page.length} characters`);
