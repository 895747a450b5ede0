import {useId} from 'preact/hooks';
import {html} from './html.js';
import {chooseTheme, colourName} from './theme.js';
import {useState} from 'preact/hooks';

/// One of several, as radio buttons in a row.
export function Choice({label, options, value, onChange}) {
  const name = useId();
  return html`<fieldset class="choice">
    <legend>${label}</legend>
    ${options.map((option) => html`<label key=${option.value} class=${option.value === value ? 'on' : ''}>
      <input type="radio" name=${name} checked=${option.value === value}
        onChange=${() => onChange(option.value)} />${option.label}</label>`)}
  </fieldset>`;
}

export function ThemeChoice() {
  const [theme, setTheme] = useState('auto');
  const options = ['auto', 'light', 'dark'].map((value) => ({value, label: value}));
  return html`<${Choice} label="Theme" options=${options} value=${theme}
    onChange=${(next) => { setTheme(next); chooseTheme(next); }} />`;
}

export const Swatch = ({place}) =>
  html`<span class="swatch" aria-hidden="true" style=${{background: colourName(place)}}></span>`;

/// A part of the page. `lead`: what it shows, in a sentence.
export function Section({id, title, lead, children}) {
  return html`<section id=${id} aria-labelledby=${`${id}-title`}>
    <h2 id=${`${id}-title`}>${title}</h2>
    ${lead && html`<p class="lead">${lead}</p>`}
    ${children}
  </section>`;
}

/// Says what is not shown. Nothing is left out without one.
export const LeftOut = ({children}) => html`<p class="left-out" role="note">${children}</p>`;
