// The differences between two policies in words, those that matter most first.
import {change, duration, number, percent, plural, signed} from '../components/format.js';

const clamp = (value) => Math.min(1, Math.max(0, value));
/// How far apart two amounts are: 0 alike, 1 not to be compared.
const apart = (before, after) => Math.abs(after - before) / Math.max(before, after, 1e-9);

function waits(first, run) {
  const kinds = [['waitP95', 'p95 wait', 1.4], ['waitP50', 'median wait', 1], ['waitP99', 'p99 wait', 0.7],
    ['gangWaitP95', 'p95 wait of gangs', 0.6]];
  return kinds.map(([key, label, weight]) => {
    const [before, after] = [first.all[key], run.all[key]];
    // A minute less of nothing much is no news.
    const enough = Math.abs(after - before) >= 1 ? clamp(Math.max(before, after) / 60) : 0;
    const by = change(before, after);
    return {weight: weight * enough * apart(before, after), better: after < before,
      lead: after < 1 && key === 'waitP50' ? 'half of the jobs do not wait' : `${label} ${by || duration(after)}`, rest: `${duration(after)} instead of ${duration(before)}`};
  });
}

function counted(key, one, many, scale, first, run, weight) {
  const difference = run.all[key] - first.all[key];
  return {weight: weight * clamp(Math.abs(difference) / scale) , better: difference < 0,
    lead: `${plural(Math.abs(difference), one, many).replace(' ', difference > 0 ? ' more ' : ' fewer ')}`,
    rest: `${number(run.all[key])} instead of ${number(first.all[key])}`};
}

function unfinished(first, run) {
  const [before, after] = [first, run].map(({all}) => all.jobs - all.ended);
  const [most, least] = [Math.max(before, after), Math.min(before, after)];
  return {weight: after === before ? 0 : 2, better: after < before,
    lead: `${plural(most - least, 'job')} ${after > before ? 'more' : 'fewer'} not ended`,
    rest: `${number(after)} instead of ${number(before)} of ${number(run.all.jobs)}`};
}

function points(before, after, label, scale) {
  return {weight: clamp(Math.abs(after - before) / scale), better: after > before,
    lead: `${label} ${signed(after - before, 1)} points`, rest: `${percent(after)} instead of ${percent(before)}`};
}

function fragmented(first, run) {
  const told = points(run.fragmented, first.fragmented, 'GPUs fragmented', 10);
  return {...told, lead: `GPUs fragmented ${signed(run.fragmented - first.fragmented, 1)} points`,
    rest: `${percent(run.fragmented)} instead of ${percent(first.fragmented)}`};
}

function aligned(first, run) {
  if (first.aligned === undefined || run.aligned === undefined) return [];
  return [points(first.aligned, run.aligned, 'pods with their devices together', 20)];
}

function queues(first, run) {
  if (run.queues.length < 2) return [];
  const changed = run.queues.flatMap((queue) => {
    const before = first.queues.find((other) => other.queue === queue.queue);
    if (!before || before.started === 0 || queue.started === 0) return [];
    const weight = 0.75 * apart(before.waitP95, queue.waitP95) * clamp(Math.abs(queue.waitP95 - before.waitP95) / 60);
    return [{weight, better: queue.waitP95 < before.waitP95,
      lead: `queue ${queue.queue}: p95 wait ${change(before.waitP95, queue.waitP95) || duration(queue.waitP95)}`,
      rest: `${duration(queue.waitP95)} instead of ${duration(before.waitP95)}`}];
  });
  const most = (some) => some.sort((a, b) => b.weight - a.weight).slice(0, 1);
  return [...most(changed.filter(({better}) => better)), ...most(changed.filter(({better}) => !better))];
}

function fared({fared: sums}) {
  if (!sums) return [];
  return [{weight: 0.05, better: sums.sooner >= sums.later, neutral: true,
    lead: `${plural(sums.sooner, 'job')} done sooner, ${number(sums.later)} later`, rest: `${number(sums.same)} at the same time`}];
}

const most_said = 6;

