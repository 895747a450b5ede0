// Nodes as boxes of squares, and one node with its NUMA nodes, PCIe roots and devices.
import {useMemo, useRef} from 'preact/hooks';
import {LeftOut, Section, Swatch} from '../components/controls.js';
import {countPicture, readLetter} from '../components/device_map.js';
import {plural} from '../components/format.js';
import {html} from '../components/html.js';
import {colourName} from '../components/theme.js';
import {useAnswer} from './ask.js';
import {Answered, Find, link, Pager} from './parts.js';

const step = 400;
const most_large = 60;
/// How a node's squares are drawn: where each partition of its devices is one they are small, so that boxes are about as high.
export const layout = (count) => (count > most_large ? {square: 4, gap: 1, across: 22} : {square: 9, gap: 2, across: 10});
const is_held = (letter) => /[a-z]/i.test(letter);

/// Paths of one node's picture by kind: free, taint, blocked, other, or the place of a queue.
export function nodePaths(letters) {
  const found = new Map();
  const {square, gap, across} = layout(letters.length);
  [...letters].forEach((letter, at) => {
    const [x, y] = [(at % across) * (square + gap) + 0.5, Math.floor(at / across) * (square + gap) + 0.5];
    const add = (key, height) => found.set(key, `${found.get(key) ?? ''}M${x} ${y + square - height}h${square}v${height}h-${square}z`);
    if (letter === '.') return add('free', square);
    if (letter === '!') return add('taint', square);
    if (letter === '%') return add('blocked', square);
    if (letter === '-') return add('other', square);
    const {queue, whole} = readLetter(letter);
    if (!whole) add('free', square);
    return add(queue, whole ? square : square / 2);
  });
  return found;
}

/// What the squares of a node say.
export function describe({name, devices, cordoned}, queues) {
  const count = (state) => [...devices].filter((letter) => letter === state).length;
  const [tainted, blocked] = [count('!'), count('%')];
  const held = devices.length - count('.') - tainted - blocked;
  const by = countPicture([...devices].filter(is_held).join('')).queues;
  const parts = [...by].map(([queue, count]) => `${queues[queue] ?? 'other queues'} ${count}`);
  return `${name}${cordoned ? ', cordoned' : ''}: ${held} of ${plural(devices.length, 'device')} held${parts.length ? ` (${parts.join(', ')})` : ''}${tainted ? `, ${tainted} tainted` : ''}${blocked ? `, ${blocked} blocked by these` : ''}`;
}

/// Drawn anew only where its node has changed: a revision moves few of hundreds.
function NodeBox({node, queues, chosen, q}) {
  return useMemo(() => nodeBox(node, queues, chosen, q), [node.name, node.devices, node.cordoned, queues.join('\n'), chosen, q]);
}

function nodeBox(node, queues, chosen, q) {
  const {square, gap, across} = layout(node.devices.length);
  const rows = Math.ceil(node.devices.length / across);
  const said = describe(node, queues);
  return html`<li><a href=${link('devices', {node: node.name, q})} title=${said} aria-label=${said} aria-current=${chosen ? 'true' : undefined}>
    ${node.name}${node.cordoned ? ' (cordoned)' : ''}
    <svg width="100%" height=${rows * (square + gap)} viewBox=${`0 0 ${across * (square + gap)} ${rows * (square + gap)}`} preserveAspectRatio="xMinYMin meet" aria-hidden="true">
      ${[...nodePaths(node.devices)].map(([key, path]) => html`<path key=${key} d=${path} class=${typeof key === 'string' ? key : undefined}
        style=${typeof key === 'string' ? undefined : {fill: colourName(key)}} />`)}</svg></a></li>`;
}

function Legend({nodes, queues}) {
  const seen = new Set(nodes.flatMap(({devices}) => [...devices].filter(is_held).map((letter) => readLetter(letter).queue)));
  return html`<div class="legend"><span class="legend-item"><span class="swatch free" aria-hidden="true"></span>free</span>
    ${[...seen].sort((a, b) => a - b).map((queue) => html`<span key=${queue} class="legend-item"><${Swatch} place=${queue} />${queues[queue] ?? 'other queues'}</span>`)}
    <span class="legend-item"><span class="swatch half" aria-hidden="true"></span>a share is held</span>
    <span class="legend-item">red edge: free, and tainted</span>
    ${nodes.some(({devices}) => devices.includes('%')) && html`<span class="legend-item"><span class="swatch blocked" aria-hidden="true"></span>free, but blocked by partitions in use</span>`}</div>`;
}

/// The arrow keys go from box to box.
function moveFocus(event) {
  const boxes = [...event.currentTarget.querySelectorAll('a')];
  const at = boxes.indexOf(document.activeElement);
  if (at < 0) return;
  const row = boxes.findIndex((box) => box.offsetTop > boxes[0].offsetTop);
  const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row}[event.key];
  if (!by || !boxes[at + by]) return;
  event.preventDefault();
  boxes[at + by].focus();
}

