// The dashboard of the real `dray demo`, in a real browser. Screenshots stay in build/browser.
import assert from 'node:assert/strict';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {axe, launch, root, settled, startDemo, visit} from './browser.js';

const out = join(root, 'build', 'browser');
const sizes = {desk: {width: 1440, height: 900}, tablet: {width: 820, height: 1100}, phone: {width: 390, height: 800}};
const screens = {
  overview: '#/overview', devices: '#/devices', node: '#/devices?node=dgxh100-05', queues: '#/queues', waiting: '#/waiting',
  ledger: '#/ledger', policy: '#/policy', health: '#/health',
};
let browser, demo, url;

before(async () => {
  mkdirSync(out, {recursive: true});
  demo = await startDemo();
  url = demo.url;
  browser = await launch();
  const list = await (await fetch(`${url}v1/dashboard/waiting`)).json();
  screens.explain = `#/explain?pod=${encodeURIComponent(list.groups[0].rows[0].pod)}`;
});
after(async () => { await browser?.close(); demo?.stop(); });

for (const name of [...Object.keys(screens), 'explain']) {
  test(`${name}: at three sizes nothing fails, and nothing is wider than the screen`, async () => {
    for (const [size, viewport] of Object.entries(sizes)) {
      const {page, faults, close} = await visit(browser, url + screens[name], {viewport, colorScheme: size === 'tablet' ? 'dark' : 'light'});
      await page.locator('.live:not(.lost)').waitFor();
      await settled(page);
      await page.screenshot({path: join(out, `dashboard-${name}-${size}.png`), fullPage: true});
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= viewport.width, `${name} is wider than ${size}`);
      assert.deepEqual(faults, []);
      await close();
    }
  });

  test(`${name}: no serious finding of axe-core in either theme`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const {page, close} = await visit(browser, url + screens[name], {colorScheme, bypassCSP: true});
      await settled(page);
      await page.evaluate(readFileSync(axe, 'utf8'));
      const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(
        ({id, impact, nodes}) => `${impact} ${id}: ${nodes.map(({target}) => target).slice(0, 3).join(' | ')}`));
      assert.deepEqual(found.filter((text) => /^(serious|critical)/.test(text)), []);
      await close();
    }
  });
}

test('from a node to the claim that has its device, by keyboard', async () => {
  const {page, faults, close} = await visit(browser, `${url}#/devices`);
  const boxes = page.locator('.nodes a');
  await boxes.first().focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await boxes.nth(1).evaluate((box) => box === document.activeElement), true);
  await page.keyboard.press('Enter');
  const name = (await boxes.nth(1).textContent()).trim();
  await page.getByRole('heading', {name, level: 2}).waitFor();
  assert.deepEqual(faults, []);
  await close();
});
