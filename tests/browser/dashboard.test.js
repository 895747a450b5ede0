// The dashboard of the real `dray demo`, in a real browser. Screenshots stay in build/browser.
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdirSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
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

test('on a phone what a row is of stays in sight while a table is moved sideways', async () => {
  const {page, close} = await visit(browser, `${url}#/ledger`, {viewport: sizes.phone});
  await settled(page);
  const {left, width, moved} = await page.evaluate(() => {
    const table = document.querySelector('#claims .table');
    table.scrollLeft = 200;
    const head = table.querySelector('tbody th').getBoundingClientRect();
    return {left: head.left - table.getBoundingClientRect().left, width: head.width, moved: table.scrollLeft};
  });
  assert.equal(moved, 200);
  assert.equal(Math.round(left), 0);
  assert.ok(width <= sizes.phone.width / 2, `${width} of ${sizes.phone.width}`);
  await close();
});

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

test('partitions that what is in use blocks are no free ones, and are folded away', async () => {
  const {page, faults, close} = await visit(browser, `${url}#/devices?node=dgxh100-08`);
  await settled(page);
  const folded = page.locator('.root details');
  assert.equal(await folded.count(), 1);
  assert.match(await folded.locator('summary').textContent(), /^\d+ partitions blocked by gpu-7$/);
  assert.equal(await page.locator('.devices .who', {hasText: 'blocked: gpu-7 is in use'}).first().isVisible(), false);
  await folded.locator('summary').press('Enter');
  assert.equal(await page.locator('.devices .who', {hasText: 'blocked: gpu-7 is in use'}).first().isVisible(), true);
  await page.getByText('free, but blocked by partitions in use').waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test('one queue over time: used against its fair share and quota', async () => {
  const {page, faults, close} = await visit(browser, `${url}#/queues`);
  await page.locator('#bands select').selectOption('product');
  await page.getByText('GPUs of queue product', {exact: true}).waitFor({timeout: 40_000}); // after the second sample
  assert.deepEqual(await page.locator('#bands .legend-item').allTextContents().then((all) => all.map((text) => text.trim())),
    ['used', 'fair share', 'quota now']);
  await page.screenshot({path: join(out, 'dashboard-queue-over-time.png'), fullPage: true});
  assert.deepEqual(faults, []);
  await close();
});

test('the ledger has a timeline of each claim, and says since when it has its devices', async () => {
  const {page, close} = await visit(browser, `${url}#/ledger`);
  await settled(page);
  const rows = page.locator('#claims tbody tr');
  assert.equal(await page.locator('#claims .life').count(), await rows.count());
  const held = rows.filter({hasText: 'demo/train-0-'});
  assert.match(await held.locator('td').nth(2).innerHTML(), /\d.*<br>.*\d/);
  const waits = rows.filter({hasText: 'demo/huge-0-'});
  assert.match(await waits.locator('td').nth(2).innerHTML(), /\d.*<br>–/);
  await close();
});

const manifest = `apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: whole, namespace: default}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 8}}]}}}
${['first', 'second', 'third'].map((name) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: default}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: x}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: whole}]
`).join('')}`;

/// Asks it by keyboard, and waits for the answer.
async function playWhatIf(page) {
  const pods = page.getByLabel('Pods, as manifests', {exact: false});
  await pods.focus();
  await page.keyboard.insertText(manifest);
  await page.getByRole('button', {name: 'Start from the policy in force'}).press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.what-if textarea')[1].value.includes('queues'));
  await page.getByLabel('Pods run for', {exact: false}).fill('2h');
  await pods.press('Control+Enter');
  const table = page.getByRole('region', {name: 'What becomes of each pod'});
  await table.waitFor();
  return table;
}

test('what if: pods and another policy are played by keyboard, and nothing is held for them', async () => {
  const held = async () => (await (await fetch(`${url}v1/dashboard/overview`)).json()).devicesInUse;
  const before = await held();
  for (const [size, viewport] of Object.entries(sizes)) {
    const {page, faults, close} = await visit(browser, `${url}#/policy`, {viewport, colorScheme: size === 'tablet' ? 'dark' : 'light'});
    const table = await playWhatIf(page);
    assert.match(await table.textContent(), /default\/first.*(starts|waits)/);
    assert.equal(await page.getByRole('region', {name: 'Policies compared'}).locator('tbody tr').count(), 2);
    await page.screenshot({path: join(out, `dashboard-what-if-${size}.png`), fullPage: true});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= viewport.width, `what if is wider than ${size}`);
    assert.deepEqual(faults, []);
    await close();
  }
  assert.equal(await held(), before);
});

test('what if: no serious finding of axe-core', async () => {
  const {page, close} = await visit(browser, `${url}#/policy`, {bypassCSP: true});
  await playWhatIf(page);
  await page.evaluate(readFileSync(axe, 'utf8'));
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(({id, impact}) => `${impact} ${id}`));
  assert.deepEqual(found.filter((text) => /^(serious|critical)/.test(text)), []);
  await close();
});

test('what if: what cannot be read is said, with its line', async () => {
  const {page, close} = await visit(browser, `${url}#/policy`);
  await page.getByLabel('Pods, as manifests', {exact: false}).fill('apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {priority: high}\n');
  await page.getByRole('button', {name: 'Play it'}).click();
  await page.getByRole('alert').filter({hasText: 'workload:4: Pod a: spec.priority: expected an integer'}).waitFor();
  await close();
});

test('a page of another origin can ask for no simulation', async () => {
  const other = createServer((_, answer) => { answer.setHeader('Content-Type', 'text/html'); answer.end('<h1>other</h1>'); }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const {page, close} = await visit(browser, `http://127.0.0.1:${other.address().port}/`);
  const answers = await page.evaluate(async (target) => Promise.all(['application/json', 'text/plain'].map((type) => fetch(target, {
    method: 'POST', mode: type === 'text/plain' ? 'no-cors' : 'cors', headers: {'Content-Type': type}, body: '{"policies":[{}]}'}).then(({status, type: kind}) => `${kind} ${status}`, (error) => error.name))), `${url}v1/simulate`);
  assert.deepEqual(answers, ['TypeError', 'TypeError']);
  await close();
  other.close();
});
