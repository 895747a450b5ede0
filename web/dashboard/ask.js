// What dray is asked, and when something is new.
import {useEffect, useState} from 'preact/hooks';

const root = '/v1/dashboard/';

/// `{path, query}` as an address; what is empty is left out.
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '' && value != null);
  return root + path + (given.length ? `?${new URLSearchParams(given)}` : '');
}

export async function ask(path, query, signal) {
  const answer = await fetch(address(path, query), {signal});
  if (!answer.ok) throw new Error((await answer.text()).trim() || `dray answers ${answer.status}`);
  return (answer.headers.get('Content-Type') ?? '').includes('json') ? answer.json() : answer.text();
}

/// The newest answer, asked for again at each revision and after `every` milliseconds.
export function useAnswer(path, query, revision, every) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  const where = path && address(path, query);
  useEffect(() => {
    if (!where) return undefined;
    const stop = new AbortController();
    ask(path, query, stop.signal).then((data) => setState({where, data}),
      (error) => { if (!stop.signal.aborted) setState((last) => ({where, data: last.where === where ? last.data : undefined, error: error.message})); });
    return () => stop.abort();
  }, [where, revision, turn]);
  useEffect(() => {
    if (!every) return undefined;
    const timer = setInterval(() => setTurn((last) => last + 1), every);
    return () => clearInterval(timer);
  }, [every]);
  return state.where === where ? state : {};
}

/// The revision that dray last told of, and whether it can be heard.
export function useRevision() {
  const [state, setState] = useState({revision: 0, live: false});
  useEffect(() => {
    const source = new EventSource(`${root}events`);
    source.addEventListener('picture', ({data}) => setState({revision: Number(data), live: true}));
    source.onerror = () => setState((last) => ({...last, live: false}));
    return () => source.close();
  }, []);
  return state;
}
