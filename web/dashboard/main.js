import {render} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {ThemeChoice} from '../components/controls.js';
import {html} from '../components/html.js';
import {watchTheme} from '../components/theme.js';
import {useRevision} from './ask.js';
import {Devices} from './devices.js';
import {Explain, Waiting} from './jobs.js';
import {Ledger} from './ledger.js';
import {Overview} from './overview.js';
import {link} from './parts.js';
import {Queues} from './queues.js';
import {Health, Policy} from './service.js';

const screens = [['overview', Overview], ['devices', Devices], ['queues', Queues], ['waiting', Waiting], ['explain', Explain],
  ['ledger', Ledger], ['policy', Policy], ['health', Health]];

/// `#/devices?node=n` as {screen, query}.
function readPlace() {
  const [screen, query = ''] = location.hash.replace(/^#\//, '').split('?');
  return {screen: screens.some(([name]) => name === screen) ? screen : 'overview', query: Object.fromEntries(new URLSearchParams(query))};
}

function Page() {
  const [place, setPlace] = useState(readPlace);
  const {revision, live} = useRevision();
  useEffect(() => {
    const moved = () => setPlace(readPlace());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  useEffect(() => { document.title = `${place.screen} – dray`; }, [place.screen]);
  const Screen = screens.find(([name]) => name === place.screen)[1];
  const go = (screen, query) => { location.hash = link(screen, query); };
  return html`<div class="bar"><span class="brand">dray <span>dashboard</span></span>
      <span class=${live ? 'live' : 'live lost'} role="status"><b>${live ? '● live' : '○ not connected'}</b></span><${ThemeChoice} /></div>
    <nav aria-label="Screens"><ul>${screens.map(([name]) => html`<li key=${name}><a href=${link(name)} aria-current=${name === place.screen ? 'page' : undefined}>${name}</a></li>`)}</ul></nav>
    <main><${Screen} key=${place.screen} revision=${revision} query=${place.query} go=${go} /></main>`;
}

watchTheme();
const page = document.getElementById('page');
page.textContent = '';
render(html`<${Page} />`, page);
