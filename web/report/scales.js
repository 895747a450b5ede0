// Axes of time, and of waiting, which goes from nothing to weeks.

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export const toWait = (seconds) => Math.log10(1 + seconds);
export const fromWait = (value) => 10 ** value - 1;

const waits = [0, 10, minute, 10 * minute, hour, 6 * hour, day, 7 * day, 30 * day, 365 * day];
/// Marks of the axis of waiting, for uPlot.
export function waitAxis(_, __, least, most) {
  return waits.map(toWait).filter((mark) => mark >= least && mark <= most);
}

const steps = [1, 5, 15, 30, minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour,
  day, 2 * day, 7 * day, 14 * day, 30 * day, 90 * day, 365 * day];
/// Round moments, at most `most` of them.
export function timeSplits(least, end, most) {
  const step = steps.find((one) => (end - least) / one <= most) ?? steps.at(-1);
  const splits = [];
  for (let at = Math.ceil(least / step) * step; at <= end; at += step) splits.push(at);
  return splits;
}

/// Runs end at different times. Their curves are put on one axis, that of the longest: each point is
/// what the run's own curve has at that time, and nothing after its end.
export function timeAxis(runs) {
  const count = runs[0].held.length;
  const span = Math.max(...runs.map((run) => run.span));
  const xs = Array.from({length: count}, (_, at) => ((at + 0.5) * span) / count);
  const resample = (run, values) => xs.map((x) => {
    const at = Math.floor((x / run.span) * values.length);
    return at < values.length ? values[at] : null;
  });
  const splits = (plot, _, least, most) => timeSplits(least, most, Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / 90)));
  return {xs, axis: {resample, splits}};
}
