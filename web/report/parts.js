// What both kinds of report have.
import {useMemo, useState} from 'preact/hooks';
import {LeftOut, Section, Swatch} from '../components/controls.js';
import {countPicture, DeviceMap, MapLegend} from '../components/device_map.js';
import {duration, number, plural} from '../components/format.js';
import {html} from '../components/html.js';

/// Sentences, each marked in words and by colour.
export function Sentences({said}) {
  return html`<ul class="said">${said.map(({lead, rest, better, neutral}) => {
    const kind = neutral ? 'neutral' : better ? 'better' : 'worse';
    const sign = {neutral: '•', better: '▲', worse: '▼'}[kind];
    return html`<li key=${lead} class=${kind}><span class="sign" aria-hidden="true">${sign}</span>
      <span><b>${lead}</b>${!neutral && html`<span class="hidden"> (${kind})</span>`}<span class="rest">${rest}</span></span></li>`;
  })}</ul>`;
}

export function Cards({cards}) {
  return html`<div class="cards">${cards.map(({name, place, against, said}) => html`<article key=${place} class="card">
    <h3><${Swatch} place=${place} />${name}${against && html` <small>instead of ${against}</small>`}</h3>
    ${said.length ? html`<${Sentences} said=${said} />` : html`<p>Nothing differs.</p>`}
  </article>`)}</div>`;
}

export function Header({title, about}) {
  const facts = [['Cluster', `${about.cluster} — ${plural(about.nodes, 'node')}, ${plural(about.gpus, 'GPU')}`],
    ['Workload', `${about.workload} — ${plural(about.jobs, about.unit ?? 'job')}`],
    ['Seeds', number(about.seeds)]];
  return html`<header>
    <h1>${title}</h1>
    ${about.unit === 'pod' && html`<p class="lead">Each pod counts as a job here, with the devices that it had or asks for; what ran in the cluster before counts in nothing.</p>`}
    <dl class="facts">${facts.map(([name, text]) => html`<div key=${name}><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>
  </header>`;
}

/// The moment at which the most is held.
export function busiest(pictures) {
  const held = pictures.map((picture) => countPicture(picture).held);
  return Math.max(0, held.indexOf(Math.max(...held)));
}

/// `runs`: {name, pictures}. The moment is chosen by a slider.
export function MapSection({map, runs}) {
  const [at, setAt] = useState(() => busiest(runs[0].pictures));
  const pictures = useMemo(() => runs.flatMap((run) => run.pictures), [runs]);
  if (map.moments.length === 0 || map.nodes.length === 0) return null;
  const inTime = map.unit === 'seconds';
  const said = inTime ? `${duration(map.moments[at])} after the first arrival` : `at ${number(map.moments[at])} % demand`;
  return html`<${Section} id="devices" title="Devices at any moment"
    lead="A box is a node, a square one of its GPUs, in the colour of the queue that holds it. Move the slider; point at a node for its name.">
    <div class="slider"><label for="moment">Moment</label>
      <input id="moment" type="range" min="0" max=${map.moments.length - 1} value=${at} aria-valuetext=${said}
        onInput=${(event) => setAt(Number(event.currentTarget.value))} />
      <output for="moment">${said}</output></div>
    <${MapLegend} queues=${map.queues} pictures=${pictures} />
    <div class="maps">${runs.map(({name, pictures: of}, place) => html`<${DeviceMap} key=${place} label=${name}
      nodes=${map.nodes} queues=${map.queues} picture=${of[at]} />`)}</div>
    <${LeftOut}>The slider has ${plural(map.moments.length, 'moment')} of the run; what happened between two of them is not shown.
      ${map.nodes.length < map.ofNodes && ` ${number(map.nodes.length)} of ${number(map.ofNodes)} nodes are shown, evenly chosen, to keep the file small.`}
      ${inTime && ' Where GPUs are counted, not chosen, the squares of a node say how many are held, not which.'}<//>
  <//>`;
}
