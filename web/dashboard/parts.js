// What the screens have in common.
import {useState} from 'preact/hooks';
import {number} from '../components/format.js';
import {html} from '../components/html.js';

export const link = (screen, more = {}) => {
  const query = new URLSearchParams(Object.entries(more).filter(([, value]) => value)).toString();
  return `#/${screen}${query ? `?${query}` : ''}`;
};

/// `children(data)` once there is an answer; what went wrong above it.
export function Answered({answer, children}) {
  return html`${answer.error && html`<p class="failed" role="alert">${answer.error}</p>`}
    ${answer.data !== undefined ? children(answer.data) : !answer.error && html`<p class="note">Asking dray…</p>`}`;
}

export function Find({label, value, onFind, hint}) {
  const [text, setText] = useState(value);
  return html`<form class="find" role="search" onSubmit=${(event) => { event.preventDefault(); onFind(text.trim()); }}>
    <label>${label}<input type="search" value=${text} placeholder=${hint} onInput=${(event) => setText(event.currentTarget.value)} /></label>
    <button type="submit">Find</button></form>`;
}

/// Which part of a list is shown, and the way to the next.
export function Pager({from, shown, found, step, what, onMove}) {
  if (found <= shown && from === 0) return null;
  return html`<div class="pager"><button disabled=${from === 0} onClick=${() => onMove(Math.max(0, from - step))}>Earlier</button>
    <span aria-live="polite">${number(from + 1)}–${number(from + shown)} of ${number(found)} ${what}</span>
    <button disabled=${from + shown >= found} onClick=${() => onMove(from + step)}>Later</button></div>`;
}

export const when = (text) => (text ? new Date(text).toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'medium'}) : '–');
