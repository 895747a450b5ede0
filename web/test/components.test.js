// What components say, without a browser.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import render from 'preact-render-to-string';
import {countPicture, layout, paths, readLetter} from '../components/device_map.js';
import {html} from '../components/html.js';
import {Table} from '../components/table.js';
import {againstFirst, Measures as ExperimentMeasures, RefusedFor} from '../report/experiment.js';
import {Later, Measures} from '../report/jobs.js';
import {busiest} from '../report/parts.js';
import {Places, StillWaiting} from '../report/places.js';
import {fromWait, timeAxis, timeSplits, toWait} from '../report/scales.js';
import {run} from './runs.js';

const nodes = [{name: 'a', model: 'm', gpus: 2}, {name: 'b', model: 'm', gpus: 8}];

test('letters of a picture: free, held, in use in part', () => {
  assert.equal(readLetter('.'), null);
  assert.deepEqual([readLetter('a'), readLetter('C'), readLetter('z')],
    [{queue: 0, whole: true}, {queue: 2, whole: false}, {queue: 25, whole: true}]);
  const {held, parts, queues} = countPicture('..aaB');
  assert.deepEqual([held, parts, [...queues]], [3, 1, [[0, 2], [1, 1]]]);
  assert.equal(busiest(['...', 'aa.', 'a..']), 1);
});

test('every GPU is drawn once as a place, and once in the colour of who holds it', () => {
  const placed = layout(nodes, 400);
  const drawn = paths('ab.......B', placed);
  const squares = (key) => drawn.get(key).split('M').length - 1;
  assert.deepEqual([squares('free'), squares(0), squares(1)], [10, 1, 2]);
  assert.ok(placed.boxes.every(({x}) => x < 400));
});

test('a name is text, whatever is in it', () => {
  const table = render(html`<${Table} caption="c" columns=${[{label: 'l'}]} rows=${[{head: '<script>x</script>', cells: []}]} />`);
  assert.ok(!table.includes('<script>') && table.includes('&lt;script'));
});

test('the table of measures has each number as it was given, and marks the best in words', () => {
  const text = render(html`<${Measures} runs=${[run('a'), run('b', {all: {waitP95: 1234.567}})]} />`);
  assert.match(text, /data-value="1234.567"[^>]*>20m35s <small class="by">−97 %<\/small><span class="hidden"> \(the best\)/);
});

test('where jobs ran: models and classes that any policy has, and how close together', () => {
  const first = run('a', {models: [{model: 'H100', gpus: 8, utilisation: 50}], classes: [{class: 'nic', devices: 2, utilisation: 10}],
    gangs: [{level: 'node', gangs: 4, together: 75}]});
  const text = render(html`<${Places} runs=${[first, run('b', {aligned: 90})]} />`);
  assert.match(text, /H100<small>8 GPUs<\/small><\/th><td data-value="50">50\.0 %<\/td><td>–<\/td>/);
  assert.match(text, /nic<small>2 devices<\/small>/);
  assert.match(text, /gangs on one node<small>4 starts of jobs of several pods<\/small><\/th><td data-value="75">/);
  assert.match(text, /pods with their devices together<small>[^<]*<\/small><\/th><td>–<\/td><td data-value="90">/);
});

test('what jobs still wait for is there where any waits', () => {
  assert.equal(render(html`<${StillWaiting} runs=${[run('a'), run('b')]} />`), '');
  const text = render(html`<${StillWaiting} runs=${[run('a'), run('b', {waitsFor: [{reason: 'no room', jobs: 3}]})]} />`);
  assert.match(text, /no room<\/th><td data-value="0">0<\/td><td data-value="3">3<\/td>/);
});

test('a measure that a policy does not have is a dash, and the best is of the others', () => {
  const text = render(html`<${Measures} runs=${[run('a'), run('b', {aligned: 90}), run('c', {aligned: 80})]} />`);
  assert.match(text, /devices together<small>[^<]*<\/small><\/th><td>–<\/td><td data-value="90" class="mark">/);
  assert.doesNotMatch(render(html`<${Measures} runs=${[run('a')]} />`), /devices together/);
});

test('one policy alone has no jobs that fared worse', () => {
  assert.equal(render(html`<${Later} runs=${[run('a')]} />`), '');
});

test('the table of jobs says what it leaves out', () => {
  const worst = Array.from({length: 20}, (_, at) => ({job: `j${at}`, queue: 'q', gpus: 1, pods: 1, submitted: 0, later: 9, waitedBefore: 0,
    waited: 9, evictionsBefore: 0, evictions: 0}));
  delete worst[0].later;
  const text = render(html`<${Later} runs=${[run('a'), run('b', {fared: {later: 70, sooner: 0, same: 0, worst}})]} />`);
  assert.equal(text.split('<tr>').length - 1, 1 + 12);
  assert.match(text, /Show 20</);
  assert.match(text, /This file has the 20 that lost the most, of 70/);
  assert.match(text, />never</);
});

test('curves of an experiment meet at the demands of all', () => {
  const policies = [{policy: 'a', points: [{demand: 1, allocated: 10}, {demand: 2, allocated: 20}]}, {policy: 'b', points: [{demand: 2, allocated: 21}]}];
  const {xs, series} = againstFirst(policies, 'allocated');
  assert.deepEqual([xs, series[0].values], [[1, 2], [null, 1]]);
});

test('what refused pods lack is told of each policy', () => {
  const policy = (refusedFor) => ({policy: 'a', seeds: 1, refusedFor});
  assert.equal(render(html`<${RefusedFor} policies=${[policy([])]} />`), '');
  const text = render(html`<${RefusedFor} policies=${[policy([]), policy([{reason: 'no GPU', pods: 7}])]} />`);
  assert.match(text, /no GPU<\/th><td data-value="0">0<\/td><td data-value="7">7<\/td>/);
});

test('an experiment of one seed has no spread', () => {
  const spread = (mean) => ({mean, deviation: 0.5});
  const policy = (seeds) => ({policy: 'a', seeds, allocatedFull: spread(90), allocatedLast: spread(95), fragmentedLast: spread(2), refused: spread(7)});
  assert.match(render(html`<${ExperimentMeasures} policies=${[policy(2)]} full=${100} last=${130} />`), /95\.00 ± 0\.50 %/);
  assert.doesNotMatch(render(html`<${ExperimentMeasures} policies=${[policy(1)]} full=${100} last=${130} />`), /±/);
});

test('runs of other lengths share an axis, and end where they end', () => {
  const short = {held: [1, 2], span: 50};
  const long = {held: [3, 4], span: 100};
  const {xs, axis} = timeAxis([short, long]);
  assert.deepEqual(xs, [25, 75]);
  assert.deepEqual([axis.resample(short, short.held), axis.resample(long, long.held)], [[2, null], [3, 4]]);
});

test('marks of time are round, and no more than there is room for', () => {
  assert.deepEqual(timeSplits(0, 5 * 3600, 6), [0, 3600, 7200, 10800, 14400, 18000]);
  assert.ok(timeSplits(0, 1e9, 8).length >= 2);
  assert.ok(Math.abs(fromWait(toWait(12345)) - 12345) < 1e-6);
});
