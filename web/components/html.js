// Markup without a compiler: html`<p>${text}</p>`. Text is text: nothing here parses HTML at run time.
import htm from 'htm';
import {h} from 'preact';

export const html = htm.bind(h);