/// Devices by NUMA node, then PCIe root; '' where they do not say.
export function tree(devices) {
  const numas = new Map();
  for (const device of devices) {
    const numa = device.numa ?? '';
    if (!numas.has(numa)) numas.set(numa, new Map());
    const roots = numas.get(numa);
    const root = device.root ?? '';
    if (!roots.has(root)) roots.set(root, []);
    roots.get(root).push(device);
  }
  const byName = ([a], [b]) => (a === '') - (b === '') || a.localeCompare(b, undefined, {numeric: true});
  return [...numas].sort(byName).map(([numa, roots]) => ({numa, roots: [...roots].sort(byName).map(([root, list]) => ({root, devices: list}))}));
}

function holderText(holder) {
  if (holder.hidden) return `another namespace${holder.queue ? `, queue ${holder.queue}` : ''}`;
  const pods = holder.pods.length ? holder.pods.join(', ') : holder.claim;
  return `${pods} (${holder.queue ? `queue ${holder.queue}, ` : ''}claim ${holder.claim})${holder.reserved ? ', reserved' : ''}`;
}

function Device({device, queues}) {
  const read = is_held(device.state) ? readLetter(device.state) : null;
  const place = read && queues[read.queue] !== undefined ? read.queue : null;
  return html`<li style=${place === null ? undefined : {borderLeftColor: colourName(place)}}><b>${device.name}</b> <small>${device.product ?? device.driver}</small>
    ${device.holders.map((holder, at) => html`<span key=${at} class="who">${holderText(holder)}</span>`)}
    ${device.holders.length === 0 && html`<span class="who">${device.blockedBy ? `blocked: ${device.blockedBy} is in use` : 'free'}</span>`}
    ${(device.consumed ?? []).map(({name, used, of, percent}) => html`<span key=${name} class="who">${name}: ${used} of ${of ?? 'an unknown amount'}${percent === undefined ? '' : ` (${percent} %)`}</span>`)}
    ${(device.taints ?? []).map(({key, value, effect}) => html`<span key=${key} class="taint">taint ${key}${value ? `=${value}` : ''}: ${effect}</span>`)}</li>`;
}

/// Partitions that cannot be had are a line until somebody asks: there may be dozens of a card.
function Root({root, devices, queues}) {
  const rows = (list) => html`<ul class="devices">${list.map((device) => html`<${Device} key=${`${device.driver}/${device.pool}/${device.name}`} device=${device} queues=${queues} />`)}</ul>`;
  const blocked = devices.filter(({blockedBy}) => blockedBy);
  const by = [...new Set(blocked.map(({blockedBy}) => blockedBy))].join(', ');
  return html`<div class="root"><h4>${root === '' ? 'No PCIe root' : `PCIe root ${root}`}</h4>${rows(devices.filter(({blockedBy}) => !blockedBy))}
    ${blocked.length > 0 && html`<details><summary>${plural(blocked.length, 'partition')} blocked by ${by}</summary>${rows(blocked)}</details>`}</div>`;
}

function Node({name, revision}) {
  const answer = useAnswer('node', {name}, revision);
  return html`<${Section} id="node" title=${name} lead="Its NUMA nodes, their PCIe roots, and who has each device."><${Answered} answer=${answer}>${(data) => html`
    ${data.cordoned && html`<p class="failed">The node is cordoned.</p>`}
    ${(data.taints ?? []).map(({key, value, effect}) => html`<p key=${key} class="note">Taint ${key}${value ? `=${value}` : ''}: ${effect}</p>`)}
    ${data.devices.length === 0 && html`<p>It has no devices of its own.</p>`}
    ${tree(data.devices).map(({numa, roots}) => html`<div key=${numa} class="numa"><h3>${numa === '' ? 'No NUMA node' : `NUMA node ${numa}`}</h3>
      <div class="roots">${roots.map(({root, devices}) => html`<${Root} key=${root} root=${root} devices=${devices} queues=${data.queues} />`)}</div></div>`)}`}<//><//>`;
}

export function Devices({revision, query, go}) {
  const {node, q = '', from = 0} = query;
  const answer = useAnswer('nodes', {q, from, limit: step}, revision);
  const list = useRef(null);
  return html`<h1>Devices</h1>${node && html`<${Node} name=${node} revision=${revision} />`}
    <${Section} id="map" title="Nodes" lead="A box is a node, a square one of its devices, in the colour of the queue that holds it. Choose a node to see its devices.">
    <${Find} label="Name contains" value=${q} onFind=${(text) => go('devices', {q: text})} />
    <${Answered} answer=${answer}>${(data) => html`<${Legend} nodes=${data.nodes} queues=${data.queues} />
      <ul class="nodes" ref=${list} onKeyDown=${moveFocus}>${data.nodes.map((one) => html`<${NodeBox} key=${one.name} node=${one} queues=${data.queues} chosen=${one.name === node} q=${q} />`)}</ul>
      ${data.nodes.length === 0 && html`<p>No node has that in its name.</p>`}
      <${Pager} from=${data.from} shown=${data.nodes.length} found=${data.found} step=${step} what="nodes" onMove=${(next) => go('devices', {q, from: next})} />
      <${LeftOut}>Devices that belong to no one node are not in the map. Of devices that are cut into partitions each possible partition is a square.<//>`}<//><//>`;
}
