// Reports of the real `dray simulate`, in a real browser. Screenshots stay in build/browser.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {axe, launch, open, root} from './browser.js';

const out = join(root, 'build', 'browser');
const dray = process.env.DRAY_PROGRAM ?? join(root, 'build', 'release', 'bin', 'dray');
const sample = ['--cluster', 'openb:config/simulate/openb-nodes.csv'];
const reports = {
  experiment: [...sample, '--workload', 'openb:config/simulate/openb-pods.csv', '--policy', 'fgd', '--policy', 'bestfit',
    '--policy', 'dray', '--repeat', '10'],
  times: [...sample, '--workload', 'openb-times:config/simulate/openb-pods.csv', '--policy', 'bestfit', '--policy', 'random',
    '--repeat', '3'],
  queues: ['--cluster', 'nodes:24x8', '--workload',
    'synthetic:jobs=600,per-hour=60,swing=0.6,sigma=1.4,median=3000,queues=research*3+product*2+serving,sizes=1*60+2*10+4*10+8*10+2x8*4',
    '--policy', 'fcfs', '--policy', 'fair', '--policy', 'bestfit'],
};
reports.pods = ['--cluster', 'config/demo/cluster', '--workload', 'pods:config/demo/workload.yaml', '--policy', 'config/demo/policy.yaml',
  '--policy', 'none', '--run-time', '10m'];
const path = (name) => join(out, `${name}.html`);
const json = {};
let browser;

before(async () => {
  mkdirSync(out, {recursive: true});
  for (const [name, flags] of Object.entries(reports)) {
    const said = execFileSync(dray, ['simulate', ...flags, '-o', 'json', '--report', path(name)], {cwd: root, maxBuffer: 1 << 28});
    json[name] = JSON.parse(said);
  }
  browser = await launch();
});
after(() => browser?.close());

async function shoot(page, name) {
  await page.screenshot({path: join(out, `${name}.png`), fullPage: true});
}

for (const name of Object.keys(reports)) {
  for (const colorScheme of ['light', 'dark']) {
    test(`${name}, ${colorScheme}: nothing is asked for, nothing is forbidden, nothing fails`, async () => {
      const {page, faults, close} = await open(browser, path(name), {colorScheme});
      const paper = await page.locator('section').first().evaluate((element) => getComputedStyle(element).backgroundColor);
      assert.equal(paper, colorScheme === 'dark' ? 'rgb(24, 29, 36)' : 'rgb(255, 255, 255)');
      await page.locator('.plot canvas').first().waitFor();
      await shoot(page, `${name}-${colorScheme}`);
      assert.deepEqual(faults, []);
      await close();
    });
  }

  test(`${name}: pointing at a curve shows its numbers, and so do the arrow keys`, async () => {
    const {page, faults, close} = await open(browser, path(name));
    const chart = page.locator('.chart').first();
    const values = chart.locator('.legend b');
    assert.equal(await values.count(), 0);
    await chart.locator('.u-over').hover({position: {x: 300, y: 80}});
    await values.first().waitFor();
    const pointed = await values.allTextContents();
    assert.ok(pointed.every((text) => /\d/.test(text)), pointed.join());
    await shoot(page, `${name}-hover`);
    const second = page.locator('.chart').nth(1);
    await page.mouse.move(0, 0);
    await second.locator('.plot').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('PageDown');
    await second.locator('.legend b').first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test(`${name}: the slider moves the map`, async () => {
    const {page, faults, close} = await open(browser, path(name));
    const figures = page.locator('.map figcaption span');
    const before = await figures.first().textContent();
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    const said = await slider.getAttribute('aria-valuetext');
    assert.match(said, /first arrival|demand/);
    // It begins at the busiest moment, which may be the first.
    const atHome = await figures.first().textContent();
    await page.keyboard.press('End');
    assert.ok(atHome !== before || await figures.first().textContent() !== before);
    await page.locator('.map svg').first().hover({position: {x: 8, y: 8}});
    await page.waitForFunction(() => /GPUs held.*/.test(document.querySelector('.map figcaption span').textContent));
    assert.match(await figures.first().textContent(), /\(.+\): \d+ of \d+ GPUs held/);
    assert.deepEqual(faults, []);
    await close();
  });

  test(`${name}: no serious finding of axe-core in either theme, and on a phone nothing is wider than it`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const {page, close} = await open(browser, path(name), {colorScheme, bypassCSP: true});
      await page.evaluate(readFileSync(axe, 'utf8'));
      const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(
        ({id, impact, nodes}) => `${impact} ${id}: ${nodes.map(({target}) => target).slice(0, 3).join(' | ')}`));
      assert.deepEqual(found.filter((text) => /^(serious|critical)/.test(text)), []);
      await close();
    }
    const {page, close} = await open(browser, path(name), {viewport: {width: 390, height: 800}});
    await shoot(page, `${name}-phone`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await close();
  });

  test(`${name}: on paper it is light and nothing is cut off`, async () => {
    const {page, faults, close} = await open(browser, path(name), {colorScheme: 'dark'});
    await page.pdf({path: join(out, `${name}.pdf`), format: 'A4', margin: {top: '14mm', bottom: '14mm', left: '12mm', right: '12mm'}});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const ink = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--paper'));
    assert.equal(ink.trim(), '#ffffff');
    assert.deepEqual(faults, []);
    await close();
  });
}

