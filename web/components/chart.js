// A line chart: uPlot draws it; legend, keyboard and the table beside it are here.
import {useEffect, useRef, useState} from 'preact/hooks';
import uPlot from 'uplot';
import {plain} from './format.js';
import {html} from './html.js';
import {Table} from './table.js';
import {colour, colourName, cssValue, dash, useTheme} from './theme.js';

const most_rows = 24;

function seriesOf({label, place, fill, line = true, dashed}) {
  return {
    label,
    stroke: line ? (dashed ? cssValue('--ink') : colour(place)) : undefined,
    width: line ? 2 : 0,
    dash: dashed ? [4, 3] : dash(place),
    fill: fill ? `color-mix(in srgb, ${colour(place)} ${fill}%, transparent)` : undefined,
    points: {show: false},
  };
}

function axis(format, extra) {
  return {
    stroke: () => cssValue('--muted'),
    grid: {stroke: () => cssValue('--line'), width: 1},
    ticks: {stroke: () => cssValue('--line'), width: 1, size: 4},
    font: '12px system-ui, sans-serif',
    values: (_, splits) => splits.map((split) => (split === null ? '' : format(split))),
    ...extra,
  };
}

function optionsOf(props, width, onCursor) {
  const {series, stacked, xMark = props.xFormat, yMark = plain, height = 240, yMost, ySplits, xSplits, sync, small} = props;
  return {
    width,
    height,
    padding: [8, small ? 20 : 40, 0, 0],
    legend: {show: false},
    cursor: {
      y: false,
      drag: {x: false, y: false},
      points: {size: 7},
      sync: sync ? {key: sync, setSeries: false} : undefined,
    },
    scales: {
      x: {time: false},
      y: {range: (_, least, most) => [least < 0 ? least * 1.06 : 0, yMost ?? (most > 0 ? most * 1.06 : least < 0 ? 0 : 1)]},
    },
    axes: [
      axis(xMark, {space: small ? 60 : 80, size: 30, splits: xSplits}),
      axis(yMark, {size: small ? 44 : 58, space: small ? 30 : 40, splits: ySplits}),
    ],
    series: [{label: 'x'}, ...series.map(seriesOf)],
    // Each is filled down to the next alone, the last to the axis.
    bands: stacked ? series.slice(1).map((_, at) => ({series: [at + 1, at + 2]})) : undefined,
    hooks: {setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)]},
  };
}

function Legend({series, at, xs, xFormat, xLabel, yFormat}) {
  return html`<div class="legend">
    ${series.map((one) => html`<span key=${one.label} class="legend-item">
      <span class=${`line ${one.dashed ? 'dashed' : ''}`} aria-hidden="true"
        style=${{color: one.dashed ? 'var(--ink)' : colourName(one.place)}}></span>${one.label}
      ${at !== null && one.values[at] != null && html`<b>${yFormat(one.values[at])}</b>`}
    </span>`)}
    ${at !== null && html`<span class="legend-x">${xLabel} ${xFormat(xs[at])}</span>`}
  </div>`;
}

function NumbersTable({title, xLabel, xs, series, xFormat, yFormat}) {
  const step = Math.max(1, Math.ceil(xs.length / most_rows));
  const rows = [];
  for (let at = 0; at < xs.length; at += step) {
    rows.push({head: xFormat(xs[at]), cells: series.map(({values}) => ({
      text: values[at] == null ? '–' : yFormat(values[at]), value: values[at]}))});
  }
  const left = step > 1 ? `, one of every ${step} points` : '';
  return html`<${Table} caption=${`${title}${left}`} rows=${rows}
    columns=${[{label: xLabel}, ...series.map(({label}) => ({label}))]} />${left && html`<p class="left-out">
    The table shows one of every ${step} points of the curve.</p>`}`;
}

/// `series`: {label, values, place, fill?, dashed?, line?}, all as long as `xs`; `stacked`: each lies on top of the next.
export function Chart(props) {
  const {title, summary, xs, series, xFormat, yFormat, xLabel, small} = props;
  const box = useRef(null);
  const plot = useRef(null);
  const [at, setAt] = useState(null);
  const [open, setOpen] = useState(false);
  const turn = useTheme();
  useEffect(() => {
    const target = box.current;
    const made = new uPlot(optionsOf(props, target.clientWidth, setAt),
      [xs, ...series.map(({values}) => values)], target);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (target.clientWidth > 0 && target.clientWidth !== made.width) {
        made.setSize({width: target.clientWidth, height: made.height});
      }
    });
    observer.observe(target);
    return () => { observer.disconnect(); made.destroy(); };
  }, [turn, xs, series]);
  const onKeyDown = (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10}[event.key];
    if (!step) return;
    event.preventDefault();
    const next = Math.min(xs.length - 1, Math.max(0, (at ?? (step > 0 ? -1 : xs.length)) + step));
    plot.current.setCursor({left: plot.current.valToPos(xs[next], 'x'), top: 10});
  };
  const label = `${title}. ${summary ?? ''} Arrow keys move along the curve.`;
  return html`<figure class=${small ? 'chart small' : 'chart'}>
    <figcaption>${title}</figcaption>
    <${Legend} ...${props} at=${at} />
    <div class="plot" ref=${box} tabindex="0" role="img" aria-label=${label} onKeyDown=${onKeyDown}></div>
    <span class="hidden" aria-live="polite">${at !== null && document.activeElement === box.current
      ? `${xLabel} ${xFormat(xs[at])}: ${series.map((one) => `${one.label} ${yFormat(one.values[at])}`).join(', ')}` : ''}</span>
    ${!small && html`<details onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>Numbers</summary>${open && html`<${NumbersTable} ...${props} />`}</details>`}
  </figure>`;
}
