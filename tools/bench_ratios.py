#!/usr/bin/env python3
"""Compares what a benchmark and its peer, Kubernetes' own code, printed: JSON lines with a "name" and "..._ns" numbers.

usage: bench_ratios.py DRAY.jsonl PEER.jsonl [METRIC_ns=LEAST | METRIC=MOST...]

For each metric in nanoseconds that both have: how many times faster dray is, at least, in the middle and in all, and
whether that meets the least ratio that is asked of every part; prints the slowest parts. Of other numbers, which only
dray has: the greatest, and whether it is at most what is asked.
"""

import json
import math
import statistics
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return {line["name"]: line for line in map(json.loads, file)}


def ratios(ours, theirs, metric):
    """The peer's time over dray's, by name, the least first."""
    both = [name for name in ours if name in theirs and metric in ours[name] and metric in theirs[name]]
    return sorted((theirs[name][metric] / max(ours[name][metric], 0.1), name) for name in both)


def describe(metric, found, ours, theirs, least):
    values = [ratio for ratio, _ in found]
    mean = math.exp(statistics.fmean(map(math.log, values)))
    line = (f"{metric}: {len(values)} parts, dray is {values[0]:.1f} times as fast at least, "
            f"{statistics.median(values):.1f} in the middle, {mean:.1f} in the geometric mean")
    if least is not None:
        line += f"; at least {least:g} is asked: {'met' if values[0] >= least else 'MISSED'}"
    slowest = [f"  {ratio:6.1f}  {ours[name][metric]:9.0f} ns  peer {theirs[name][metric]:9.0f} ns  {' '.join(name.split())[:90]}"
               for ratio, name in found[:3]]
    return [line, *slowest]


def describe_own(metric, values, most):
    line = f"{metric}: {len(values)} parts, {max(values):.3g} at most, {statistics.median(values):.3g} in the middle"
    if most is not None:
        line += f"; at most {most:g} is asked: {'met' if max(values) <= most else 'MISSED'}"
    return line


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    ours, theirs = read(arguments[0]), read(arguments[1])
    asked = {key: float(value) for key, value in (each.split("=") for each in arguments[2:])}
    metrics = sorted({key for line in ours.values() for key in line if key.endswith("_ns")})
    for metric in metrics:
        if found := ratios(ours, theirs, metric):
            print("\n".join(describe(metric, found, ours, theirs, asked.get(metric))))
    own = {key for line in ours.values() for key, value in line.items() if not key.endswith("_ns") and key != "name"
           and isinstance(value, (int, float))}
    for key in sorted(own):
        print(describe_own(key, [line[key] for line in ours.values() if key in line], asked.get(key)))
    if not set(ours) & set(theirs):
        sys.exit("no part in common")


if __name__ == "__main__":
    main(sys.argv[1:])
