// The report of FGD's experiment: pods arrive one after another and stay.
import {useMemo} from 'preact/hooks';
import {Chart} from '../components/chart.js';
import {Section, Swatch} from '../components/controls.js';
import {number, percent, plain, signed} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {experimentDifferences} from './differences.js';
import {best} from './measures.js';
import {Cards, Header, MapSection} from './parts.js';

const heads = (policies) => policies.map(({policy}, place) => ({label: policy, swatch: html`<${Swatch} place=${place} />`}));

/// Curves of several policies on the demands that any of them has.
export function onDemands(policies, key) {
  const xs = [...new Set(policies.flatMap(({points}) => points.map(({demand}) => demand)))].sort((a, b) => a - b);
  const series = policies.map(({policy, points}, place) => {
    const at = new Map(points.map((point) => [point.demand, point[key]]));
    return {label: policy, place, values: xs.map((x) => at.get(x) ?? null)};
  });
  return {xs, series};
}

function Summary({policies, full, last}) {
  const [first, ...others] = policies;
  const facts = [
    {lead: `${percent(first.allocatedLast.mean, 2)} of the GPUs allocated`, rest: `when pods had asked for ${last} % of them`},
    {lead: `${percent(first.fragmentedLast.mean, 2)} fragmented`, rest: 'free, and of no use to the typical pod'},
    {lead: `${number(first.refused.mean, first.seeds > 1 ? 1 : 0)} pods refused`, rest: 'they found no room and were not tried again'},
  ].map((one) => ({...one, neutral: true}));
  const cards = [{name: first.policy, place: 0, said: facts}, ...others.map((policy, at) => ({name: policy.policy, place: at + 1,
    against: first.policy, said: experimentDifferences(first, policy, full, last)}))];
  return html`<${Section} id="differences" title=${others.length ? 'What differs most' : 'What happened'}
    lead=${others.length ? `Each policy against ${first.policy}, which was named first.${first.seeds > 1 ? ' A dot: less than the spread between seeds.' : ''}` : undefined}><${Cards} cards=${cards} /><//>`;
}

export function Measures({policies, full, last}) {
  const lines = [['allocatedFull', `GPU allocated at ${full} % demand`, false, ' %', 'part of all GPUs that pods hold'],
    ['allocatedLast', `GPU allocated at ${last} % demand`, false, ' %', 'the same at the end'],
    ['fragmentedLast', `fragmented at ${last} % demand`, true, ' %', 'free GPU that the typical pod cannot use, of all'],
    ['refused', 'pods refused', true, '', 'no node had room']];
  const rows = (full === last ? lines.slice(1) : lines).map(([key, head, less, unit, explain]) => {
    const values = policies.map((policy) => policy[key].mean);
    const winners = best({less, small: 0.005}, values);
    return {head, explain, cells: policies.map((policy, at) => ({value: values[at], mark: winners.has(at) ? 'the best' : undefined,
      text: `${number(values[at], 2)}${policy.seeds > 1 ? ` ± ${number(policy[key].deviation, 2)}` : ''}${unit}`}))};
  });
  return html`<${Section} id="measures" title="Side by side" lead="Means over the seeds with their standard deviations; the best of each line is in bold.">
    <${Table} caption="Measures by policy" columns=${[{label: 'Measure', text: true}, ...heads(policies)]} rows=${rows} className="measures" /><//>`;
}

/// How much more each policy but the first has, in points, where both have a point.
export function againstFirst(policies, key) {
  const {xs, series} = onDemands(policies, key);
  const [first, ...others] = series;
  return {xs, series: others.map((one) => ({...one, values: one.values.map((value, at) =>
    (value === null || first.values[at] === null ? null : value - first.values[at]))}))};
}

function Curves({policies}) {
  const against = useMemo(() => againstFirst(policies, 'allocated'), [policies]);
  const charts = useMemo(() => [['allocated', 'GPU allocated, % of all'], ['fragmented', 'Fragmented, % of all GPU'],
    ['fragmentedIdle', 'Fragmented, % of the free GPU']].map(([key, title]) => ({title, ...onDemands(policies, key)})), [policies]);
  return html`<${Section} id="curves" title="Over demand" lead="Demand: what pods have asked for so far, in percent of the cluster's GPUs. Means over the seeds.">
    ${policies.length > 1 && html`<${Chart} title=${`GPU allocated, points more than ${policies[0].policy}`} ...${against} xLabel="demand"
      xFormat=${(value) => `${number(value)} %`} yFormat=${(value) => signed(value, 2)} sync="demand" />`}
    ${charts.map(({title, xs, series}) => html`<${Chart} key=${title} title=${title} xs=${xs} series=${series} xLabel="demand"
      xFormat=${(value) => `${number(value)} %`} yFormat=${(value) => percent(value, 2)} yMark=${(value) => `${plain(value)} %`} sync="demand" />`)}<//>`;
}

/// Of the first seed: what there is of a resource differs from seed to seed.
export function RefusedFor({policies}) {
  const reasons = [...new Set(policies.flatMap(({refusedFor}) => refusedFor.map(({reason}) => reason)))];
  if (reasons.length === 0) return null;
  const rows = reasons.map((reason) => ({head: reason, cells: policies.map(({refusedFor}) => {
    const pods = refusedFor.find((each) => each.reason === reason)?.pods ?? 0;
    return {value: pods, text: number(pods)};
  })}));
  return html`<h3>What they lack in the end</h3>
    <${Table} caption="What they lack in the end" columns=${[{label: policies[0].seeds > 1 ? 'For (the first seed)' : 'For', text: true}, ...heads(policies)]} rows=${rows} />`;
}

function Sizes({policies}) {
  const rows = policies[0].sizes.map(({size, pods}, at) => ({head: size, explain: `${number(pods)} pods`, cells: policies.map((policy) => {
    const {refused} = policy.sizes[at];
    return {value: refused, text: html`${number(refused)} <small class="by">${percent((100 * refused) / pods)}</small>`};
  })}));
  return html`<${Section} id="refused" title="Who was refused" lead="Pods that found no room, by what they ask for, over all seeds.">
    <${Table} caption="Refused pods by size" columns=${[{label: 'Size', text: true}, ...heads(policies)]} rows=${rows} />
    <${RefusedFor} policies=${policies} /><//>`;
}

export function ExperimentReport({data}) {
  const {about, policies, full, last, map} = data;
  const runs = useMemo(() => policies.map(({policy, pictures}) => ({name: policy, pictures})), [policies]);
  const names = policies.map(({policy}) => policy).join(' · ');
  return html`<${Header} title=${policies.length > 1 ? `${names}, side by side` : `Placement by ${names}`} about=${about} />
    <${Summary} policies=${policies} full=${full} last=${last} /><${Measures} policies=${policies} full=${full} last=${last} />
    <${Curves} policies=${policies} /><${Sizes} policies=${policies} /><${MapSection} map=${map} runs=${runs} />`;
}
