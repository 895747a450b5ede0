// What dray is asked, and when something is new.
import {useEffect, useRef, useState} from 'preact/hooks';
import {headers, refuse} from './session.js';

const root = '/v1/dashboard/';

/// `{path, query}` as an address; what is empty is left out.
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '' && value != null);
  return root + path + (given.length ? `?${new URLSearchParams(given)}` : '');
}

/// What is fetched, with the token; a refusal is thrown, and an unknown token forgotten.
export async function fetched(where, options) {
  const sent = headers();
  const answer = await fetch(where, {...options, headers: {...options.headers, ...sent}});
  if (answer.ok) return answer;
  const why = (await answer.text()).trim();
  if (answer.status === 401) refuse(sent, why);
  throw new Error(why || `dray answers ${answer.status}`);
}

export async function ask(path, query, signal) {
  const answer = await fetched(address(path, query), {signal});
  return (answer.headers.get('Content-Type') ?? '').includes('json') ? answer.json() : answer.text();
}

/// Calls `run` at once, or again after the call that is under way: never two at a time, and none is given up for a newer one.
export function inTurn(run) {
  let busy = false;
  let again = false;
  return async () => {
    again = busy;
    if (busy) return;
    busy = true;
    do {
      again = false;
      await run();
    } while (again);
    busy = false;
  };
}

/// The newest answer, asked for again at each revision and after `every` milliseconds. Where revisions come faster than answers, these
/// are shown all the same.
export function useAnswer(path, query, revision, every) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  const refresh = useRef(null);
  const where = path && address(path, query);
  useEffect(() => {
    if (!where) return undefined;
    const stop = new AbortController();
    refresh.current = inTurn(async () => {
      if (stop.signal.aborted) return;
      await ask(path, query, stop.signal).then((data) => setState({where, data}),
        (error) => { if (!stop.signal.aborted) setState((last) => ({where, data: last.where === where ? last.data : undefined, error: error.message})); });
    });
    return () => stop.abort();
  }, [where]);
  useEffect(() => { if (where) refresh.current(); }, [where, revision, turn]);
  useEffect(() => {
    if (!every) return undefined;
    const timer = setInterval(() => setTurn((last) => last + 1), every);
    return () => clearInterval(timer);
  }, [every]);
  return state.where === where ? state : {};
}

/// The revisions in a stream of events, one after the other; `text` may end within a line.
export function readEvents(text) {
  const lines = text.split('\n');
  const rest = lines.pop();
  return {revisions: lines.filter((line) => line.startsWith('data: ')).map((line) => Number(line.slice(6))), rest};
}

/// Until the stream ends. An EventSource would do, but for the token, which it cannot send.
async function listen(signal, tell) {
  const answer = await fetched(`${root}events`, {signal});
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const {done, value} = await reader.read();
    if (done) return;
    const {revisions, rest} = readEvents(text + value);
    text = rest;
    if (revisions.length) tell(revisions.at(-1));
  }
}

/// The revision that dray last told of, and whether it can be heard. Anew with another `session`.
export function useRevision(session) {
  const [state, setState] = useState({revision: 0, live: false});
  useEffect(() => {
    const stop = new AbortController();
    const follow = async () => {
      let wait = 200;
      await listen(stop.signal, (revision) => setState({revision, live: true})).catch(() => {
        wait = 3000;
        if (!stop.signal.aborted) setState((last) => ({...last, live: false}));
      });
      if (!stop.signal.aborted) again = setTimeout(follow, wait);
    };
    let again;
    follow();
    return () => { stop.abort(); clearTimeout(again); };
  }, [session]);
  return state;
}
