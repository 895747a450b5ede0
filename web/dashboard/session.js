// Who is looking: the token that he gave, if dray wants one. It is kept by this tab alone, and ends with it.
import {useEffect, useState} from 'preact/hooks';

const key = 'dray-token';
const listeners = new Set();
let refused = '';

// A browser may forbid storage; then the token lasts until the page is left.
let token = (() => { try { return sessionStorage.getItem(key) ?? ''; } catch { return ''; } })();

const tell = () => listeners.forEach((listener) => listener());

/// What to send along. Nothing without a token: a proxy may add its own.
export const headers = () => (token ? {Authorization: `Bearer ${token}`} : {});

export function setToken(given) {
  token = given.trim();
  try {
    if (token) sessionStorage.setItem(key, token);
    else sessionStorage.removeItem(key);
  } catch { /* see above */ }
  refused = '';
  tell();
}

/// dray answered 401 to a request that was sent with these headers.
export function refuse(sent, why) {
  if (sent.Authorization !== headers().Authorization) return;
  refused = why || 'A token is needed.';
  tell();
}

/// `{token, refused}`: whether there is one, and why dray does not take it.
export function useSession() {
  const [state, setState] = useState({token, refused});
  useEffect(() => {
    const changed = () => setState({token, refused});
    listeners.add(changed);
    changed();
    return () => listeners.delete(changed);
  }, []);
  return state;
}
