// The documents as a site, from files, in a real browser.
import assert from 'node:assert/strict';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {build} from '../../web/docs/build.js';
import {axe, launch, root} from './browser.js';

const site = join(root, 'build', 'docs');
let browser;
before(async () => { build(); mkdirSync(join(root, 'build', 'browser'), {recursive: true}); browser = await launch(); });
after(async () => { await browser?.close(); });

async function read(name, options = {}) {
  const context = await browser.newContext({offline: true, ...options});
  const page = await context.newPage();
  const faults = [];
  page.on('request', (request) => { if (!request.url().startsWith(`file://${site}/`)) faults.push(`asks for ${request.url()}`); });
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(message.text()); });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.goto(`file://${join(site, name)}`);
  return {page, faults, close: () => context.close()};
}

test('a word is found, and leads to its section', async () => {
  const {page, faults, close} = await read('docs/README.html');
  await page.getByLabel('Search').fill('victimCooldown');
  await page.locator('#found li').first().waitFor();
  await page.getByLabel('Search').fill('gang minimum');
  await page.locator('#found li a').first().click();
  await page.waitForURL(/#/);
  await page.getByLabel('Search').fill('no such word anywhere, I say');
  await page.getByText('Nothing has all these words.').waitFor();
  assert.deepEqual(faults, []);
  await close();
});

for (const name of ['docs/README.html', 'docs/policy-keys.html', 'docs/waiting-reasons.html', 'README.html', 'docs/decisions/README.html']) {
  test(`${name}: nothing is wider than a phone, and axe-core finds nothing serious in either theme`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const {page, faults, close} = await read(name, {colorScheme, viewport: {width: 390, height: 800}});
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, `${name} is wider than a phone`);
      await page.evaluate(readFileSync(axe, 'utf8'));
      const found = await page.evaluate(async () => (await globalThis.axe.run({preload: false})).violations.map(
        ({id, impact, nodes}) => `${impact} ${id}: ${nodes.map(({target}) => target).slice(0, 3).join(' | ')}`));
      assert.deepEqual(found.filter((text) => /^(serious|critical)/.test(text)), []);
      assert.deepEqual(faults, []);
      await page.screenshot({path: join(root, 'build', 'browser', `docs-${name.replaceAll('/', '-')}-${colorScheme}.png`)});
      await close();
    }
  });
}
