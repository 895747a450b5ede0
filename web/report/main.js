import {render} from 'preact';
import {ThemeChoice} from '../components/controls.js';
import {html} from '../components/html.js';
import {watchTheme} from '../components/theme.js';
import {ExperimentReport} from './experiment.js';
import {JobsReport} from './jobs.js';

function Page({data}) {
  return html`<div class="bar"><span class="brand">dray <span>simulate</span></span><${ThemeChoice} /></div>
    <main>${data.kind === 'jobs' ? html`<${JobsReport} data=${data} />` : html`<${ExperimentReport} data=${data} />`}</main>
    <footer>Made by dray ${data.about.version}. Its measures are those of <code>dray simulate -o json</code>, rounded for reading; this file asks the network for nothing.</footer>`;
}

watchTheme();
const data = JSON.parse(document.getElementById('report-data').textContent);
if (data === 'dray-report-data') {
  document.getElementById('page').textContent = 'No data: this is the empty page that `dray simulate --report FILE` fills.';
} else {
  const page = document.getElementById('page');
  page.textContent = '';
  render(html`<${Page} data=${data} />`, page);
  document.title = `${document.querySelector('h1').textContent} – dray simulate`;
}