/// Sentences {lead, rest, better, neutral?} on how `run` differs from `first`.
export function differences(first, run) {
  const lost = (run.all.lostGpuHours - first.all.lostGpuHours);
  const useful = Math.max(first.all.gpuHours, run.all.gpuHours, 1);
  const all = [
    ...waits(first, run),
    unfinished(first, run),
    counted('evictions', 'eviction', 'evictions', Math.max(1, run.all.jobs / 20), first, run, 0.9),
    counted('moves', 'move', 'moves', Math.max(1, run.all.jobs / 20), first, run, 0.3),
    {weight: 0.8 * clamp((10 * Math.abs(lost)) / useful), better: lost < 0,
      lead: `${number(Math.abs(lost), 1)} GPU-hours ${lost > 0 ? 'more' : 'fewer'} lost to evictions`,
      rest: `${percent((100 * Math.abs(lost)) / useful)} of the useful ones`},
    points(first.utilisation, run.utilisation, 'GPUs in use', 10),
    fragmented(first, run),
    ...aligned(first, run),
    {weight: 3 * apart(first.makespan, run.makespan), better: run.makespan < first.makespan,
      lead: `makespan ${change(first.makespan, run.makespan)}`,
      rest: `${duration(run.makespan)} instead of ${duration(first.makespan)}`},
    {weight: run.queues.length > 1 ? clamp(Math.abs(run.jain - first.jain) / 0.2) : 0, better: run.jain > first.jain,
      lead: `queues are served ${run.jain > first.jain ? 'more' : 'less'} evenly`,
      rest: `Jain's index ${number(run.jain, 3)} instead of ${number(first.jain, 3)}`},
    ...queues(first, run),
  ];
  const told = all.filter(({weight}) => weight >= 0.02).sort((a, b) => b.weight - a.weight);
  return [...told.slice(0, most_said), ...fared(run)];
}

/// What became of the jobs under one policy.
export function summary(run) {
  const {all} = run;
  const said = [
    {lead: `half of the jobs waited ${all.waitP50 < 1 ? 'not at all' : `at most ${duration(all.waitP50)}`}`,
      rest: `5 of 100 longer than ${duration(all.waitP95)}`},
    {lead: `${percent(run.utilisation)} of the GPUs were in use on average`, rest: `over ${duration(run.span)}`},
    {lead: `${number(all.ended)} of ${plural(all.jobs, 'job')} ended`, rest: all.started < all.jobs
      ? `${number(all.jobs - all.started)} never started` : 'all of them started'},
  ];
  if (all.evictions > 0) {
    said.push({lead: plural(all.evictions, 'eviction'), rest: `${number(all.lostGpuHours, 1)} GPU-hours were run twice`});
  }
  return said.map((one) => ({...one, neutral: true}));
}

/// The same of two policies of FGD's experiment.
export function experimentDifferences(first, policy, full, last) {
  const spread = (value) => (policy.seeds > 1 ? ` ± ${number(value.deviation, 2)}` : '');
  const of = (key, label, less) => {
    const [before, after] = [first[key].mean, policy[key].mean];
    return {weight: Math.abs(after - before), better: less ? after < before : after > before,
      neutral: Math.abs(after - before) < Math.max(0.005, policy.seeds > 1 ? policy[key].deviation : 0),
      lead: `${label} ${signed(after - before, 2)} points`,
      rest: `${number(after, 2)} %${spread(policy[key])} instead of ${number(before, 2)} %`};
  };
  const refused = policy.refused.mean - first.refused.mean;
  const [count, decimals] = [Math.abs(refused), policy.seeds > 1 ? 1 : 0];
  return [
    of('allocatedLast', `GPU allocated at ${last} % demand`),
    ...(full === last ? [] : [of('allocatedFull', `GPU allocated at ${full} % demand`)]),
    of('fragmentedLast', `fragmented at ${last} % demand`, true),
    {better: refused < 0, neutral: count < Math.max(0.05, policy.seeds > 1 ? policy.refused.deviation : 0),
      lead: `${number(count, decimals)} ${refused > 0 ? 'more' : 'fewer'} pods refused`,
      rest: `${number(policy.refused.mean, decimals)} instead of ${number(first.refused.mean, decimals)}`},
  ];
}
