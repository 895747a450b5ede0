import {Section} from '../components/controls.js';
import {plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {useAnswer} from './ask.js';
import {Answered, Find, link, Pager, when} from './parts.js';

const step = 100;
const states = {allocated: 'allocated', reserved: 'reserved by dray, not written yet', waiting: 'has nothing yet', leaving: 'is being deleted'};

const mostDevices = 8;

/// `driver/pool: a, b` for each pool, and how many more there are.
export function devicesText(devices) {
  const pools = new Map();
  for (const device of devices.slice(0, mostDevices)) {
    const end = device.lastIndexOf('/');
    const pool = device.slice(0, end);
    pools.set(pool, [...(pools.get(pool) ?? []), device.slice(end + 1)]);
  }
  const text = [...pools].map(([pool, names]) => `${pool}: ${names.join(', ')}`).join('; ');
  return text + (devices.length > mostDevices ? ` and ${devices.length - mostDevices} more` : '');
}

function row(claim) {
  const space = claim.claim.split('/')[0];
  return {head: claim.claim, explain: states[claim.state], cells: [
    {text: claim.pods.length ? claim.pods.map((pod, at) => html`${at > 0 && ', '}<a href=${link('explain', {pod: `${space}/${pod}`})}>${pod}</a>`) : '–'},
    {text: claim.queue ?? '–'}, {text: when(claim.created)}, {text: when(claim.allocated)},
    {text: html`<span class="wide">${claim.devices.length ? devicesText(claim.devices) : '–'}</span>`}]};
}

export function Ledger({revision, query, go}) {
  const {q = '', from = 0} = query;
  const answer = useAnswer('ledger', {q, from, limit: step}, revision);
  return html`<h1>Ledger</h1><${Find} label="Claim contains" value=${q} onFind=${(text) => go('ledger', {q: text})} />
    <${Answered} answer=${answer}>${(data) => html`<${Section} id="claims" title=${plural(data.found, 'claim')}
      lead=${`Which claim has which devices, for which pods.${data.hidden ? ` ${plural(data.hidden, 'claim')} of other namespaces are not shown.` : ''}`}>
      ${data.claims.length === 0 ? html`<p>No claim${q ? ' has that in its name' : ''}.</p>` : html`<${Table} caption="Claims" rows=${data.claims.map(row)}
        columns=${[{label: 'claim'}, {label: 'pods', text: true}, {label: 'queue', text: true}, {label: 'created', text: true}, {label: 'allocated', text: true}, {label: 'devices', text: true}]} />`}
      <${Pager} from=${data.from} shown=${data.claims.length} found=${data.found} step=${step} what="claims" onMove=${(next) => go('ledger', {q, from: next})} /><//>`}<//>`;
}
