// Builds ../build/docs: the documents of this repository as pages that need no server and no network, with a search over their
// sections. Files that documents point at are copied beside them; a link that leads nowhere ends the build.
import {copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join, normalize, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Marked} from 'marked';

const here = dirname(fileURLToPath(import.meta.url));
const repository = join(here, '..', '..');
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md',
  ...readdirSync(join(repository, 'docs'), {recursive: true}).filter((name) => name.endsWith('.md')).map((name) => join('docs', name)).sort()];

/// As GitHub makes it, and tools/docs_test.py.
export const anchor = (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');

const escape = (text) => text.replace(/[&<>"]/g, (one) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[one]);
const html = (path) => path.replace(/\.md$/, '.html');

/// The heading and the text of each section, for the search.
function sections(page, tokens) {
  const all = [];
  const title = tokens.find(({type}) => type === 'heading')?.text.replaceAll('`', '') ?? page;
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = token.text.replaceAll('`', '');
      all.push({page: title, title: text, at: `${html(page)}#${anchor(text)}`, text: ''});
    } else if (all.length > 0 && token.type !== 'html') {  // comments are for tests
      all.at(-1).text += ` ${(token.raw ?? '').replace(/[|*`#\[\]]|-{3,}|\]\([^)]*\)/g, ' ').replace(/\s+/g, ' ')}`;
    }
  }
  return {title, all};
}

/// Where a link of a page leads in the site; files that are no pages are gathered in `files`.
function target(page, href, files, dead) {
  if (/^[a-z]+:|^#/i.test(href)) return href;
  const [path, hash] = href.split('#');
  let to = normalize(join(dirname(page), path));
  if (to.startsWith('..') || !existsSync(join(repository, to))) { dead.push(`${page}: ${href}`); return href; }
  if (statSync(join(repository, to)).isDirectory()) {
    to = join(to, 'README.md');
    // A folder without a document of its own has no place in the site.
    if (!pages.includes(to)) return null;
  }
  if (!pages.includes(to)) files.add(to);
  const there = relative(dirname(page), to);
  return (pages.includes(to) ? html(there) : there) + (hash ? `#${hash}` : '');
}

export function build(out = join(repository, 'build', 'docs')) {
  rmSync(out, {recursive: true, force: true});
  const [files, dead, index, anchors, asked] = [new Set(), [], [], new Map(), []];
  const frame = readFileSync(join(here, 'page.html'), 'utf8');
  for (const page of pages) {
    const own = new Set();
    const marked = new Marked({gfm: true});
    marked.use({renderer: {
      heading({tokens, depth, text}) {
        const id = anchor(text.replaceAll('`', ''));
        own.add(id);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({href, title, tokens}) {
        const to = target(page, href, files, dead);
        const text = this.parser.parseInline(tokens);
        if (to === null) return text;
        if (!/^[a-z]+:/i.test(to)) asked.push([page, to]);
        return `<a href="${escape(to)}"${title ? ` title="${escape(title)}"` : ''}>${text}</a>`;
      },
      image({href, text}) {
        const to = target(page, href, files, dead);
        return `<img src="${escape(to ?? href)}" alt="${escape(text)}">`;
      },
    }, hooks: {postprocess: (text) => text.replaceAll('<table>', '<div class="table" tabindex="0" role="region" aria-label="Table"><table>').replaceAll('</table>', '</table></div>').replaceAll('<pre>', '<pre tabindex="0">')}});
    const tokens = marked.lexer(readFileSync(join(repository, page), 'utf8'));
    const {title, all} = sections(page, tokens);
    index.push(...all);
    const content = marked.parse(readFileSync(join(repository, page), 'utf8'));
    anchors.set(html(page), own);
    const root = relative(dirname(page), '.') ? `${relative(dirname(page), '.')}/` : '';
    mkdirSync(join(out, dirname(page)), {recursive: true});
    writeFileSync(join(out, html(page)), frame.replaceAll('ROOT', root).replace('TITLE', () => escape(title)).replace('CONTENT', () => content));
  }
  for (const file of files) {
    mkdirSync(join(out, dirname(file)), {recursive: true});
    copyFileSync(join(repository, file), join(out, file));
  }
  for (const [page, to] of asked) {
    const [path, hash] = to.split('#');
    const at = path === '' ? html(page) : normalize(join(dirname(page), path));
    if (!existsSync(join(out, at)) || (hash && anchors.has(at) && !anchors.get(at).has(hash))) dead.push(`${page}: ${to}`);
  }
  if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join('\n')}`);
  writeFileSync(join(out, 'index.js'), `globalThis.drayIndex = ${JSON.stringify(index)};\n`);
  for (const name of ['search.js', 'site.css']) copyFileSync(join(here, name), join(out, name));
  writeFileSync(join(out, 'index.html'), '<!doctype html><html lang="en"><meta charset="utf-8"><title>dray</title><meta http-equiv="refresh" content="0; url=docs/README.html"><a href="docs/README.html">dray’s documentation</a></html>\n');
  return {pages: pages.length, sections: index.length, files: files.size};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = build();
  console.log(`build/docs: ${made.pages} pages, ${made.sections} sections to be found, ${made.files} files beside them`);
}
