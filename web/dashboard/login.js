import {useState} from 'preact/hooks';
import {html} from '../components/html.js';
import {setToken} from './session.js';

/// Asks for a token. It is sent to dray alone, and to nobody before it is given.
export function Login({token, refused}) {
  const [text, setText] = useState('');
  return html`<h1>Who is looking?</h1>
    <section aria-labelledby="login-title"><h2 id="login-title">A token of the cluster</h2>
    <p class="lead">dray asks the API server who you are, and shows what you may list there.</p>
    ${token && html`<p class="failed" role="alert">${refused}</p>`}
    <form class="find" onSubmit=${(event) => { event.preventDefault(); setToken(text); }}>
      <label>Bearer token<input type="password" autocomplete="off" spellcheck=${false} value=${text} onInput=${(event) => setText(event.currentTarget.value)} /></label>
      <button type="submit" disabled=${!text.trim()}>Look</button></form>
    <p class="note">For a service account: <code>kubectl create token NAME -n NAMESPACE</code>. This tab keeps the token until it is closed.</p></section>`;
}
