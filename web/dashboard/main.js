import {render} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {ThemeChoice} from '../components/controls.js';
import {html} from '../components/html.js';
import {watchTheme} from '../components/theme.js';
import {useRevision} from './ask.js';
import {Devices} from './devices.js';
import {Explain, Waiting} from './jobs.js';
import {Ledger} from './ledger.js';
import {Login} from './login.js';
import {Overview} from './overview.js';
import {link} from './parts.js';
import {Queues} from './queues.js';
import {Health, Policy} from './service.js';
import {setToken, useSession} from './session.js';

const screens = [['overview', Overview], ['devices', Devices], ['queues', Queues], ['waiting', Waiting], ['explain', Explain],
  ['ledger', Ledger], ['policy', Policy], ['health', Health]];

/// `#/devices?node=n` as {screen, query}.
function readPlace() {
  const [screen, query = ''] = location.hash.replace(/^#\//, '').split('?');
  return {screen: screens.some(([name]) => name === screen) ? screen : 'overview', query: Object.fromEntries(new URLSearchParams(query))};
}

function Page() {
  const [place, setPlace] = useState(readPlace);
  const {token, refused} = useSession();
  const {revision, live} = useRevision(token);
  useEffect(() => {
    const moved = () => setPlace(readPlace());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  useEffect(() => { document.title = `${place.screen} – dray`; }, [place.screen]);
  const Screen = screens.find(([name]) => name === place.screen)[1];
  const go = (screen, query) => { location.hash = link(screen, query); };
  const shown = refused ? html`<${Login} token=${token} refused=${refused} />` : html`<${Screen} key=${place.screen} revision=${revision} query=${place.query} go=${go} />`;
  return html`<div class="bar"><span class="brand">dray <span>dashboard</span></span>
      <span class=${live ? 'live' : 'live lost'} role="status"><b>${live ? '● live' : refused ? '○ no token' : '○ not connected'}</b></span>${token && html`<button onClick=${() => setToken('')}>Forget my token</button>`}<${ThemeChoice} /></div>
    <nav aria-label="Screens"><ul>${screens.map(([name]) => html`<li key=${name}><a href=${link(name)} aria-current=${name === place.screen ? 'page' : undefined}>${name}</a></li>`)}</ul></nav>
    <main>${shown}</main>`;
}

watchTheme();
const page = document.getElementById('page');
page.textContent = '';
render(html`<${Page} />`, page);
