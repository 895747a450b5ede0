// Debian's Chromium, driven by playwright-core, and what a page did in it.
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';

const web = createRequire(new URL('../../web/package.json', import.meta.url));
const {chromium} = web('playwright-core');
export const axe = web.resolve('axe-core/axe.min.js');
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const launch = () => chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync']});

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

async function show(browser, url, mayAsk, options) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  const faults = [];
  page.on('request', (request) => { if (!mayAsk(request.url())) faults.push(`asks for ${request.url()}`); });
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(message.text()); });
  page.on('pageerror', (error) => faults.push(String(error)));
  await page.addInitScript(() => addEventListener('securitypolicyviolation',
    (event) => console.error(`forbidden: ${event.violatedDirective} ${event.blockedURI}`)));
  await page.goto(url);
  await page.locator('h1').waitFor();
  return {page, faults, close: () => context.close()};
}
