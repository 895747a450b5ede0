// The dashboard of `dray serve` where an API server says who may see what, in a real browser. The API server is one of this
// file, which knows two tokens; tests/cluster asks a real one.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {after, before, test} from 'node:test';
import {axe, launch, root, settled, visit} from './browser.js';

const out = join(root, 'build', 'browser');
const meta = (name, namespace) => ({name, namespace, uid: `uid-${namespace ?? ''}-${name}`, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z'});
const device = (name) => ({request: 'gpu', driver: 'gpu.example.com', pool: 'n0', device: name});

function claim(namespace, pod, held) {
  return {metadata: meta(`${pod}-gpu`, namespace), spec: {devices: {requests: [{name: 'gpu', exactly: {deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1}}]}},
    status: held && {allocation: {devices: {results: [device(held)]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: 'metadata.name', operator: 'In', values: ['n0']}]}]}},
      reservedFor: [{resource: 'pods', name: pod, uid: `uid-${namespace}-${pod}`}]}};
}

function pod(namespace, name, node) {
  return {metadata: meta(name, namespace), spec: {schedulerName: 'dray-scheduler', nodeName: node, resourceClaims: [{name: 'gpu', resourceClaimName: `${name}-gpu`}],
    containers: [{name: 'main', image: 'pause', resources: {requests: {cpu: '1'}, claims: [{name: 'gpu'}]}}]}, status: {phase: node ? 'Running' : 'Pending'}};
}

const kinds = {nodes: 'Node', pods: 'Pod', resourceclaims: 'ResourceClaim', deviceclasses: 'DeviceClass', resourceslices: 'ResourceSlice'};
const lists = {
  '/api/v1/nodes': [{metadata: meta('n0'), status: {allocatable: {cpu: '64', memory: '64Gi', pods: '110'}}}],
  '/api/v1/pods': [pod('blue', 'azure', 'n0'), pod('blue', 'navy'), pod('red', 'crimson', 'n0'), pod('red', 'ruby')],
  '/apis/resource.k8s.io/v1/resourceclaims': [claim('blue', 'azure', 'gpu-0'), claim('blue', 'navy'), claim('red', 'crimson', 'gpu-1'), claim('red', 'ruby')],
  '/apis/resource.k8s.io/v1/deviceclasses': [{metadata: meta('gpu'), spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}}],
  '/apis/resource.k8s.io/v1/resourceslices': [{metadata: meta('n0-gpus'), spec: {driver: 'gpu.example.com', nodeName: 'n0',
    pool: {name: 'n0', generation: 1, resourceSliceCount: 1}, devices: [{name: 'gpu-0'}, {name: 'gpu-1'}]}}],
};
const known = new Map([['operator-token', 'olga'], ['tenant-token', 'tom']]);

/// Who may what: olga get /dashboard, tom list pods and claims in blue.
function allows({user, nonResourceAttributes: path, resourceAttributes: resource}) {
  if (user === 'olga') return path?.path === '/dashboard' && path.verb === 'get';
  return user === 'tom' && resource?.verb === 'list' && resource.namespace === 'blue' && ['pods', 'resourceclaims'].includes(resource.resource);
}

/// The Leases of the replicas: another one stands by all the time.
const leases = new Map([['dray-standby-1', {metadata: {...meta('dray-standby-1', 'dray-system')}, spec: {holderIdentity: 'dray-b', leaseDurationSeconds: 15}}]]);

function answerLease(request, name, body) {
  if (request.method !== 'GET') {
    const lease = JSON.parse(body);
    const resourceVersion = String(Number(lease.metadata.resourceVersion ?? 1) + 1);
    leases.set(lease.metadata.name, {...lease, metadata: {...lease.metadata, resourceVersion}});
    return {status: 200, json: leases.get(lease.metadata.name)};
  }
  const lease = leases.get(name);
  if (!lease) return {status: 404, json: {kind: 'Status', code: 404, message: 'there is no such lease'}};
  if (lease.spec.holderIdentity === 'dray-b') lease.spec.renewTime = new Date().toISOString().replace('Z', '000Z');
  return {status: 200, json: {apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease}};
}

