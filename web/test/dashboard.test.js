import assert from 'node:assert/strict';
import {test} from 'node:test';
import {address, inTurn, readEvents} from '../dashboard/ask.js';
import {describe, layout, nodePaths, tree} from '../dashboard/devices.js';
import {devicesText, life, spanOf} from '../dashboard/ledger.js';
import {histograms, quantile, readSample} from '../dashboard/latency.js';
import {bands, inTree, ofOne} from '../dashboard/queues.js';
import {generation, replica, standbys, watches} from '../dashboard/service.js';
import {after, fate, podRows, question, split} from '../dashboard/whatif.js';

test('what is empty is not asked for', () => {
  assert.equal(address('nodes', {q: '', from: 0, limit: 400}), '/v1/dashboard/nodes?from=0&limit=400');
  assert.equal(address('explain', {pod: 'a/b c'}), '/v1/dashboard/explain?pod=a%2Fb+c');
});

test('who asks while an answer is under way gets one more after it, and nobody is given up', async () => {
  const done = [];
  let asked = 0;
  const refresh = inTurn(() => { ++asked; return new Promise((answer) => done.push(answer)); });
  refresh();
  refresh();
  refresh();
  assert.equal(asked, 1);
  done[0]();
  await new Promise(setImmediate);
  assert.equal(asked, 2);
  done[1]();
  await new Promise(setImmediate);
  assert.equal(asked, 2);
  refresh();
  assert.equal(asked, 3);
});

test('a node is one square a device, by who has it', () => {
  const paths = nodePaths('.!-aB');
  const squares = (key) => paths.get(key).split('M').length - 1;
  assert.deepEqual(['free', 'taint', 'other', 0, 1].map(squares), [2, 1, 1, 1, 1]);
  assert.equal(describe({name: 'n', devices: '.!-aB', cordoned: true}, ['x', 'y']),
    'n, cordoned: 3 of 5 devices held (x 1, y 1), 1 tainted');
  assert.equal(nodePaths('a%%.').get('blocked').split('M').length - 1, 2);
  assert.equal(describe({name: 'n', devices: 'a%%.'}, ['x']), 'n: 1 of 4 devices held (x 1), 2 blocked by these');
});

test('a node of hundreds of partitions is about as high as one of sixty devices, and as wide', () => {
  const height = (count) => { const {square, gap, across} = layout(count); return Math.ceil(count / across) * (square + gap); };
  const width = (count) => { const {square, gap, across} = layout(count); return across * (square + gap); };
  assert.ok(height(208) <= height(60));
  assert.equal(width(208), width(8));
  assert.equal(nodePaths('.'.repeat(208)).get('free').split('M').length - 1, 208);
});

test('devices of one pool name it once; of many the first are named', () => {
  assert.equal(devicesText(['d/n/gpu-0', 'd/n/gpu-1', 'e/p/nic']), 'd/n: gpu-0, gpu-1; e/p: nic');
  assert.equal(devicesText(Array.from({length: 10}, (_, at) => `d/n/${at}`)), 'd/n: 0, 1, 2, 3, 4, 5, 6, 7 and 2 more');
});

test('devices hang below NUMA nodes and PCIe roots, in the order of numbers; without either they come last', () => {
  const devices = [{name: 'a', numa: '10', root: 'r'}, {name: 'b', numa: '2'}, {name: 'c'}, {name: 'd', numa: '2', root: 'q'}];
  assert.deepEqual(tree(devices).map(({numa, roots}) => [numa, roots.map(({root, devices: list}) => `${root}:${list[0].name}`)]),
    [['2', ['q:d', ':b']], ['10', ['r:a']], ['', [':c']]]);
});

test('queues stand below their parents', () => {
  const queues = [{name: 'a'}, {name: 'b', parent: 'c'}, {name: 'c'}, {name: 'orphan', parent: 'gone'}];
  assert.deepEqual(inTree(queues).map(({name, depth}) => [name, depth]), [['a', 0], ['c', 0], ['b', 1], ['orphan', 0]]);
});

test('bands lie on one another, the widest at the bottom, and what is left over is one of them', () => {
  const queues = [{name: 'small', used: [1, 1]}, {name: 'parent', used: [9, 9]}, {name: 'wide', used: [2, 5]}, {name: 'least', used: [0, 1]}];
  const {xs, series} = bands({times: [0, 10], queues}, new Set(['small', 'wide', 'least']), 2);
  assert.deepEqual(xs, [0, 10]);
  assert.deepEqual(series.map(({label, values}) => [label, values]), [['other queues', [3, 7]], ['small', [3, 6]], ['wide', [2, 5]]]);
});

test('one queue: used against its fair share, and the quota of now as a line', () => {
  const data = {times: [0, 10], queues: [{name: 'a', used: [1, 2], fairShare: [3, 4]}]};
  const shown = (quota) => ofOne(data, 'a', quota).series.map(({label, values}) => [label, values]);
  assert.deepEqual(shown(8), [['used', [1, 2]], ['fair share', [3, 4]], ['quota now', [8, 8]]]);
  assert.deepEqual(shown(null).map(([label]) => label), ['used', 'fair share']);
  assert.deepEqual(ofOne(data, 'new', 1).series[0].values, [null, null]);
});