/// The numbers of a table as they were given to the page, by the heads of the rows.
const numbers = (page, caption) => page.getByRole('region', {name: caption, exact: true}).locator('tbody tr').evaluateAll(
  (rows) => Object.fromEntries(rows.map((row) => [row.querySelector('th').firstChild.textContent,
    [...row.querySelectorAll('td')].map((cell) => Number(cell.dataset.value))])));

for (const name of ['times', 'queues']) {
  test(`${name}: what it shows is what -o json says`, async () => {
    const {page, close} = await open(browser, path(name));
    const first = json[name].runs.filter(({seed}) => seed === json[name].runs[0].seed);
    const shown = await numbers(page, 'Measures by policy');
    const wanted = {
      'wait, median': ({all}) => all.waitP50, 'wait, p95': ({all}) => all.waitP95, 'wait, p99': ({all}) => all.waitP99,
      'wait, mean': ({all}) => all.waitMean, 'wait of gangs, p95': ({all}) => all.gangWaitP95,
      'jobs not ended': ({all}) => all.jobs - all.ended, evictions: ({all}) => all.evictions,
      'of these preemptions': ({all}) => all.preemptions, 'stopped by failing nodes': ({all}) => all.failures, moves: ({all}) => all.moves,
      'GPU-hours lost': ({all}) => all.lostGpuHours, 'GPU-hours useful': ({all}) => all.gpuHours,
      'GPUs in use': ({utilisation}) => utilisation, 'GPUs fragmented': ({fragmented}) => fragmented, makespan: ({makespan}) => makespan, "Jain's index": ({jain}) => jain,
      'GPUs owed to queues': ({all}) => all.owed,
    };
    assert.deepEqual(Object.keys(shown), Object.keys(wanted));
    for (const [head, of] of Object.entries(wanted)) assert.deepEqual(shown[head], first.map(of), head);
    const queues = await numbers(page, 'Waiting and evictions by queue');
    const against = await numbers(page, 'GPUs held, and fair share, on average');
    for (const [at, {queue}] of first[0].queues.entries()) {
      assert.deepEqual(queues[queue], first.flatMap((run) => ['waitP50', 'waitP95', 'evictions'].map((key) => run.queues[at][key])));
      assert.deepEqual(against[queue], first.flatMap((run) => ['held', 'fairShare', 'owed'].map((key) => run.queues[at][key])));
    }
    const models = await numbers(page, 'GPUs in use by model');
    for (const [at, {model}] of first[0].models.entries()) {
      assert.deepEqual(models[model], first.map((run) => run.models[at].utilisation));
    }
    if (name === 'queues') {
      const gangs = await numbers(page, 'Close together');
      assert.deepEqual(gangs['gangs on one node'], first.map((run) => run.gangs.find(({level}) => level === 'node').together));
    }
    await close();
  });
}

test('experiment: what it shows is what -o json says', async () => {
  const {page, close} = await open(browser, path('experiment'));
  const shown = await numbers(page, 'Measures by policy');
  const {runs} = json.experiment;
  const policies = [...new Set(runs.map(({policy}) => policy))];
  const mean = (of) => policies.map((policy) => {
    const values = runs.filter((run) => run.policy === policy).map(of);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  });
  const at = (key, demand) => mean(({points}) => points.findLast((point) => point.demand <= demand)[key]);
  const near = (head, wanted) => shown[head].forEach((value, place) =>
    assert.ok(Math.abs(value - wanted[place]) < 2e-4, `${head}: ${value} and ${wanted[place]}`));
  near('GPU allocated at 100 % demand', at('allocated', 100));
  near('GPU allocated at 130 % demand', at('allocated', 130));
  near('fragmented at 130 % demand', at('fragmented', 130));
  near('pods refused', mean(({refused}) => refused));
  await close();
});