function answer(request, body) {
  const {pathname, searchParams} = new URL(request.url, 'http://any');
  const lease = /\/namespaces\/dray-system\/leases(?:\/(.+))?$/.exec(pathname);
  if (lease) return answerLease(request, lease[1], body);
  if (searchParams.has('watch')) return undefined;
  if (pathname === '/metrics') return {status: 404};
  if (request.method === 'GET') {
    const [, , version, plural] = /^\/(api|apis)\/(.*)\/([^/]+)$/.exec(pathname);
    const items = (lists[pathname] ?? []).map((item) => ({apiVersion: version, kind: kinds[plural], ...item}));
    return {status: 200, json: {kind: 'List', metadata: {resourceVersion: '1'}, items}};
  }
  const {kind, spec} = body ? JSON.parse(body) : {};
  if (kind === 'TokenReview') {
    const user = known.get(spec.token);
    return {status: 201, json: {kind, status: user ? {authenticated: true, user: {username: user}} : {error: 'unknown'}}};
  }
  if (kind === 'SubjectAccessReview') return {status: 201, json: {kind, status: {allowed: allows(spec)}}};
  return {status: 404, json: {kind: 'Status', code: 404, message: 'nothing is written here'}};
}

const api = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', () => {
    const said = answer(request, body);
    response.writeHead(said?.status ?? 200, {'Content-Type': 'application/json'});
    if (said) response.end(said.json ? JSON.stringify(said.json) : '');
    else response.flushHeaders(); // a watch that says nothing
  });
});

let browser, dray, url, folder;

before(async () => {
  mkdirSync(out, {recursive: true});
  folder = mkdtempSync(join(tmpdir(), 'dray-login-'));
  await new Promise((listening) => api.listen(0, '127.0.0.1', listening));
  const [kubeconfig, cert, key] = ['kubeconfig', 'tls.crt', 'tls.key'].map((name) => join(folder, name));
  writeFileSync(kubeconfig, JSON.stringify({apiVersion: 'v1', kind: 'Config', 'current-context': 'c', contexts: [{name: 'c', context: {cluster: 'c', user: 'u'}}],
    clusters: [{name: 'c', cluster: {server: `http://127.0.0.1:${api.address().port}`}}], users: [{name: 'u', user: {token: 'drays-own'}}]}));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert], {stdio: ['ignore', 'ignore', 'pipe']});
  dray = spawn(process.env.DRAY_PROGRAM ?? join(root, 'build', 'release', 'bin', 'dray'), ['serve', '--kubeconfig', kubeconfig, '--identity', 'dray-a',
    '--extender-address', '127.0.0.1:0', '--insecure-extender', '--admin-address', '127.0.0.1:0', '--dashboard-address', '0.0.0.0:0',
    '--dashboard-tls-cert', cert, '--dashboard-tls-key', key], {stdio: ['ignore', 'inherit', 'pipe']});
  const lines = createInterface({input: dray.stderr});
  url = await new Promise((found, failed) => {
    lines.on('line', (line) => { const at = /dashboard on port (\d+)/.exec(line); if (at) found(`https://localhost:${at[1]}/`); });
    lines.on('close', () => failed(new Error('dray ended before it said where its dashboard is')));
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  dray?.kill('SIGKILL');
  api.closeAllConnections();
  api.close();
  rmSync(folder, {recursive: true, force: true});
});

const insecure = {ignoreHTTPSErrors: true};
/// Chromium reports each 401 as an error of the page.
const others = (faults) => faults.filter((text) => !/status of 401/.test(text));

async function logIn(page, token) {
  await page.getByLabel('Bearer token').fill(token);
  await page.keyboard.press('Enter');
}

