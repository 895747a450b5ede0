// Light and dark: as the system says until the reader chooses; paper is always light.
import {useEffect, useState} from 'preact/hooks';

const listeners = new Set();
let chosen = 'auto';

function apply(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

export function chooseTheme(theme) {
  chosen = theme;
  apply(theme);
}

/// The canvases are drawn anew for paper, and again when it is done.
export function watchTheme() {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => apply(chosen));
  addEventListener('beforeprint', () => apply('light'));
  addEventListener('afterprint', () => apply(chosen));
}

/// A number that changes with the theme, for what draws with its colours.
export function useTheme() {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const listener = () => setTurn((last) => last + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return turn;
}

export const cssValue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const palette = 8;
/// The colour of the `place`th of several things, as CSS has it.
export function colourName(place) {
  return place < palette ? `var(--c${place})` : `hsl(${Math.round(place * 137.5) % 360} 55% 55%)`;
}
/// The same for a canvas.
export const colour = (place) => (place < palette ? cssValue(`--c${place}`) : colourName(place));
/// Colours come again after the palette's end: lines are told apart by dashes too.
export const dash = (place) => [[], [7, 4], [2, 3]][Math.floor(place / palette) % 3];
