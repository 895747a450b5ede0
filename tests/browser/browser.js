// Debian's Chromium, driven by playwright-core, and what a page did in it.
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

const web = createRequire(new URL('../../web/package.json', import.meta.url));
const {chromium} = web('playwright-core');
export const axe = web.resolve('axe-core/axe.min.js');
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const launch = () => chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync']});

/// The real `dray demo` with its dashboard on a free port.
export async function startDemo(args = []) {
  const dray = process.env.DRAY_PROGRAM ?? join(root, 'build', 'release', 'bin', 'dray');
  const demo = spawn(dray, ['demo', '--dashboard-port', '0', ...args], {cwd: root, stdio: ['ignore', 'pipe', 'inherit']});
  const lines = createInterface({input: demo.stdout});
  const url = await new Promise((found, failed) => {
    lines.on('line', (line) => { const at = /^dashboard: (http:\S+)/.exec(line); if (at) found(at[1]); });
    lines.on('close', () => failed(new Error('the demo ended before it printed where its dashboard is')));
  });
  return {url, stop: () => demo.kill('SIGTERM')};
}

/// Every part of a dashboard's screen has its data.
export async function settled(page) {
  await page.locator('main section').first().waitFor();
  await page.locator('main:not(:has-text("Asking dray…"))').waitFor();
}

/// Opens a file. What the page asks of the network, what its policy forbids it and what it says to the
/// console is in `faults`, which stays empty for a page that is in order.
export function open(browser, path, options = {}) {
  const url = `file://${path}`;
  return show(browser, url, (asked) => asked === url, {offline: true, ...options});
}

/// The same of a page that a server on this host has; it may ask that server, and nobody else.
export function visit(browser, url, options = {}) {
  const {origin} = new URL(url);
  return show(browser, url, (asked) => new URL(asked).origin === origin, options);
}

async function show(browser, url, mayAsk, {timeEvents = false, ...options}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  const faults = [];
  page.on('request', (request) => { if (!mayAsk(request.url())) faults.push(`asks for ${request.url()}`); });
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(message.text()); });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.addInitScript(() => addEventListener('securitypolicyviolation',
    (event) => console.error(`forbidden: ${event.violatedDirective} ${event.blockedURI}`)));
  if (timeEvents) {
    await page.addInitScript(() => {
      globalThis.eventTimes = [];
      new PerformanceObserver((list) => globalThis.eventTimes.push(...list.getEntries().map(({duration}) => duration)))
        .observe({type: 'event', durationThreshold: 16});
    });
  }
  await page.goto(url);
  await page.locator('h1').waitFor();
  return {page, faults, close: () => context.close()};
}