test('without a token the page asks for one, refuses a wrong one, and shows nothing', async () => {
  const {page, faults, close} = await visit(browser, url, insecure);
  await page.getByRole('heading', {name: 'Who is looking?'}).waitFor();
  await page.screenshot({path: join(out, 'dashboard-login.png'), fullPage: true});
  await logIn(page, 'a-guess');
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').textContent(), /does not know this token/);
  assert.doesNotMatch(await page.textContent('body'), /azure|crimson|gpu-0/);
  assert.deepEqual(others(faults), []);
  await close();
});

test('the login has no serious finding of axe-core in either theme', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const {page, close} = await visit(browser, url, {...insecure, colorScheme, bypassCSP: true});
    await page.getByRole('heading', {name: 'Who is looking?'}).waitFor();
    await page.evaluate(readFileSync(axe, 'utf8'));
    const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.map(({id, impact}) => `${impact} ${id}`));
    assert.deepEqual(found.filter((text) => /^(serious|critical)/.test(text)), []);
    await close();
  }
});

test('a tenant sees his own, and of others numbers', async () => {
  const {page, faults, close} = await visit(browser, url, insecure);
  await logIn(page, 'tenant-token');
  await page.locator('.live:not(.lost)').waitFor();
  await settled(page);
  await page.getByText('You are tom. Named are pods, jobs and claims of the 1 namespace').waitFor();
  await page.screenshot({path: join(out, 'dashboard-tenant-overview.png'), fullPage: true});
  for (const [screen, seen] of [['ledger', 'blue/azure-gpu'], ['waiting', 'blue/navy'], ['devices?node=n0', 'azure']]) {
    await page.goto(`${url}#/${screen}`);
    await page.getByText(seen).first().waitFor();
    await settled(page);
    await page.screenshot({path: join(out, `dashboard-tenant-${screen.split('?')[0]}.png`), fullPage: true});
    assert.doesNotMatch(await page.textContent('body'), /crimson|ruby|red\//, screen);
  }
  await page.goto(`${url}#/policy`);
  await page.getByRole('alert').waitFor();
  assert.deepEqual(faults.filter((text) => !/status of 40[13]/.test(text)), []);
  await close();
});

test('an operator reads which replica leads and which stand by, a tenant does not', async () => {
  const {page, faults, close} = await visit(browser, url, insecure);
  await logIn(page, 'operator-token');
  await page.locator('.live:not(.lost)').waitFor();
  await page.goto(`${url}#/health`);
  const replicas = page.getByRole('table', {name: 'Replicas'});
  await replicas.getByRole('row', {name: 'dray-b stands by'}).waitFor();
  await replicas.getByRole('row', {name: 'dray-a leads; this replica'}).waitFor();
  await page.getByText('1 replica could take over at once.').waitFor();
  await page.screenshot({path: join(out, 'dashboard-replicas.png'), fullPage: true});
  await page.getByRole('button', {name: 'Forget my token'}).click();
  await logIn(page, 'tenant-token');
  await page.locator('.live:not(.lost)').waitFor();
  await page.getByRole('table', {name: 'Checks'}).waitFor();
  assert.doesNotMatch(await page.textContent('body'), /dray-[ab]/);
  assert.deepEqual(faults.filter((text) => !/status of 40[13]/.test(text)), []);
  await close();
});

test('an operator sees everything; a token is the tab\'s own, and can be forgotten', async () => {
  const {page, faults, close} = await visit(browser, url, insecure);
  await logIn(page, 'operator-token');
  await page.locator('.live:not(.lost)').waitFor();
  await page.goto(`${url}#/ledger`);
  await page.getByText('red/crimson-gpu').first().waitFor();
  await page.reload();
  await page.getByText('red/crimson-gpu').first().waitFor();
  await page.getByRole('button', {name: 'Forget my token'}).click();
  await page.getByRole('heading', {name: 'Who is looking?'}).waitFor();
  assert.doesNotMatch(await page.textContent('body'), /crimson/);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  assert.deepEqual(others(faults), []);
  await close();
  const second = await visit(browser, url, insecure);
  await second.page.getByRole('heading', {name: 'Who is looking?'}).waitFor();
  await second.close();
});
