// Runs as the page is given them, for tests.
export const all = (more) => ({jobs: 1000, started: 1000, ended: 1000, waitMean: 3000, waitP50: 600, waitP95: 36000, waitP99: 50000,
  gangWaitP95: 0, evictions: 0, preemptions: 0, failures: 0, owed: 0, moves: 0, lostGpuHours: 0, gpuHours: 5000, ...more});

export const run = (policy, {all: mine, ...more} = {}) => ({policy, seed: 42, gpus: 64, utilisation: 70, makespan: 400000, jain: 0.9, fragmented: 5, fragmentedIdle: 17, sharesOf: '',
  span: 400000, events: 3000, plans: 10, all: all(mine), queues: [], sizes: [], models: [], gangs: [], waitsFor: [], overTime: {jain: [], fragmented: []},
  waits: {percentiles: Array.from({length: 101}, (_, at) => at), sizes: []}, held: [], waiting: [], curves: [], pictures: [], ...more});
