// What waits, and why one job does.
import {Section} from '../components/controls.js';
import {duration, number, plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {useAnswer} from './ask.js';
import {Answered, Find, link, Pager} from './parts.js';

const step = 100;
const since = (text) => (text ? duration(Math.max(0, (Date.now() - Date.parse(text)) / 1000)) : '–');

function Group({group, alone, go}) {
  const rows = group.rows.map((row) => ({head: html`<a href=${link('explain', {pod: row.pod})}>${row.job}</a>`,
    cells: [{text: html`<span class="wide">${row.detail ?? ''}</span>`}, {text: row.queue ?? '–'}, {text: since(row.since)}, {text: row.members > 1 ? `${number(row.pods)} of ${number(row.members)}` : '1'}]}));
  const hidden = group.hidden > 0 ? ` ${plural(group.hidden, 'job')} of other namespaces among them.` : '';
  return html`<${Section} id=${group.reason} title=${`${plural(group.jobs, 'job')}: ${group.text}`} lead=${`${plural(group.pods, 'pod')} in all, the oldest first.${hidden}`}>
    <${Table} caption=${group.text} className="jobs" rows=${rows} columns=${[{label: 'job'}, {label: 'what decides', text: true}, {label: 'queue', text: true}, {label: 'waits for'}, {label: 'pods'}]} />
    ${alone ? html`<${Pager} from=${group.from} shown=${group.rows.length} found=${group.jobs - group.hidden} step=${step} what="jobs" onMove=${(from) => go('waiting', {reason: group.reason, from})} />`
      : group.jobs > group.rows.length + group.hidden && html`<p class="note"><a href=${link('waiting', {reason: group.reason})}>All ${number(group.jobs)}</a></p>`}<//>`;
}

export function Waiting({revision, query, go}) {
  const {reason = '', from = 0} = query;
  const answer = useAnswer('waiting', {reason, from, limit: step}, revision);
  return html`<h1>Waiting</h1>${reason && html`<p><a href=${link('waiting')}>All reasons</a></p>`}<${Answered} answer=${answer}>${(data) => html`
    ${data.groups.length === 0 ? html`<p>Nothing waits${reason ? ' for this reason' : ''}.</p>` : data.groups.map((group) => html`<${Group} key=${group.reason} group=${group} alone=${reason !== ''} go=${go} />`)}`}<//>`;
}

function List({title, items}) {
  if (!items?.length) return null;
  return html`<h3>${title}</h3><ul class="list">${items.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`;
}

const standings = {waits: 'waits', follows: 'waits, and has a place once others have left it', starts: 'would start at once', runs: 'runs', done: 'has ended',
  bypasses: 'is not dray’s to place: it asks for no devices', not_ours: 'is another scheduler’s'};

function Explanation({data}) {
  const {queue, job} = data;
  return html`<${Section} id="why" title=${data.pod} lead=${`It ${standings[data.standing] ?? data.standing}.`}>
    <p class="summary">${data.summary}</p>
    ${data.nearest && html`<h3>Nearest miss</h3><p>${data.nearest}</p>`}
    <${List} title="What would help" items=${data.helps} />
    <${List} title="Devices" items=${data.devices} />
    ${job && html`<h3>Job</h3><p>${job.name}: ${plural(job.pods, 'pod')}, ${number(job.running)} running${job.startTogether > 1 ? `; ${job.startTogether} have to start together, there is room for ${job.haveRoom}` : ''}</p>`}
    ${queue && html`<h3>Queue ${queue.name}</h3>${queue.position > 0 && html`<p>Number ${queue.position} of ${queue.waiting} that wait there${queue.ahead?.length ? `; ahead: ${queue.ahead.join(', ')}${queue.moreAhead ? ` and ${queue.moreAhead} more` : ''}` : ''}</p>`}
      ${queue.levels?.length > 0 && html`<${Table} caption="What the queue has" columns=${[{label: 'queue'}, {label: 'resource'}, {label: 'asked'}, {label: 'held'}, {label: 'quota'}, {label: 'fair share'}, {label: 'limit'}]}
        rows=${queue.levels.map((level) => ({head: level.queue, cells: [level.resource, level.asked, level.held, level.quota, level.fairShare, level.limit].map((value) => ({text: value ?? 'none'}))}))} />`}`}
    ${data.nodes?.length > 0 && html`<h3>Nodes that refuse it</h3><${Table} caption="Nodes that refuse it" columns=${[{label: 'nodes'}, {label: 'why', text: true}, {label: 'for example', text: true}]}
      rows=${data.nodes.map((group) => ({head: number(group.count), cells: [{text: html`<span class="wide">${group.message}</span>`}, {text: (group.names ?? []).join(', ')}]}))} />`}
    <${List} title="Notes" items=${data.notes} /><//>`;
}

export function Explain({revision, query, go}) {
  const pod = query.pod ?? '';
  const answer = useAnswer(pod ? 'explain' : '', {pod}, revision);
  return html`<h1>Explain</h1><${Find} key=${pod} label="Pod or job, as NAMESPACE/NAME" value=${pod} hint="default/train-0"
    onFind=${(text) => go('explain', {pod: text && !text.includes('/') ? `default/${text}` : text})} />
    ${pod ? html`<${Answered} answer=${answer}>${(data) => html`<${Explanation} data=${data} />`}<//>` : html`<p>Name a pod or a job, or choose one under <a href=${link('waiting')}>Waiting</a>.</p>`}`;
}
