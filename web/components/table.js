import {html} from './html.js';

/// `columns`: {label, text?, swatch?, explain?}; `rows`: {head, explain?, cells: [{text, value?, mark?}]}.
/// The first column holds the heads of the rows. `value` is the number as dray gave it; `mark` says in
/// words what the emphasis of a cell means.
export function Table({caption, columns, rows, className = ''}) {
  return html`<div class="table" tabindex="0" role="region" aria-label=${caption}>
    <table class=${className}>
      <caption class="hidden">${caption}</caption>
      <thead><tr>${columns.map((column, at) => html`<th key=${at} scope="col" title=${column.explain}
        class=${column.text ? 'text' : ''}>${column.swatch}${column.label}</th>`)}</tr></thead>
      <tbody>${rows.map((row, at) => html`<tr key=${at}>
        <th scope="row">${row.head}${row.explain && html`<small>${row.explain}</small>`}</th>
        ${row.cells.map((cell, place) => html`<td key=${place} data-value=${cell.value}
          class=${[cell.mark ? 'mark' : '', columns[place + 1]?.text ? 'text' : ''].join(' ').trim() || undefined}>
          ${cell.text}${cell.mark && html`<span class="hidden"> (${cell.mark})</span>`}</td>`)}
      </tr>`)}</tbody>
    </table>
  </div>`;
}
