import {useMemo, useState} from 'preact/hooks';
import {Chart} from '../components/chart.js';
import {Choice, LeftOut, Section} from '../components/controls.js';
import {number, plain} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {useAnswer} from './ask.js';
import {Meter} from './overview.js';
import {Answered} from './parts.js';

const most_bands = 12;

/// The queues in the order of the tree, each with its depth.
export function inTree(queues) {
  const below = new Map();
  const names = new Set(queues.map(({name}) => name));
  for (const queue of queues) {
    const parent = names.has(queue.parent) ? queue.parent : '';
    below.set(parent, [...(below.get(parent) ?? []), queue]);
  }
  const walk = (parent, depth) => (below.get(parent) ?? []).flatMap((queue) => [{...queue, depth}, ...walk(queue.name, depth + 1)]);
  return walk('', 0);
}

/// Curves stacked on each other, the first at the bottom: {xs, series}, the widest `most` of them and the others together.
export function bands({times, queues}, leaves, most = most_bands) {
  const last = times.length - 1;
  const own = queues.filter(({name}) => leaves.has(name)).sort((a, b) => Math.max(...b.used, 0) - Math.max(...a.used, 0));
  const shown = own.slice(0, most);
  const rest = own.slice(most);
  if (rest.length) shown.push({name: 'other queues', used: times.map((_, at) => rest.reduce((sum, {used}) => sum + used[at], 0))});
  const sums = times.map(() => 0);
  const series = shown.map(({name, used}, place) => ({label: name, place, fill: 25, now: used[last],
    values: used.map((value, at) => (sums[at] += value))}));
  return {xs: times, series: series.reverse()};
}

/// Of one queue what it held against its fair share, and what it is owed now: {xs, series}. `quota` null: unlimited.
export function ofOne({times, queues}, name, quota) {
  const found = queues.find((queue) => queue.name === name) ?? {used: times.map(() => null), fairShare: times.map(() => null)};
  const series = [{label: 'used', place: 0, fill: 25, values: found.used}, {label: 'fair share', place: 1, values: found.fairShare}];
  if (quota !== null && quota !== undefined) series.push({label: 'quota now', dashed: true, values: times.map(() => quota)});
  return {xs: times, series};
}

const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit'});
const moment = (seconds) => new Date(seconds * 1000).toLocaleString(undefined, {month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit'});
const spans = [{value: 2, label: '2 hours'}, {value: 48, label: '2 days'}, {value: 336, label: '2 weeks'}];

function Bands({resource, at, data: now, leaves, revision}) {
  const [hours, setHours] = useState(2);
  const [queue, setQueue] = useState('');
  const answer = useAnswer('history', {resource: resource.name, hours}, revision, 10000);
  const drawn = useMemo(() => answer.data && (queue ? ofOne(answer.data, queue, now.queues.find(({name}) => name === queue)?.quota?.[at])
    : bands(answer.data, leaves)), [answer.data, leaves, queue, now, at]);
  return html`<div class="find"><label>Queue<select value=${queue} onChange=${(event) => setQueue(event.currentTarget.value)}>
      <option value="">all, one on top of the other</option>
      ${inTree(now.queues).map(({name}) => html`<option key=${name} value=${name}>${name}: used, fair share, quota</option>`)}</select></label></div>
    <${Choice} label="The last" value=${hours} onChange=${setHours} options=${spans} />
    <${Answered} answer=${answer}>${(data) => (data.times.length < 2 ? html`<p class="note">dray takes a sample every ten seconds; the curve begins with the second one.</p>` : html`
    <${Chart} title=${queue ? `${resource.title} of queue ${queue}` : `${resource.title} held, by queue, one on top of the other`} summary=${`${data.times.length} samples.`} xs=${drawn.xs} series=${drawn.series} stacked=${!queue}
      xFormat=${hours > 2 ? moment : clock} yFormat=${plain} xLabel="at" />
    <${LeftOut}>A sample every ten seconds for two hours, every five minutes for two days, every hour for two weeks. Without ${html`<code>--history</code>`} the curves begin with this process.${data.leftOut ? ` ${number(data.leftOut)} queues are not kept.` : ''}<//>`)}<//>`;
}

const bound = (value) => (value === null ? 'none' : plain(value));

function QueueTable({data, at}) {
  const rows = inTree(data.queues).map((queue) => {
    const of = (key) => queue[key]?.[at];
    const most = Math.max(...['used', 'fairShare', 'requested', 'quota'].map((key) => of(key) ?? 0), 1e-9);
    const cell = (key) => ({text: of(key) === undefined ? '–' : bound(of(key)), value: of(key) ?? undefined});
    return {head: html`<span style=${{paddingLeft: `${queue.depth * 18}px`}}>${queue.name}</span>`,
      cells: [cell('used'), {text: html`<${Meter} part=${(of('used') ?? 0) / most} mark=${(of('fairShare') ?? 0) / most} />`}, cell('fairShare'), cell('quota'), cell('limit'), cell('requested'),
        {text: number(queue.waiting), value: queue.waiting}, {text: number(queue.running), value: queue.running}, {text: number(queue.priority)}]};
  });
  return html`<${Table} caption="Queues" rows=${rows} columns=${[{label: 'queue'}, {label: 'used'}, {label: ''}, {label: 'fair share'}, {label: 'quota'}, {label: 'limit'},
    {label: 'asked for'}, {label: 'jobs waiting'}, {label: 'running'}, {label: 'priority'}]} />`;
}

export function Queues({revision}) {
  const answer = useAnswer('queues', {}, revision);
  const [chosen, setChosen] = useState(0);
  const leaves = useMemo(() => new Set((answer.data?.queues ?? []).filter(({leaf}) => leaf).map(({name}) => name)), [answer.data]);
  return html`<h1>Queues</h1><${Answered} answer=${answer}>${(data) => {
    const at = Math.min(chosen, Math.max(0, data.resources.length - 1));
    const resource = data.resources[at];
    return html`<${Section} id="tree" title="Now" lead=${resource ? `In ${resource.unit}. The mark in a bar is the fair share: what the queue may hold now.` : 'The policy counts no resource: queues have neither quotas nor limits.'}>
      ${data.resources.length > 1 && html`<${Choice} label="Resource" value=${at} onChange=${setChosen} options=${data.resources.map(({name}, value) => ({value, label: name}))} />`}
      <${QueueTable} data=${data} at=${at} /><//>
      ${resource && html`<${Section} id="bands" title="Over time"><${Bands} resource=${resource} at=${at} data=${data} leaves=${leaves} revision=${revision} /><//>`}`;
  }}<//>`;
}
