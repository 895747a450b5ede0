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

const moment = (text) => (text ? Date.parse(text) : undefined);

/// From the oldest claim of the list to now: {from, to}.
export function spanOf({claims, at}) {
  const to = moment(at);
  const from = Math.min(to - 1000, ...claims.map(({created}) => moment(created)).filter((time) => time !== undefined));
  return {from, to};
}

/// How a claim's time divides, as parts of the span: it waits from `begin` to `held`, and has its devices from there to the end.
export function life(claim, {from, to}) {
  const part = (time) => Math.min(1, Math.max(0, (time - from) / (to - from)));
  // What came this very moment is seen, too.
  const begin = Math.min(0.98, part(moment(claim.created) ?? from));
  const waits = claim.state === 'waiting' || claim.state === 'reserved';
  return {begin, held: waits ? 1 : Math.max(begin, Math.min(0.98, part(moment(claim.allocated) ?? from)))};
}

const percents = (part) => `${part * 100}%`;

const Life = ({claim, span}) => {
  const {begin, held} = life(claim, span);
  return html`<span class="life" aria-hidden="true"><i class="waits" style=${{left: percents(begin), width: percents(held - begin)}}></i>
    <i style=${{left: percents(held), width: percents(1 - held)}}></i></span>`;
};

function row(claim, span) {
  const space = claim.claim.split('/')[0];
  return {head: claim.claim, explain: states[claim.state], cells: [
    {text: claim.pods.length ? claim.pods.map((pod, at) => html`${at > 0 && ', '}<a href=${link('explain', {pod: `${space}/${pod}`})}>${pod}</a>`) : '–'},
    {text: claim.queue ?? '–'}, {text: html`${when(claim.created)}<br />${when(claim.allocated)}`},
    {text: html`<${Life} claim=${claim} span=${span} />`},
    {text: html`<span class="wide">${claim.devices.length ? devicesText(claim.devices) : '–'}</span>`}]};
}

export function Ledger({revision, query, go}) {
  const {q = '', from = 0} = query;
  const answer = useAnswer('ledger', {q, from, limit: step}, revision);
  return html`<h1>Ledger</h1><${Find} label="Claim contains" value=${q} onFind=${(text) => go('ledger', {q: text})} />
    <${Answered} answer=${answer}>${(data) => html`<${Section} id="claims" title=${plural(data.found, 'claim')}
      lead=${`Which claim has which devices, for which pods.${data.hidden ? ` ${plural(data.hidden, 'claim')} of other namespaces are not shown.` : ''}`}>
      ${data.claims.length === 0 ? html`<p>No claim${q ? ' has that in its name' : ''}.</p>` : html`<${Table} caption="Claims" rows=${data.claims.map((claim) => row(claim, spanOf(data)))}
        columns=${[{label: 'claim'}, {label: 'pods', text: true}, {label: 'queue', text: true}, {label: 'created, and has devices since', text: true},
          {label: 'timeline', text: true}, {label: 'devices', text: true}]} />
        <p class="note">Timelines go from ${when(new Date(spanOf(data).from).toISOString())} to now: hatched while a claim waits, filled while it has its devices.</p>`}
      <${Pager} from=${data.from} shown=${data.claims.length} found=${data.found} step=${step} what="claims" onMove=${(next) => go('ledger', {q, from: next})} /><//>`}<//>`;
}
