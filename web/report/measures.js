// What is compared between policies, how it is written, and which way is better. Names are those of
// `dray simulate -o json`.
import {change, duration, number, percent, signed} from '../components/format.js';

const hours = (value) => number(value, value < 100 ? 1 : 0);

const inPoints = (before, after) => (Math.abs(after - before) < 0.05 ? '' : `${signed(after - before, 1)} points`);

/// `of`: from a run, undefined where it was not measured; `by`: how a difference is written, else in percent; `less`: less is better (absent: neither); `small`: differences below are noise.
export const measures = [
  {key: 'waitP50', label: 'wait, median', of: (run) => run.all.waitP50, text: duration, less: true, small: 1,
    explain: 'half of the jobs that started waited no longer, all waiting of a job counted'},
  {key: 'waitP95', label: 'wait, p95', of: (run) => run.all.waitP95, text: duration, less: true, small: 1,
    explain: '95 of 100 jobs waited no longer'},
  {key: 'waitP99', label: 'wait, p99', of: (run) => run.all.waitP99, text: duration, less: true, small: 1,
    explain: '99 of 100 jobs waited no longer'},
  {key: 'waitMean', label: 'wait, mean', of: (run) => run.all.waitMean, text: duration, less: true, small: 1},
  {key: 'gangWaitP95', label: 'wait of gangs, p95', of: (run) => run.all.gangWaitP95, text: duration, less: true,
    small: 1, explain: 'jobs of several pods, which start together'},
  {key: 'unfinished', label: 'jobs not ended', of: (run) => run.all.jobs - run.all.ended, text: number, less: true, small: 1,
    explain: 'of all that arrived, at the end of the run'},
  {key: 'evictions', label: 'evictions', of: (run) => run.all.evictions, text: number, less: true, small: 1,
    explain: 'a job that runs is stopped for another and begins anew'},
  {key: 'preemptions', label: 'of these preemptions', of: (run) => run.all.preemptions, text: number, less: true, small: 1,
    explain: 'for a job of higher priority in the same queue; the others were taken back for another queue'},
  {key: 'failures', label: 'stopped by failing nodes', of: (run) => run.all.failures, text: number, less: true, small: 1,
    explain: 'jobs that began anew because a node of theirs failed'},
  {key: 'moves', label: 'moves', of: (run) => run.all.moves, text: number, less: true, small: 1,
    explain: 'evictions after which the job went on elsewhere at once'},
  {key: 'lostGpuHours', label: 'GPU-hours lost', of: (run) => run.all.lostGpuHours, text: hours, less: true, small: 0.05,
    explain: 'run before an eviction, and run again'},
  {key: 'gpuHours', label: 'GPU-hours useful', of: (run) => run.all.gpuHours, text: hours, less: false, small: 0.05,
    explain: 'of jobs that ended'},
  {key: 'utilisation', label: 'GPUs in use', of: (run) => run.utilisation, text: percent, less: false, small: 0.05,
    by: inPoints, explain: 'held, of all, from the first arrival to the end of the run'},
  {key: 'fragmented', label: 'GPUs fragmented', of: (run) => run.fragmented, text: percent, less: true, small: 0.05, by: inPoints,
    explain: 'free, and of no use to the typical job (the measure of FGD), of all, on average over time'},
  {key: 'aligned', label: 'devices together', of: (run) => run.aligned, text: percent, less: false, small: 0.05, by: inPoints,
    explain: 'of placed pods of several devices, those that have them on one PCIe root or NUMA node'},
  {key: 'makespan', label: 'makespan', of: (run) => run.makespan, text: duration, less: true, small: 1,
    explain: 'from the first arrival to the last end'},
  {key: 'jain', label: "Jain's index", of: (run) => run.jain, text: (value) => number(value, 3), less: false, small: 0.001,
    by: (before, after) => (Math.abs(after - before) < 0.0005 ? '' : signed(after - before, 3)),
    explain: 'how even the parts of their demand are that queues held: 1 is even'},
  {key: 'owed', label: 'GPUs owed to queues', of: (run) => run.all.owed, text: (value) => number(value, 1), less: true, small: 0.05,
    explain: 'that queues held less than their fair shares, on average over time'},
];

/// What stands beside a value: its difference from the first policy's.
export const beside = ({by = change}, before, after) => by(before, after);

/// The places of the best of these values, where they differ at all.
export function best({less, small}, values) {
  const known = values.filter((value) => value !== undefined);
  const wanted = less ? Math.min(...known) : Math.max(...known);
  const other = less ? Math.max(...known) : Math.min(...known);
  if (less === undefined || Math.abs(wanted - other) < small) return new Set();
  return new Set(values.flatMap((value, at) => (Math.abs(value - wanted) < small ? [at] : [])));
}
