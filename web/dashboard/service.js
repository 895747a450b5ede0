// The policy in force, and how dray itself is.
import {useMemo} from 'preact/hooks';
import {Section} from '../components/controls.js';
import {number, plain, plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {useAnswer} from './ask.js';
import {histograms, quantile, readSample} from './latency.js';
import {Answered} from './parts.js';
import {WhatIf} from './whatif.js';

/// How often a policy file was put in force: `Generation 3`.
export const generation = (count) => (count > 0 ? `Generation ${number(count)} since this process began` : 'No policy file');

export function Policy({revision}) {
  const answer = useAnswer('policy', {}, revision);
  return html`<h1>Policy</h1><${Answered} answer=${answer}>${(data) => html`
    ${[data.problem && `The policy file as it is now is not in force: ${data.problem}`, data.objectsProblem].filter(Boolean).map((text) => html`<section key=${text} class="problem"><p role="alert">${text}</p></section>`)}
    <${Section} id="text" title="In force" lead=${`${generation(data.generation)}: ${plural(data.queues, 'queue')}, ${plural(data.resources, 'counted resource')}. As dray reads it.`}>
      <pre tabindex="0" aria-label="The policy in force">${data.text}</pre><//>
    <${WhatIf} inForce=${data.text} />`}<//>`;
}

const time = (seconds) => (seconds >= 1 ? `${plain(seconds)} s` : seconds >= 0.001 ? `${plain(seconds * 1000)} ms` : `${number(seconds * 1e6)} µs`);

function Latencies({answer}) {
  const rows = useMemo(() => (answer.data ? histograms(answer.data) : []).map((one) => ({
    head: one.name.replace(/^dray_|_seconds$/g, '').replaceAll('_', ' '), explain: Object.values(one.labels).join(', '),
    cells: [{text: number(one.count), value: one.count}, ...[0.5, 0.95, 0.99].map((part) => ({text: time(quantile(part, one))}))]})), [answer.data]);
  return html`<${Answered} answer=${answer}>${() => html`<${Table} caption="Latencies" rows=${rows} columns=${[{label: 'what'}, {label: 'times'}, {label: 'p50'}, {label: 'p95'}, {label: 'p99'}]} />`}<//>`;
}

/// By kind how far behind dray can be at most, and what was wrong: [{kind, silence, failing, corrections}].
export function watches(text) {
  const kinds = new Map();
  for (const line of text.split('\n')) {
    const found = /^dray_watch_(silence_seconds|failing_seconds|corrections_total)\{/.exec(line);
    const sample = found && readSample(line);
    if (!sample) continue;
    const {kind} = sample.labels;
    kinds.set(kind, {...kinds.get(kind) ?? {kind}, [found[1].split('_')[0]]: sample.value});
  }
  return [...kinds.values()];
}

function Watches({metrics}) {
  return html`<${Answered} answer=${metrics}>${(text) => {
    const rows = watches(text).map(({kind, silence = 0, failing = 0, corrections = 0}) => ({head: kind, cells: [{text: time(silence), value: silence},
      {text: failing > 0 ? html`<span class="failed">${time(failing)}</span>` : '–', value: failing}, {text: number(corrections), value: corrections}]}));
    return rows.length === 0 ? html`<p class="note">The cluster is in this process's memory: nothing is watched over a network.</p>`
      : html`<${Table} caption="Watches" rows=${rows} columns=${[{label: 'kind'}, {label: 'behind by at most'}, {label: 'fails for'}, {label: 'corrections'}]} />`;
  }}<//>`;
}

/// Who could decide in the leader's place: `2 replicas could take over at once.`
export const standbys = ({leading, standbys: names, standbyTrouble: trouble}) => (
  trouble ? `Who else could take over is not known here: ${trouble}.`
  : names.length > 0 ? `${plural(names.length, 'replica')} could take over at once.`
  : leading ? 'No other replica stands by: while this one is away, nothing is decided.' : 'None could take over at once.');

function Replicas({data}) {
  const rows = [...data.leader ? [{head: data.leader, cells: [{text: data.leading ? 'leads; this replica' : 'leads'}]}] : [],
    ...data.standbys.map((name) => ({head: name, cells: [{text: 'stands by'}]}))];
  return html`<${Section} id="replicas" title="Replicas" lead=${standbys(data)}>
    ${rows.length === 0 ? html`<p class="note">Nobody holds the Lease.</p>` : html`<${Table} caption="Replicas" rows=${rows} columns=${[{label: 'replica'}, {label: 'state', text: true}]} />`}<//>`;
}

/// Which replica this is: `This replica leads, in epoch 3 of the Lease.`
export const replica = ({leading, epoch}) => (!leading ? 'Another replica leads: this one stands by, and decides nothing.'
  : epoch > 0 ? `This replica leads, in epoch ${number(epoch)} of the Lease.` : 'This replica leads, without a Lease.');

export function Health({revision}) {
  const answer = useAnswer('health', {}, revision, 2000);
  const metrics = useAnswer('metrics', {}, 0, 5000);
  return html`<h1>Health</h1><${Answered} answer=${answer}>${(data) => {
    const checks = [['leader', data.leading, 'another replica leads'], ['cluster listed', data.synced, 'not yet'], ['watch', !data.trouble, data.trouble], ['extender port', !data.port, data.port],
      ['invariants', !data.broken, data.broken], ['in service', !data.draining, 'it is draining']];
    return html`<${Section} id="checks" title="Checks" lead=${replica(data)}><${Table} caption="Checks" columns=${[{label: 'check'}, {label: 'state', text: true}]}
      rows=${checks.map(([name, fine, why]) => ({head: name, cells: [{text: fine ? html`<span style=${{color: 'var(--good)'}}>✓ fine</span>` : html`<span class="failed">✗ ${why}</span>`}]}))} />
      ${data.gates && html`<p class="note">Feature gates: ${data.gates}</p>`}<//>
    ${data.standbys && html`<${Replicas} data=${data} />`}
    <${Section} id="outbox" title="Writes to the API server" lead=${data.outbox.limit === 0 ? 'The cluster is in this process\'s memory: no write waits for its turn.' : `${number(data.outbox.inFlight)} under way, of at most ${number(data.outbox.limit)}; cut ${plural(data.outbox.cuts, 'time')}, ${number(data.outbox.again)} sent again.`}>
      <${Table} caption="Outbox" columns=${[{label: 'class'}, {label: 'waiting'}, {label: 'oldest'}, {label: 'sent'}]}
        rows=${data.outbox.classes.map((one) => ({head: one.name, cells: [{text: number(one.waiting)}, {text: time(one.oldestSeconds)}, {text: number(one.sent)}]}))} /><//>`;
  }}<//>
    <${Section} id="watches" title="Watches" lead="How long ago the API server last said something of a kind: dray cannot be further behind."><${Watches} metrics=${metrics} /><//>
    <${Section} id="latencies" title="Latencies" lead="Since dray started, from its own histograms."><${Latencies} answer=${metrics} /><//>`;
}
