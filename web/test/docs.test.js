import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {anchor, build} from '../docs/build.js';

const out = mkdtempSync(join(tmpdir(), 'dray-docs-'));
before(() => { build(out); });
after(() => rmSync(out, {recursive: true}));

test('an anchor is what GitHub makes of a heading', () => {
  assert.equal(anchor('Why a pod waits: dray explain'), 'why-a-pod-waits-dray-explain');
});

test('every document is a page, and links stay within the site', () => {
  const page = readFileSync(join(out, 'docs', 'README.html'), 'utf8');
  assert.match(page, /<a href="try\.html">/);
  assert.match(page, /<a href="\.\.\/README\.html#beside-a-real-cluster">/);
  assert.ok(existsSync(join(out, 'docs', 'cookbook', 'README.html')));
  assert.ok(existsSync(join(out, 'config', 'serve.yaml')), 'a file that is pointed at is there');
});

test('sections are in the index with their text', () => {
  globalThis.drayIndex = undefined;
  (0, eval)(readFileSync(join(out, 'index.js'), 'utf8'));
  const section = globalThis.drayIndex.find(({at}) => at === 'docs/dashboard.html#who-may-look');
  assert.ok(section.text.includes('loopback'));
});
