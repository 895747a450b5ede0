// What would become of pods, or of the cluster under another policy: asked of POST /v1/simulate, which
// plays it on a copy and reserves nothing.
import {useEffect, useRef, useState} from 'preact/hooks';
import {LeftOut, Section} from '../components/controls.js';
import {duration, number, plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {fetched} from './ask.js';
import {devicesText} from './ledger.js';

const most_rows = 200;

/// Whole lines of the text so far, and what is left of it.
export function split(text) {
  const lines = text.split('\n');
  return {rest: lines.pop(), lines: lines.filter((line) => line !== '').map((line) => JSON.parse(line))};
}

/// What the fields of the form ask; empty ones are left out.
export function question({pods, policy, runTime}) {
  return {
    ...(pods.trim() && {workload: pods}), ...(policy.trim() && {policies: [{name: 'in force'}, {name: 'the new one', policy}]}),
    ...(runTime.trim() && {runTime: runTime.trim()}),
  };
}

/// Asks, and calls `tell` with each line of the answer as it comes.
export async function simulate(asked, signal, tell) {
  const answer = await fetched('/v1/simulate', {method: 'POST', signal, headers: {'Content-Type': 'application/json'}, body: JSON.stringify(asked)});
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const {done, value = ''} = await reader.read();
    const parts = split(rest + value);
    rest = parts.rest;
    parts.lines.forEach(tell);
    if (done) return;
  }
}

/// The state of the box after a line of an answer.
export function after(state, line) {
  if (line.progress) return {...state, progress: line.progress};
  if (line.note) return {...state, notes: [...state.notes, line.note]};
  if (line.effect) return {...state, effects: [...state.effects, line.effect]};
  if (line.error) return {...state, error: line.error.message};
  return line.runs ? {...state, runs: line.runs} : state;
}

/// How a pod fares, in a few words; times count from now.
export function fate(pod) {
  const where = pod.node ? ` on ${pod.node}` : '';
  const devices = pod.devices?.length ? `: ${devicesText(pod.devices)}` : '';
  if (pod.evicted) return pod.bound === undefined ? 'deleted before it started' : `starts after ${duration(pod.bound - pod.created)}${where}, evicted ${duration(pod.ended - pod.bound)} later`;
  if (pod.bound !== undefined) return `starts ${pod.bound - pod.created < 1 ? 'at once' : `after ${duration(pod.bound - pod.created)}`}${where}${devices}`;
  return `waits${pod.reason ? `: ${pod.reason}` : ''}${pod.detail ? ` (${pod.detail})` : ''}`;
}

/// A row for each pod, with its fate in every run.
export function podRows(runs) {
  const rows = new Map();
  runs.forEach((run, at) => run.pods.forEach((pod) => {
    const name = `${pod.namespace}/${pod.name}`;
    if (!rows.has(name)) rows.set(name, {name, queue: pod.queue, fates: runs.map(() => '–')});
    rows.get(name).fates[at] = fate(pod);
  }));
  return [...rows.values()];
}

function Runs({runs}) {
  const rows = podRows(runs);
  if (rows.length === 0) return html`<p>No pod waits, so there is nobody whose waiting could be foretold.</p>`;
  const wait = (value) => ({text: value === undefined ? '–' : duration(value), value});
  return html`<${Table} caption="Policies compared" columns=${[{label: 'policy'}, {label: 'start'}, {label: 'wait p50'}, {label: 'p95'}, {label: 'evicted'}]}
      rows=${runs.map((run) => ({head: run.policy, cells: [{text: `${number(run.bound)} of ${number(run.pods.length)}`}, wait(run.waitP50), wait(run.waitP95), {text: number(run.evicted)}]}))} />
    <h3>Pods</h3><${Table} caption="What becomes of each pod" columns=${[{label: 'pod'}, {label: 'queue', text: true}, ...runs.map((run) => ({label: run.policy, text: true}))]}
      rows=${rows.slice(0, most_rows).map((row) => ({head: row.name, cells: [{text: row.queue ?? '–'}, ...row.fates.map((text) => ({text: html`<span class="wide">${text}</span>`}))]}))} />
    ${rows.length > most_rows && html`<${LeftOut}>${plural(rows.length - most_rows, 'more pod is', 'more pods are')} not shown here; dray simulate --server shows them.<//>`}`;
}

