// Where jobs ran, and what those that never did wait for.
import {Section, Swatch} from '../components/controls.js';
import {number, percent, plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';

const heads = (runs) => runs.map((run, place) => ({label: run.policy, swatch: html`<${Swatch} place=${place} />`}));

/// A row for each that any of the runs has, in the order in which they come; `of`: the list of a run.
function rowsOf(runs, of, key, row) {
  const keys = [...new Set(runs.flatMap((run) => of(run).map((each) => each[key])))];
  return keys.map((name) => {
    const each = runs.map((run) => of(run).find((one) => one[key] === name));
    return row(name, each, each.find(Boolean));
  });
}

const share = (value) => (value === undefined ? {text: '–'} : {value, text: percent(value)});

function Held({runs, of, name, title, first}) {
  if (runs.every((run) => of(run).length === 0)) return null;
  const rows = rowsOf(runs, of, name, (head, each, one) => ({head, explain: plural(one.gpus ?? one.devices, one.gpus === undefined ? 'device' : 'GPU'),
    cells: each.map((use) => share(use?.utilisation))}));
  return html`<h3>${title}</h3><${Table} caption=${title} columns=${[{label: first, text: true}, ...heads(runs)]} rows=${rows} />`;
}

function Together({runs}) {
  const rows = rowsOf(runs, (run) => run.gangs, 'level', (level, each, one) => ({
    head: level === 'node' ? 'gangs on one node' : `gangs in one ${level}`, explain: `${plural(one.gangs, 'start')} of jobs of several pods`,
    cells: each.map((spread) => share(spread?.together))}));
  if (runs.some((run) => run.aligned !== undefined)) {
    rows.push({head: 'pods with their devices together', explain: 'on one PCIe root or NUMA node, of those with several devices',
      cells: runs.map((run) => share(run.aligned))});
  }
  if (rows.length === 0) return null;
  return html`<h3>Close together</h3><${Table} caption="Close together" columns=${[{label: 'What', text: true}, ...heads(runs)]} rows=${rows} />`;
}

export function Places({runs}) {
  return html`<${Section} id="places" title="Where they ran" lead="How much of each kind of device was held on average over the run, and how close together jobs got what they asked for.">
    <${Held} runs=${runs} of=${(run) => run.models} name="model" title="GPUs in use by model" first="Model" />
    <${Held} runs=${runs} of=${(run) => run.classes ?? []} name="class" title="Devices in use by DeviceClass" first="DeviceClass" />
    <${Together} runs=${runs} /><//>`;
}

/// Those that wait when the run ends.
export function StillWaiting({runs}) {
  const rows = rowsOf(runs, (run) => run.waitsFor, 'reason', (reason, each) => ({head: reason || 'not known: nobody was asked about them, or who decided gives no reason',
    cells: each.map((one) => ({value: one?.jobs ?? 0, text: number(one?.jobs ?? 0)}))}));
  if (rows.length === 0) return null;
  return html`<${Section} id="still-waiting" title="What jobs still wait for" lead="Jobs that wait when the run ends, by what they lack.">
    <${Table} caption="What jobs still wait for" columns=${[{label: 'For', text: true}, ...heads(runs)]} rows=${rows} /><//>`;
}
