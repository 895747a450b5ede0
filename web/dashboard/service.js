// The policy in force, and how dray itself is.
import {useMemo} from 'preact/hooks';
import {Section} from '../components/controls.js';
import {number, plain, plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {useAnswer} from './ask.js';
import {histograms, quantile} from './latency.js';
import {Answered} from './parts.js';
import {WhatIf} from './whatif.js';

export function Policy({revision}) {
  const answer = useAnswer('policy', {}, revision);
  return html`<h1>Policy</h1><${Answered} answer=${answer}>${(data) => html`
    ${[data.problem && `The policy file as it is now is not in force: ${data.problem}`, data.objectsProblem].filter(Boolean).map((text) => html`<section key=${text} class="problem"><p role="alert">${text}</p></section>`)}
    <${Section} id="text" title="In force" lead=${`${plural(data.queues, 'queue')}, ${plural(data.resources, 'counted resource')}. As dray reads it.`}>
      <pre tabindex="0" aria-label="The policy in force">${data.text}</pre><//>
    <${WhatIf} inForce=${data.text} />`}<//>`;
}

const time = (seconds) => (seconds >= 1 ? `${plain(seconds)} s` : seconds >= 0.001 ? `${plain(seconds * 1000)} ms` : `${number(seconds * 1e6)} µs`);

function Latencies() {
  const answer = useAnswer('metrics', {}, 0, 5000);
  const rows = useMemo(() => (answer.data ? histograms(answer.data) : []).map((one) => ({
    head: one.name.replace(/^dray_|_seconds$/g, '').replaceAll('_', ' '), explain: Object.values(one.labels).join(', '),
    cells: [{text: number(one.count), value: one.count}, ...[0.5, 0.95, 0.99].map((part) => ({text: time(quantile(part, one))}))]})), [answer.data]);
  return html`<${Answered} answer=${answer}>${() => html`<${Table} caption="Latencies" rows=${rows} columns=${[{label: 'what'}, {label: 'times'}, {label: 'p50'}, {label: 'p95'}, {label: 'p99'}]} />`}<//>`;
}

export function Health({revision}) {
  const answer = useAnswer('health', {}, revision, 2000);
  return html`<h1>Health</h1><${Answered} answer=${answer}>${(data) => {
    const checks = [['leader', data.leading, 'another replica leads'], ['cluster listed', data.synced, 'not yet'], ['watch', !data.trouble, data.trouble], ['extender port', !data.port, data.port],
      ['invariants', !data.broken, data.broken], ['in service', !data.draining, 'it is draining']];
    return html`<${Section} id="checks" title="Checks"><${Table} caption="Checks" columns=${[{label: 'check'}, {label: 'state', text: true}]}
      rows=${checks.map(([name, fine, why]) => ({head: name, cells: [{text: fine ? html`<span style=${{color: 'var(--good)'}}>✓ fine</span>` : html`<span class="failed">✗ ${why}</span>`}]}))} />
      ${data.gates && html`<p class="note">Feature gates: ${data.gates}</p>`}<//>
    <${Section} id="outbox" title="Writes to the API server" lead=${`${number(data.outbox.inFlight)} under way, of at most ${number(data.outbox.limit)}; cut ${plural(data.outbox.cuts, 'time')}, ${number(data.outbox.again)} sent again.`}>
      <${Table} caption="Outbox" columns=${[{label: 'class'}, {label: 'waiting'}, {label: 'oldest'}, {label: 'sent'}]}
        rows=${data.outbox.classes.map((one) => ({head: one.name, cells: [{text: number(one.waiting)}, {text: time(one.oldestSeconds)}, {text: number(one.sent)}]}))} /><//>`;
  }}<//>
    <${Section} id="latencies" title="Latencies" lead="Since dray started, from its own histograms."><${Latencies} /><//>`;
}
