// The dashboard over 1,000 and 10,000 nodes of eight devices, in a real browser. What it asks of a browser is counted:
// elements, bytes and requests. How long it took is held against its goals as the best of several tries, each with a fresh
// page: other load of the machine makes some tries slow, and a page that is too slow is so in all of them.
import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {launch, root, settled, startDemo, visit} from './browser.js';

const driver = 'gpu.example.com';
const devices = 8;
const pods = 100;
/// Of one screen, however large the cluster is.
const mostElements = 8000;
const mostBytes = 256 * 1024;
const mostRequests = 12;
/// Milliseconds, with 1,000 nodes as with 10,000.
const goals = {firstPaint: 1000, interaction: 100};
const mostTries = 6;
const screens = ['overview', 'devices', 'queues', 'waiting', 'ledger', 'policy', 'health'];

const node = (name) => [
  {apiVersion: 'v1', kind: 'Node', metadata: {name, labels: {'kubernetes.io/hostname': name}},
    status: {allocatable: {cpu: '64', memory: '512Gi', pods: '110'}, conditions: [{type: 'Ready', status: 'True'}]}},
  {apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: {name: `${name}-gpu`},
    spec: {driver, nodeName: name, pool: {name, generation: 1, resourceSliceCount: 1}, devices: Array.from({length: devices}, (_, at) => (
      {name: `gpu-${at}`, attributes: {productName: {string: 'GPU X'}, 'resource.kubernetes.io/pcieRoot': {string: `pci0000:0${at}`}, numaNode: {int: at >> 2}}}))}}];

const template = (name, count) => ({apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaimTemplate', metadata: {name, namespace: 'demo'},
  spec: {spec: {devices: {requests: [{name: 'gpu', exactly: {deviceClassName: driver, count}}]}}}});

/// Each tenth wants more than a node has.
const pod = (at) => ({apiVersion: 'v1', kind: 'Pod', metadata: {name: `p-${at}`, namespace: 'demo'},
  spec: {schedulerName: 'dray-scheduler', containers: [{name: 'main', image: 'pause:3.10'}],
    resourceClaims: [{name: 'gpu', resourceClaimTemplateName: at % 10 === 9 ? 'nine' : 'one'}]}});

const manifests = (objects) => objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('');

function world(nodes) {
  const folder = mkdtempSync(join(tmpdir(), 'dray-scale-'));
  const [cluster, workload] = ['cluster.yaml', 'workload.yaml'].map((name) => join(folder, name));
  writeFileSync(cluster, manifests([
    {apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: {name: driver}, spec: {selectors: [{cel: {expression: `device.driver == "${driver}"`}}]}},
    ...Array.from({length: nodes}, (_, at) => node(`node-${String(at).padStart(5, '0')}`)).flat()]));
  writeFileSync(workload, manifests([{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'demo'}}, template('one', 1), template('nine', 9),
    ...Array.from({length: pods}, (_, at) => pod(at))]));
  return {args: ['--cluster', cluster, '--workload', workload], remove: () => rmSync(folder, {recursive: true})};
}

/// What the page has and asked for since it was opened, and how long its own events took until they were painted.
const figures = (page) => page.evaluate(() => ({
  elements: document.querySelectorAll('*').length,
  requests: performance.getEntriesByType('resource').length,
  bytes: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({name}) => !name.endsWith('/events')).reduce((sum, {decodedBodySize}) => sum + decodedBodySize, 0),
  painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  slowest: Math.max(0, ...globalThis.eventTimes),
}));

/// The least of what tries measure: of as many as it takes to reach the goal, at most mostTries.
async function bestOf(goal, measure) {
  const tries = [];
  do tries.push(await measure()); while (tries.at(-1) >= goal && tries.length < mostTries);
  return {best: Math.min(...tries), told: tries.map(Math.round).join(', ')};
}

/// Opens the screen once more, and looks at its first paint alone.
async function firstPaint(browser, url) {
  const {page, close} = await visit(browser, url, {timeEvents: true});
  await settled(page);
  const {painted} = await figures(page);
  await close();
  return painted;
}

/// Paging, finding a node, opening it, and four screens, as a person does: the slowest event until it was painted.
async function goAround(browser, url, nodes) {
  const {page, faults, close} = await visit(browser, `${url}#/devices`, {timeEvents: true});
  await settled(page);
  const boxes = page.locator('.nodes a');
  const shown = await boxes.count();
  assert.ok(shown > 0 && shown < nodes, `${shown} boxes`);
  await page.getByRole('button', {name: 'Later'}).click();
  await page.getByText(new RegExp(`^${shown + 1}–`)).waitFor();
  await page.getByLabel('Name contains').fill('00777');
  await page.keyboard.press('Enter');
  await page.locator('.nodes a', {hasText: 'node-00777'}).click();
  await page.getByRole('heading', {name: 'node-00777', level: 2}).waitFor();
  await page.locator('.devices li').first().waitFor();
  assert.equal(await page.locator('.devices li').count(), devices);
  for (const screen of ['waiting', 'ledger', 'overview', 'devices']) {
    await page.getByRole('link', {name: screen, exact: true}).click();
    await settled(page);
  }
  const {elements, slowest} = await figures(page);
  assert.ok(elements < mostElements, `${elements} elements`);
  assert.deepEqual(faults, []);
  await close();
  return slowest;
}

for (const nodes of [1000, 10_000]) {
  test(`${nodes} nodes: each screen is as small as with ten`, {timeout: 300_000}, async (context) => {
    const {args, remove} = world(nodes);
    const demo = await startDemo(args);
    const browser = await launch();
    const out = join(root, 'build', 'browser');
    mkdirSync(out, {recursive: true});
    try {
      for (const screen of screens) {
        const {page, faults, close} = await visit(browser, `${demo.url}#/${screen}`, {timeEvents: true});
        await settled(page);
        const {elements, bytes, requests} = await figures(page);
        const whole = Math.round(await page.evaluate(() => performance.now()));
        assert.ok(elements < mostElements, `${screen}: ${elements} elements`);
        assert.ok(bytes < mostBytes, `${screen}: ${bytes} bytes`);
        assert.ok(requests < mostRequests, `${screen}: ${requests} requests`);
        await page.screenshot({path: join(out, `scale-${nodes}-${screen}.png`)});
        assert.deepEqual(faults, []);
        await close();
        const {best, told} = await bestOf(goals.firstPaint, () => firstPaint(browser, `${demo.url}#/${screen}`));
        context.diagnostic(`${screen}: ${elements} elements, ${bytes} bytes, ${requests} requests, first paint after ${told} ms, its data after ${whole} ms`);
        assert.ok(best < goals.firstPaint, `${screen}: first paint after ${told} ms, ${goals.firstPaint} at most`);
      }
      const {best, told} = await bestOf(goals.interaction, () => goAround(browser, demo.url, nodes));
      context.diagnostic(`paging, finding, a node, four screens: the slowest event was painted after ${told} ms`);
      assert.ok(best < goals.interaction, `an event was painted after ${told} ms, ${goals.interaction} at most`);
    } finally {
      await browser.close();
      demo.stop();
      remove();
    }
  });
}