test('a claim waits until it has its devices, and the timeline begins with the oldest', () => {
  const at = (second) => new Date(second * 1000).toISOString();
  const claims = [{created: at(10), allocated: at(20), state: 'allocated'}, {created: at(15), state: 'waiting'}, {created: at(12), state: 'allocated'}];
  const span = spanOf({claims, at: at(30)});
  assert.deepEqual(span, {from: 10_000, to: 30_000});
  assert.deepEqual(claims.map((claim) => life(claim, span)), [{begin: 0, held: 0.5}, {begin: 0.25, held: 1}, {begin: 0.1, held: 0.1}]);
  assert.ok(spanOf({claims: [], at: at(30)}).from < 30_000);
});

test('watches are read from the metrics, by kind', () => {
  const text = ['# TYPE dray_watch_silence_seconds gauge', 'dray_watch_silence_seconds{kind="pods"} 3', 'dray_watch_failing_seconds{kind="pods"} 0',
    'dray_watch_corrections_total{kind="pods"} 2', 'dray_watch_silence_seconds{kind="nodes"} 1', 'dray_nodes 4'].join('\n');
  assert.deepEqual(watches(text), [{kind: 'pods', silence: 3, failing: 0, corrections: 2}, {kind: 'nodes', silence: 1}]);
});

test('who could decide in the place of a leader that ends is said in words', () => {
  assert.equal(standbys({leading: true, standbys: ['dray-b']}), '1 replica could take over at once.');
  assert.match(standbys({leading: true, standbys: []}), /^No other replica stands by/);
  assert.equal(standbys({leading: false, standbys: []}), 'None could take over at once.');
  assert.equal(standbys({leading: true, standbys: [], standbyTrouble: 'dray may not get Lease a/b'}),
    'Who else could take over is not known here: dray may not get Lease a/b.');
});

test('which replica and which generation of the policy are said in words', () => {
  assert.match(replica({leading: true, epoch: 3}), /leads, in epoch 3/);
  assert.match(replica({leading: true, epoch: 0}), /without a Lease/);
  assert.match(replica({leading: false, epoch: 0}), /stands by/);
  assert.match(generation(2), /^Generation 2 /);
  assert.equal(generation(0), 'No policy file');
});

test('quantiles of histograms, as Prometheus has them', () => {
  assert.equal(readSample('# HELP x y'), null);
  const text = ['# TYPE t histogram', 't_bucket{verb="filter",le="0.1"} 50', 't_bucket{verb="filter",le="0.2"} 100',
    't_bucket{verb="filter",le="+Inf"} 100', 't_sum{verb="filter"} 9', 't_count{verb="filter"} 100', 'idle_bucket{le="+Inf"} 0', 'idle_count 0'].join('\n');
  const found = histograms(text);
  assert.deepEqual(found.map(({name, labels, count}) => [name, labels, count]), [['t', {verb: 'filter'}, 100]]);
  assert.ok(Math.abs(quantile(0.5, found[0]) - 0.1) < 1e-9);
  assert.ok(Math.abs(quantile(0.75, found[0]) - 0.15) < 1e-9);
  assert.equal(quantile(0.99, {count: 2, buckets: [{le: 1, count: 0}, {le: Infinity, count: 2}]}), 1);
});

test('a stream of events is read line by line, whatever its parts', () => {
  assert.deepEqual(readEvents('event: picture\ndata: 7\n\n: here\ndata: 8\n\neve'), {revisions: [7, 8], rest: 'eve'});
  assert.deepEqual(readEvents('data: 1'), {revisions: [], rest: 'data: 1'});
});

test('a what-if asks for what is written, under both policies where there is another', () => {
  assert.deepEqual(question({pods: 'kind: Pod', policy: ' ', runTime: ''}), {workload: 'kind: Pod'});
  assert.deepEqual(question({pods: '', policy: 'kind: Policy', runTime: ' 1h '}),
    {policies: [{name: 'in force'}, {name: 'the new one', policy: 'kind: Policy'}], runTime: '1h'});
});

test('an answer is read line by line, however it is cut', () => {
  const first = split('{"note":"a"}\n{"progress":{"ru');
  assert.deepEqual(first, {lines: [{note: 'a'}], rest: '{"progress":{"ru'});
  assert.deepEqual(split(`${first.rest}n":1}}\n`), {lines: [{progress: {run: 1}}], rest: ''});
  const empty = {notes: [], effects: []};
  assert.deepEqual(after(empty, {note: 'a'}).notes, ['a']);
  assert.equal(after(empty, {error: {code: 'invalid', message: 'no'}}).error, 'no');
  assert.deepEqual(after(empty, {runs: []}).runs, []);
});

test('what becomes of a pod is said in words, side by side', () => {
  const pod = {namespace: 'a', name: 'p', created: 5};
  assert.equal(fate({...pod, bound: 5.1, node: 'n', devices: ['d/n/gpu-0']}), 'starts at once on n: d/n: gpu-0');
  assert.equal(fate({...pod, bound: 65, node: 'n'}), 'starts after 1m00s on n');
  assert.equal(fate({...pod, bound: 65, ended: 165, evicted: true, node: 'n'}), 'starts after 1m00s on n, evicted 1m40s later');
  assert.equal(fate({...pod, reason: 'no room', detail: '3 nodes'}), 'waits: no room (3 nodes)');
  assert.deepEqual(podRows([{pods: [pod]}, {pods: [pod, {...pod, name: 'q'}]}]).map(({name, fates}) => [name, fates]),
    [['a/p', ['waits', 'waits']], ['a/q', ['–', 'waits']]]);
});
