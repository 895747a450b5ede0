import {LeftOut, Section} from '../components/controls.js';
import {number, percent, plural} from '../components/format.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {useAnswer} from './ask.js';
import {Answered, link} from './parts.js';

function Tile({name, value, note, to}) {
  return html`<div><dt>${to ? html`<a href=${to}>${name}</a>` : name}</dt><dd>${value}${note && html`<small>${note}</small>`}</dd></div>`;
}

export const Meter = ({part, mark}) => html`<span class="meter" aria-hidden="true"><i style=${{width: `${Math.min(1, part) * 100}%`}}></i>
  ${mark !== undefined && html`<b style=${{left: `calc(${Math.min(1, mark) * 100}% - 2px)`}}></b>`}</span>`;

function Problems({problems}) {
  if (problems.length === 0) return null;
  return html`<section class="problem" aria-label="Problems"><h2>${plural(problems.length, 'problem')}</h2>
    <ul class="list">${problems.map((text) => html`<li key=${text}>${text}</li>`)}</ul></section>`;
}

export function Overview({revision}) {
  const answer = useAnswer('overview', {}, revision);
  const waiting = useAnswer('waiting', {}, revision);
  return html`<h1>Overview</h1><${Answered} answer=${answer}>${(data) => html`
    <${Problems} problems=${data.problems} />
    ${!data.everything && html`<${LeftOut}>You are ${data.user}. Named are pods, jobs and claims of the ${plural(data.namespaces, 'namespace')} in which you may list pods and claims; all others are counted.${
      data.namespacesNotAsked ? ` About ${plural(data.namespacesNotAsked, 'more namespace')} the API server is still being asked.` : ''}<//>`}
    <${Section} id="numbers" title="Now" lead=${data.leading ? `This replica leads, in mode ${data.mode}.` : 'Another replica leads: this one watches and decides nothing.'}>
      <dl class="tiles">
        <${Tile} name="Devices in use" to=${link('devices')} value=${number(data.devicesInUse)} note=${`of ${number(data.devices)} on ${plural(data.nodes, 'node')}`} />
        <${Tile} name="Jobs waiting" to=${link('waiting')} value=${number(data.waitingJobs)} note=${plural(data.waitingPods, 'pod')} />
        <${Tile} name="Pods placed" value=${number(data.placedPods)} note=${`${number(data.bindsInFlight)} being bound`} />
        <${Tile} name="Claims" to=${link('ledger')} value=${number(data.claims)} />
        <${Tile} name="Queues" to=${link('queues')} value=${number(data.queues)} />
        <${Tile} name="Bound" value=${number(data.binds)} note=${`${number(data.bindsUndone)} undone`} />
        <${Tile} name="Evicted" value=${number(data.evictions)} note=${plural(data.plans, 'plan')} />
      </dl><//>
    <${Section} id="drivers" title="Devices by driver">
      <${Table} caption="Devices by driver" columns=${[{label: 'driver'}, {label: 'in use'}, {label: 'devices'}, {label: 'part'}, {label: ''}]}
        rows=${data.drivers.map(({driver, devices, inUse}) => ({head: driver, cells: [{text: number(inUse), value: inUse}, {text: number(devices), value: devices},
          {text: percent(devices ? inUse / devices * 100 : 0, 0)}, {text: html`<${Meter} part=${devices ? inUse / devices : 0} />`}]}))} /><//>`}<//>
    <${Answered} answer=${waiting}>${(data) => html`<${Section} id="why" title="Why jobs wait">
      ${data.groups.length === 0 ? html`<p>Nothing waits.</p>` : html`<ul class="list">${data.groups.map((group) => html`<li key=${group.reason}>
        <a href=${link('waiting', {reason: group.reason})}>${plural(group.jobs, 'job')}</a>: ${group.text}</li>`)}</ul>`}<//>`}<//>`;
}
