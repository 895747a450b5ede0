import assert from 'node:assert/strict';
import {test} from 'node:test';
import {differences, experimentDifferences, summary} from '../report/differences.js';
import {best, beside, measures} from '../report/measures.js';
import {all, run} from './runs.js';

const leads = (said) => said.map(({lead, better, neutral}) => `${neutral ? '' : better ? '+ ' : '- '}${lead}`);

test('what differs most comes first, with its sign', () => {
  const said = differences(run('a'), run('b', {all: {waitP95: 22320, evictions: 12}}));
  assert.deepEqual(leads(said), ['+ p95 wait −38 %', '- 12 more evictions']);
  assert.equal(said[0].rest, '6h12m instead of 10h00m');
});

test('policies that do the same differ in nothing', () => {
  assert.deepEqual(differences(run('a'), run('b')), []);
});

test('seconds of a wait are no news, and neither are a thousandth of anything', () => {
  assert.deepEqual(differences(run('a', {all: {waitP50: 0, waitP95: 0.2, waitP99: 1.4}}),
    run('b', {all: {waitP50: 0, waitP95: 0.4, waitP99: 1.5}, utilisation: 70.05, makespan: 400100})), []);
});

test('less fragmented is better, and so are more pods with their devices together', () => {
  const said = differences(run('a', {fragmented: 9, aligned: 50}), run('b', {fragmented: 4, aligned: 75}));
  assert.deepEqual(leads(said), ['+ pods with their devices together +25.0 points', '+ GPUs fragmented −5.0 points']);
  assert.equal(said[1].rest, '4.0 % instead of 9.0 %');
  assert.deepEqual(differences(run('a', {aligned: 50}), run('b')), []);
});

test('jobs that do not end outweigh all else', () => {
  const [first] = differences(run('a'), run('b', {all: {ended: 990, waitP95: 100}}));
  assert.deepEqual([first.lead, first.better], ['10 jobs more not ended', false]);
});

test('of the queues the most improved and the most harmed are named', () => {
  const queue = (name, waitP95) => ({queue: name, ...all({waitP95})});
  const first = run('a', {queues: [queue('x', 4000), queue('y', 4000), queue('z', 4000)]});
  const other = run('b', {queues: [queue('x', 400), queue('y', 3900), queue('z', 8000)]});
  assert.deepEqual(leads(differences(first, other)), ['+ queue x: p95 wait −90 %', '- queue z: p95 wait +100 %']);
});

test('how jobs fared is said last', () => {
  const said = differences(run('a'), run('b', {fared: {later: 3, sooner: 1, same: 996, worst: []}}));
  assert.deepEqual(leads(said), ['1 job done sooner, 3 later']);
});

test('one policy alone is told in words', () => {
  assert.deepEqual(leads(summary(run('a', {all: {started: 998, ended: 990, evictions: 1, lostGpuHours: 2.5}}))),
    ['half of the jobs waited at most 10m00s', '70.0 % of the GPUs were in use on average', '990 of 1,000 jobs ended', '1 eviction']);
});

test('a difference within the spread of the seeds is no verdict', () => {
  const policy = (allocated, deviation, seeds = 10) => ({seeds, allocatedFull: {mean: 90, deviation: 0},
    allocatedLast: {mean: allocated, deviation}, fragmentedLast: {mean: 2, deviation: 0}, refused: {mean: 10, deviation: 0}});
  const said = (deviation, seeds) => leads(experimentDifferences(policy(95, 0.1), policy(95.5, deviation, seeds), 100, 130))[0];
  assert.equal(said(0.1), '+ GPU allocated at 130 % demand +0.50 points');
  assert.equal(said(0.6), 'GPU allocated at 130 % demand +0.50 points');
  assert.equal(said(0.6, 1), '+ GPU allocated at 130 % demand +0.50 points');
});

test('the best of a line is where less, or more, is better; nobody where all are alike', () => {
  const of = (key) => measures.find((measure) => measure.key === key);
  assert.deepEqual([...best(of('waitP95'), [30, 10, 10])], [1, 2]);
  assert.deepEqual([...best(of('utilisation'), [30, 50])], [1]);
  assert.deepEqual([...best(of('evictions'), [3, 3])], []);
});

test('percents differ in points', () => {
  const measure = measures.find(({key}) => key === 'utilisation');
  assert.equal(beside(measure, 70, 71.5), '+1.5 points');
  assert.equal(beside(measures[1], 100, 62), '−38 %');
});
