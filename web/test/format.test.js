import assert from 'node:assert/strict';
import {test} from 'node:test';
import {change, duration, mark, number, plain, plural, signed} from '../components/format.js';

test('durations are those of the tables of dray', () => {
  const wanted = {0: '0s', 42: '42s', 59.6: '1m00s', 200: '3m20s', 18420: '5h07m', 183600: '2d03h'};
  for (const [seconds, text] of Object.entries(wanted)) assert.equal(duration(Number(seconds)), text);
});

test('marks of an axis leave out what is nothing', () => {
  assert.deepEqual([0, 60, 3600, 5400, 86400, 108000].map(mark), ['0s', '1m', '1h', '1h30m', '1d', '1d06h']);
});

test('numbers have thousands apart, and a minus that is one', () => {
  assert.deepEqual([number(1234567), number(-0.04, 1), number(-12.34, 1), number(999)], ['1,234,567', '0.0', '−12.3', '999']);
  assert.deepEqual([plain(0), plain(0.5), plain(200), plain(0.25)], ['0', '0.5', '200', '0.25']);
  assert.deepEqual([signed(3), signed(-3), signed(0.004, 2)], ['+3', '−3', '0.00']);
});

test('changes are in percent, or how many times as much, or nothing', () => {
  assert.deepEqual([change(100, 62), change(100, 206), change(10, 120), change(10, 40), change(0, 5), change(7, 7), change(1000, 1001)],
    ['−38 %', '+106 %', '×12', '×4.0', '', '', '']);
});

test('plurals', () => {
  assert.deepEqual([plural(1, 'job'), plural(1200, 'job'), plural(2, 'eviction', 'evictions')], ['1 job', '1,200 jobs', '2 evictions']);
});