function Effect({effect}) {
  const {jobs} = effect.atOnce;
  return html`<h3>At once, under ${effect.policy}</h3>${jobs.length === 0 ? html`<p>No job would fare otherwise at once.</p>` : html`
    <${Table} caption=${`What ${effect.policy} changes at once`} columns=${[{label: 'job'}, {label: 'change', text: true}, {label: 'pods'}, {label: 'now', text: true}, {label: 'then', text: true}]}
      rows=${jobs.slice(0, most_rows).map((job) => ({head: job.job, cells: [{text: job.change.replace('-', ' ')}, {text: number(job.pods)}, {text: html`<span class="wide">${job.was}</span>`}, {text: html`<span class="wide">${job.would}</span>`}]}))} />
    ${jobs.length > most_rows && html`<${LeftOut}>${plural(jobs.length - most_rows, 'more job is', 'more jobs are')} not shown here.<//>`}`}`;
}

function Answer({state}) {
  const {progress} = state;
  return html`<div aria-live="polite">
    ${state.busy && html`<p class="note" role="status">${progress ? `Playing ${progress.policy} (${progress.run} of ${progress.runs}): ${duration(progress.time)} of virtual time, ${number(progress.bound)} of ${number(progress.created)} pods started` : 'Playing it on a copy of the cluster…'}</p>`}
    ${state.error && html`<p class="failed" role="alert">${state.error}</p>`}
    ${state.notes.map((text) => html`<p class="note" key=${text}>${text}</p>`)}</div>
    ${state.effects.map((effect) => html`<${Effect} key=${effect.policy} effect=${effect} />`)}
    ${state.runs && html`<${Runs} runs=${state.runs} />`}`;
}

const nothing = {busy: false, notes: [], effects: []};

function Text({label, hint, rows, value, onInput}) {
  return html`<label>${label}<textarea rows=${rows} spellcheck=${false} value=${value} placeholder=${hint} onInput=${(event) => onInput(event.currentTarget.value)} /></label>`;
}

/// The box. `inForce`: the policy in force, to start from.
export function WhatIf({inForce}) {
  const [form, setForm] = useState({pods: '', policy: '', runTime: ''});
  const [state, setState] = useState(nothing);
  const stop = useRef(null);
  useEffect(() => () => stop.current?.abort(), []);
  const set = (key) => (value) => setForm((last) => ({...last, [key]: value}));
  const asked = question(form);
  const empty = !asked.workload && !asked.policies;
  const ask = () => {
    if (empty || state.busy) return;
    const running = new AbortController();
    stop.current = running;
    setState({...nothing, busy: true});
    const end = (more) => setState((last) => ({...last, ...more, busy: false}));
    simulate(asked, running.signal, (line) => setState((last) => after(last, line)))
      .then(() => end({}), (error) => end({error: running.signal.aborted ? 'Ended before it was done.' : error.message}));
  };
  const keys = (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); } };
  return html`<${Section} id="what-if" title="What if" lead="Pods beside all that runs and waits now, another policy, or both, played on a copy of the cluster: nothing is reserved or changed.">
    <form class="what-if" onSubmit=${(event) => { event.preventDefault(); ask(); }} onKeyDown=${keys}>
      <${Text} label="Pods, as manifests, with the claims, templates and groups that they need" rows=${8} value=${form.pods} onInput=${set('pods')} hint="apiVersion: v1" />
      <${Text} label="Another policy" rows=${8} value=${form.policy} onInput=${set('policy')} hint="apiVersion: dray.dev/v1alpha1" />
      <label>Pods run for, where they do not say it (1h, 7d; empty: on and on)<input type="text" value=${form.runTime} onInput=${(event) => set('runTime')(event.currentTarget.value)} /></label>
      <p><button type="submit" disabled=${empty || state.busy}>Play it</button>
        <button type="button" disabled=${!state.busy} onClick=${() => stop.current?.abort()}>End it</button>
        <button type="button" onClick=${() => set('policy')(inForce)}>Start from the policy in force</button></p>
    </form><${Answer} state=${state} /><//>`;
}
