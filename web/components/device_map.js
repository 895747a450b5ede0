// Which GPUs are held, by whom, at one moment: nodes as boxes of squares.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {number} from './format.js';
import {html} from './html.js';
import {colourName} from './theme.js';
import {Swatch} from './controls.js';

const free = '.';
/// The last letter stands for all queues after the 25th.
export const most_letters = 26;

/// What a letter of a picture says: null where the GPU is free.
export function readLetter(letter) {
  if (letter === free) return null;
  const small = letter.toLowerCase();
  return {queue: small.charCodeAt(0) - 97, whole: letter === small};
}

/// GPUs held at all, and by queue, and how many of them in part.
export function countPicture(picture) {
  const queues = new Map();
  let held = 0;
  let parts = 0;
  for (const letter of picture) {
    const read = readLetter(letter);
    if (!read) continue;
    ++held;
    if (!read.whole) ++parts;
    queues.set(read.queue, (queues.get(read.queue) ?? 0) + 1);
  }
  return {held, parts, queues};
}

/// Where each node's box is: as many columns as there is room for.
export function layout(nodes, width) {
  const largest = Math.max(1, ...nodes.map(({gpus}) => gpus));
  const across = Math.min(largest, 4);
  const square = nodes.length > 400 ? 5 : nodes.length > 150 ? 7 : nodes.length > 40 ? 10 : 14;
  const step = square + 1;
  const [boxWidth, boxHeight] = [across * step + 3, Math.ceil(largest / across) * step + 3];
  const gap = 4;
  const columns = Math.max(1, Math.floor((width + gap) / (boxWidth + gap)));
  let first = 0;
  const boxes = nodes.map((node, at) => {
    const x = (at % columns) * (boxWidth + gap);
    const y = Math.floor(at / columns) * (boxHeight + gap);
    const begin = first;
    first += node.gpus;
    return {node, x, y, begin};
  });
  const rows = Math.ceil(nodes.length / columns);
  return {boxes, across, square, step, boxWidth, boxHeight, gap, columns, height: rows * (boxHeight + gap)};
}

/// A path for each colour: thousands of squares stay a handful of elements.
export function paths(picture, {boxes, across, square, step}) {
  const found = new Map();
  const add = (key, text) => found.set(key, (found.get(key) ?? '') + text);
  for (const {node, x, y, begin} of boxes) {
    for (let gpu = 0; gpu < node.gpus; ++gpu) {
      const [left, top] = [x + 2 + (gpu % across) * step, y + 2 + Math.floor(gpu / across) * step];
      const read = readLetter(picture[begin + gpu]);
      add('free', `M${left} ${top}h${square}v${square}h-${square}z`);
      if (!read) continue;
      const height = read.whole ? square : square / 2;
      add(read.queue, `M${left} ${top + square - height}h${square}v${height}h-${square}z`);
    }
  }
  return found;
}

function describe(node, picture, begin, queues) {
  const {held, queues: by} = countPicture(picture.slice(begin, begin + node.gpus));
  const parts = [...by].map(([queue, count]) => `${queues[queue] ?? 'other queues'} ${count}`);
  return `${node.name} (${node.model}): ${held} of ${node.gpus} GPUs held${parts.length ? `: ${parts.join(', ')}` : ''}`;
}

/// One picture. `label` names whose it is.
export function DeviceMap({label, nodes, queues, picture}) {
  const box = useRef(null);
  const [width, setWidth] = useState(600);
  const [under, setUnder] = useState(null);
  useEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current?.clientWidth || 600));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const placed = useMemo(() => layout(nodes, width), [nodes, width]);
  const drawn = useMemo(() => paths(picture, placed), [picture, placed]);
  const {held, parts} = useMemo(() => countPicture(picture), [picture]);
  const onMove = ({offsetX, offsetY}) => {
    const column = Math.floor(offsetX / (placed.boxWidth + placed.gap));
    const at = Math.floor(offsetY / (placed.boxHeight + placed.gap)) * placed.columns + column;
    setUnder(column < placed.columns && at < nodes.length ? at : null);
  };
  const sum = `${number(held)} of ${number(picture.length)} GPUs held${parts ? `, ${number(parts)} of them in part` : ''}`;
  const said = under === null ? sum : describe(nodes[under], picture, placed.boxes[under].begin, queues);
  return html`<figure class="map">
    <figcaption><b>${label}</b> <span>${said}</span></figcaption>
    <div ref=${box}>
      <svg width="100%" height=${placed.height} role="img" aria-label=${`${label}: ${sum}`}
        onPointerMove=${onMove} onPointerLeave=${() => setUnder(null)}>
        ${placed.boxes.map(({x, y}, at) => html`<rect key=${at} class=${at === under ? 'node under' : 'node'}
          x=${x} y=${y} width=${placed.boxWidth} height=${placed.boxHeight} rx="2" />`)}
        ${[...drawn].map(([key, path]) => html`<path key=${key} d=${path}
          class=${key === 'free' ? 'free' : undefined}
          style=${key === 'free' ? undefined : {fill: colourName(key)}} />`)}
      </svg>
    </div>
  </figure>`;
}

export function MapLegend({queues, pictures}) {
  const seen = new Set(pictures.flatMap((picture) => [...countPicture(picture).queues.keys()]));
  const shown = [...seen].sort((a, b) => a - b);
  return html`<div class="legend">
    <span class="legend-item"><span class="swatch free" aria-hidden="true"></span>free</span>
    ${shown.map((queue) => html`<span key=${queue} class="legend-item"><${Swatch} place=${queue} />
      ${queue === most_letters - 1 && queues.length > most_letters ? 'other queues' : queues[queue] || 'no queue'}</span>`)}
    <span class="legend-item"><span class="swatch half" aria-hidden="true"></span>half-filled: in use in part</span>
  </div>`;
}
