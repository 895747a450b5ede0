// The report of jobs that arrive, wait, run and end.
import {useMemo, useState} from 'preact/hooks';
import {Chart} from '../components/chart.js';
import {Choice, LeftOut, Section, Swatch} from '../components/controls.js';
import {duration, mark, number, percent, plain, plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {differences, summary} from './differences.js';
import {beside, best, measures} from './measures.js';
import {Cards, Header, MapSection} from './parts.js';
import {Places, StillWaiting} from './places.js';
import {fromWait, timeAxis, toWait, waitAxis} from './scales.js';

const heads = (runs) => runs.map((run, place) => ({label: run.policy, swatch: html`<${Swatch} place=${place} />`}));

function Summary({runs}) {
  const [first, ...others] = runs;
  const cards = others.map((run, at) => ({name: run.policy, place: at + 1, against: first.policy, said: differences(first, run)}));
  return html`<${Section} id="differences" title=${others.length ? 'What differs most' : 'What happened'}
    lead=${others.length ? `Each policy against ${first.policy}, which was named first.` : undefined}>
    <${Cards} cards=${[{name: first.policy, place: 0, said: summary(first)}, ...cards]} />
  <//>`;
}

export function Measures({runs}) {
  const known = measures.filter((measure) => runs.some((run) => measure.of(run) !== undefined));
  const rows = known.map((measure) => {
    const values = runs.map(measure.of);
    const winners = best(measure, values);
    return {head: measure.label, explain: measure.explain, cells: values.map((value, at) => (value === undefined ? {text: '–'} : {
      value, text: html`${measure.text(value)}${at > 0 && values[0] !== undefined && html` <small class="by">${beside(measure, values[0], value)}</small>`}`,
      mark: winners.has(at) ? 'the best' : undefined}))};
  });
  return html`<${Section} id="measures" title="Side by side" lead="The best of each line is in bold; changes are against the first column.">
    <${Table} caption="Measures by policy" columns=${[{label: 'Measure', text: true}, ...heads(runs)]} rows=${rows} className="measures" /><//>`;
}

function Curves({runs}) {
  const {xs, axis} = useMemo(() => timeAxis(runs), [runs]);
  const series = (of) => runs.map((run, place) => ({label: run.policy, place, values: axis.resample(run, of(run))}));
  const used = useMemo(() => series((run) => run.held.map((held) => (100 * held) / run.gpus)), [runs]);
  const waiting = useMemo(() => series((run) => run.waiting), [runs]);
  const fragmented = useMemo(() => series((run) => run.overTime.fragmented), [runs]);
  const jain = useMemo(() => series((run) => run.overTime.jain), [runs]);
  const shared = {xs, xFormat: duration, xMark: mark, xSplits: axis.splits, xLabel: 'after', sync: 'time'};
  return html`<${Section} id="curves" title="Over time" lead="Time runs from the first arrival. Point at a curve, or move along it with the arrow keys.">
    <${Chart} ...${shared} title="GPUs in use, % of all" series=${used} yFormat=${percent} yMark=${(value) => `${plain(value)} %`} yMost=${105}
      summary=${runs.map((run) => `${run.policy} ${percent(run.utilisation)} on average`).join(', ')} />
    <${Chart} ...${shared} title="GPUs that waiting jobs ask for" series=${waiting} yFormat=${(value) => number(value, value < 10 ? 1 : 0)} />
    <${Chart} ...${shared} title="GPUs fragmented, % of all: free, and of no use to the typical job" series=${fragmented} yFormat=${percent} yMark=${(value) => `${plain(value)} %`}
      summary=${runs.map((run) => `${run.policy} ${percent(run.fragmented)} on average`).join(', ')} />
    ${runs[0].queues.length > 1 && html`<${Chart} ...${shared} title="How evenly queues were served: Jain's index, 1 is even" series=${jain} yFormat=${(value) => number(value, 3)} yMost=${1.05}
      summary=${runs.map((run) => `${run.policy} ${number(run.jain, 3)} over the whole run`).join(', ')} />`}
    <${LeftOut}>Each curve has ${number(runs[0].held.length)} points: averages over equal parts of the run of its policy.<//>
  <//>`;
}

/// By size, too; nothing where no job was.
function Stopped({runs}) {
  if (runs.every(({all}) => all.evictions + all.failures === 0)) return null;
  const rows = runs[0].sizes.map(({size, jobs}, at) => ({head: size, explain: plural(jobs, 'job'), cells: runs.flatMap((run) => {
    const {evictions, failures, lostGpuHours} = run.sizes[at];
    return [{value: evictions + failures, text: number(evictions + failures)}, {value: lostGpuHours, text: number(lostGpuHours, 1)}];
  })}));
  const columns = runs.flatMap((run, place) => [{label: run.policy, swatch: html`<${Swatch} place=${place} />`, explain: 'evicted, or stopped by a failing node'}, {label: 'GPU-h lost'}]);
  return html`<h3>Stopped, by size</h3>
    <${Table} caption="Stopped, by size" columns=${[{label: 'Size', text: true}, ...columns]} rows=${rows} />`;
}

function Waiting({runs}) {
  const xs = useMemo(() => Array.from({length: 101}, (_, at) => at), []);
  const series = useMemo(() => runs.map((run, place) => ({label: run.policy, place,
    values: run.waits.percentiles.length ? run.waits.percentiles.map(toWait) : xs.map(() => null)})), [runs]);
  const sizes = runs[0].waits.sizes;
  const rows = sizes.map(({size, jobs}, at) => ({head: size, explain: plural(jobs, 'job'), cells: runs.flatMap((run) => {
    const {p50, p95, started} = run.waits.sizes[at];
    return [{value: p50, text: started ? duration(p50) : '–'}, {value: p95, text: started ? duration(p95) : '–'}];
  })}));
  const columns = runs.flatMap((run, place) => [{label: `${run.policy} median`, swatch: html`<${Swatch} place=${place} />`}, {label: 'p95'}]);
  return html`<${Section} id="waiting" title="How long jobs waited" lead="Jobs in the order of their waiting: at 90 is how long nine of ten waited at most. The scale of waiting is logarithmic.">
    <${Chart} title="Waiting by percent of the jobs that started" xs=${xs} series=${series} xLabel="up to"
      xFormat=${(value) => `${number(value)} %`} yFormat=${(value) => duration(fromWait(value))} yMark=${(value) => mark(fromWait(value))} ySplits=${waitAxis} />
    <h3>By size of the job</h3>
    <${Table} caption="Waiting by size of the job" columns=${[{label: 'Size', text: true}, ...columns]} rows=${rows} />
    <${Stopped} runs=${runs} />
  <//>`;
}

const most_queues = 12;

function QueueCurves({run, sharesOf}) {
  const [all, setAll] = useState(false);
  const {xs, axis} = useMemo(() => timeAxis([run]), [run]);
  const shown = all ? run.curves : run.curves.slice(0, most_queues);
  const charts = useMemo(() => run.curves.map((curve) => [
    {label: 'held and waited for', place: 7, fill: 22, line: false, values: curve.held.map((held, at) => held + curve.waiting[at])},
    {label: 'held', place: 0, fill: 45, values: curve.held},
    {label: 'fair share', place: 7, dashed: true, values: curve.share},
  ]), [run]);
  return html`<div class="grid">${shown.map((curve, at) => html`<${Chart} small=${true} key=${`${run.policy} ${curve.queue}`} title=${curve.queue || 'no queue'}
      xs=${xs} xFormat=${duration} xMark=${mark} xSplits=${axis.splits} xLabel="after" yFormat=${(value) => number(value, value < 10 ? 1 : 0)}
      height=${170} series=${charts[at]} sync="queues" />`)}</div>
    ${run.curves.length > most_queues && html`<button type="button" onClick=${() => setAll(!all)}>
      ${all ? `Show the first ${most_queues}` : `Show all ${number(run.curves.length)} queues`}</button>`}
    <p class="note">Fair share: ${sharesOf ? `as policy ${sharesOf} divides the GPUs` : 'all GPUs divided evenly'}, by what queues asked for in each part of the run (what
      they held and what they waited for); what one does not ask for goes to the others. The past does not count.</p>`;
}

/// On average over the run.
function Against({runs}) {
  const rows = runs[0].queues.map(({queue}) => ({head: queue || 'no queue', cells: runs.flatMap((run) => {
    const mine = run.queues.find((other) => other.queue === queue);
    return ['held', 'fairShare', 'owed'].map((key) => ({value: mine[key], text: number(mine[key], 1)}));
  })}));
  const columns = runs.flatMap((run, at) => [{label: `${run.policy} held`, swatch: html`<${Swatch} place=${at} />`}, {label: 'share', explain: 'its fair share'},
    {label: 'owed', explain: 'what it held less than its share, each part of the time by itself'}]);
  return html`<h3>GPUs held, and fair share, on average</h3>
    <${Table} caption="GPUs held, and fair share, on average" columns=${[{label: 'Queue', text: true}, ...columns]} rows=${rows} />`;
}

function Queues({runs, sharesOf, leftOut}) {
  const [place, setPlace] = useState(Math.max(0, runs.findIndex(({policy}) => policy === sharesOf)));
  if (runs[0].queues.length < 2) return null;
  const rows = runs[0].queues.map(({queue, jobs}) => ({head: queue || 'no queue', explain: plural(jobs, 'job'), cells: runs.flatMap((run) => {
    const mine = run.queues.find((other) => other.queue === queue);
    return [{value: mine.waitP50, text: duration(mine.waitP50)}, {value: mine.waitP95, text: duration(mine.waitP95)},
      {value: mine.evictions, text: number(mine.evictions)}];
  })}));
  const columns = runs.flatMap((run, at) => [{label: `${run.policy} median`, swatch: html`<${Swatch} place=${at} />`}, {label: 'p95'}, {label: 'evicted'}]);
  return html`<${Section} id="queues" title="Queues and their fair shares"
    lead="The dark band is what a queue held, the light one above it what it waited for. Held below the dashed line while it waits: it is owed more.">
    ${runs.length > 1 && html`<${Choice} label="Policy" value=${place} onChange=${setPlace}
      options=${runs.map((run, value) => ({value, label: run.policy}))} />`}
    <${QueueCurves} run=${runs[place]} sharesOf=${sharesOf} />
    ${leftOut > 0 && html`<${LeftOut}>Curves of the ${number(runs[0].curves.length)} queues that asked for the most; ${plural(leftOut, 'queue')} without. All are in the table.<//>`}
    <${Against} runs=${runs} />
    <h3>Waiting and evictions by queue</h3>
    <${Table} caption="Waiting and evictions by queue" columns=${[{label: 'Queue', text: true}, ...columns]} rows=${rows} />
  <//>`;
}

const most_later = 12;

export function Later({runs}) {
  const [place, setPlace] = useState(1);
  const [all, setAll] = useState(false);
  if (runs.length < 2) return null;
  const [first, run] = [runs[0], runs[place]];
  const {later, sooner, same, worst} = run.fared;
  const shown = all ? worst : worst.slice(0, most_later);
  const rows = shown.map((job) => ({head: job.job, cells: [
    {text: job.queue}, {value: job.gpus, text: `${number(job.gpus, job.gpus % 1 ? 2 : 0)}${job.pods > 1 ? ` in ${job.pods} pods` : ''}`},
    {value: job.submitted, text: duration(job.submitted)},
    {value: job.later, text: job.later === undefined ? 'never' : duration(job.later)},
    {value: job.waitedBefore, text: duration(job.waitedBefore)}, {value: job.waited, text: duration(job.waited)},
    {value: job.evictions, text: `${number(job.evictionsBefore)} → ${number(job.evictions)}`}]}));
  const columns = [{label: 'Job', text: true}, {label: 'Queue', text: true}, {label: 'GPUs'}, {label: 'Arrived after'}, {label: 'Done later by'},
    {label: `Waited, ${first.policy}`}, {label: `Waited, ${run.policy}`}, {label: 'Evictions'}];
  return html`<${Section} id="later" title="Jobs that fared worse" lead=${`Under ${run.policy} ${plural(later, 'job')} were done later than under ${first.policy},
    ${number(sooner)} sooner, ${number(same)} at the same time.`}>
    ${runs.length > 2 && html`<${Choice} label="Policy" value=${place} onChange=${setPlace}
      options=${runs.slice(1).map((other, at) => ({value: at + 1, label: other.policy}))} />`}
    ${worst.length > 0 && html`<${Table} caption="Jobs that were done later" columns=${columns} rows=${rows} />`}
    ${worst.length > most_later && html`<button type="button" onClick=${() => setAll(!all)}>${all ? `Show the first ${most_later}` : `Show ${number(worst.length)}`}</button>`}
    ${worst.length < later && html`<${LeftOut}>This file has the ${number(worst.length)} that lost the most, of ${number(later)}.<//>`}
  <//>`;
}

function OtherSeeds({runs}) {
  if (runs.length === 0) return null;
  const shown = measures.filter(({key}) => ['waitP50', 'waitP95', 'evictions', 'utilisation', 'makespan', 'jain'].includes(key));
  const rows = runs.map((run) => ({head: `${run.policy}, seed ${run.seed}`, cells: shown.map((measure) => ({
    value: measure.of(run), text: measure.text(measure.of(run))}))}));
  return html`<${Section} id="seeds" title="Other seeds" lead="Everything above is of the first seed; these runs are here with their measures alone.">
    <${Table} caption="Runs of other seeds" columns=${[{label: 'Run', text: true}, ...shown.map(({label}) => ({label}))]} rows=${rows} /><//>`;
}

export function JobsReport({data}) {
  const {about, runs, map} = data;
  const title = runs.length > 1 ? `${runs.map(({policy}) => policy).join(' · ')}, side by side` : `${about.unit === 'pod' ? 'Pods' : 'Jobs'} under ${runs[0].policy}`;
  const pictures = useMemo(() => runs.map((run) => ({name: run.policy, pictures: run.pictures})), [runs]);
  return html`<${Header} title=${title} about=${about} />
    <${Summary} runs=${runs} /><${Measures} runs=${runs} /><${Curves} runs=${runs} /><${Waiting} runs=${runs} />
    <${Queues} runs=${runs} sharesOf=${runs[0].sharesOf} leftOut=${data.queuesLeftOut} />
    <${Places} runs=${runs} /><${StillWaiting} runs=${runs} />
    <${Later} runs=${runs} /><${MapSection} map=${map} runs=${pictures} /><${OtherSeeds} runs=${data.otherSeeds} />`;
}
