// Quantiles of Prometheus' histograms, as /v1/dashboard/metrics has them.

/// `name{a="b"} 3` as {name, labels, value}; null for what is no sample.
export function readSample(line) {
  const found = /^([a-z_:0-9]+)(?:\{(.*)\})? (\S+)$/i.exec(line);
  if (!found) return null;
  const labels = {};
  for (const [, key, value] of (found[2] ?? '').matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/gi)) labels[key] = value;
  return {name: found[1], labels, value: found[3] === '+Inf' ? Infinity : Number(found[3])};
}

/// Histograms by name and labels: [{name, labels, count, sum, buckets: [{le, count}]}], busy ones only.
export function histograms(text) {
  const all = new Map();
  for (const line of text.split('\n')) {
    const sample = line.startsWith('#') ? null : readSample(line);
    const part = sample && /^(.*)_(bucket|sum|count)$/.exec(sample.name);
    if (!part) continue;
    const {le, ...labels} = sample.labels;
    const key = part[1] + JSON.stringify(labels);
    if (!all.has(key)) all.set(key, {name: part[1], labels, count: 0, sum: 0, buckets: []});
    const one = all.get(key);
    if (part[2] === 'bucket') one.buckets.push({le: le === '+Inf' ? Infinity : Number(le), count: sample.value});
    else one[part[2]] = sample.value;
  }
  return [...all.values()].filter(({count, buckets}) => count > 0 && buckets.length > 0);
}

/// As Prometheus' histogram_quantile: linear within the bucket; of the last one its lower bound.
export function quantile(part, {count, buckets}) {
  const rank = part * count;
  const at = buckets.findIndex((bucket) => bucket.count >= rank);
  const [low, before] = at > 0 ? [buckets[at - 1].le, buckets[at - 1].count] : [0, 0];
  if (buckets[at].le === Infinity) return low;
  return low + (buckets[at].le - low) * (rank - before) / Math.max(1, buckets[at].count - before);
}
