#!/usr/bin/env python3
"""dray's times beside those of Kubernetes' own code, measured in the same run.

usage: alloc_ratios.py DRAY.json PEER.txt

DRAY.json is what dray_alloc_bench --benchmark_format=json printed, PEER.txt lines of a problem's name and nanoseconds a
node; a time with > before it was not enough.
"""

import json
import sys

# dray's benchmark: the peer's problem, and how many nodes an iteration asks.
PAIRS = {
    "bm_four_gpus_cold": ("four_gpus", 5000),
    "bm_four_gpus_warm": ("four_gpus", 5000),
    "bm_four_gpus_unlike": ("four_gpus", 5000),
    "bm_one_pool_over_all_nodes/5000": ("one_pool/5000", 5000),
    "bm_hopeless/3": ("hopeless/3", 1),
    "bm_hopeless/4": ("hopeless/4", 1),
    "bm_hopeless/16": ("hopeless/16", 1),
    "bm_requests_on/64/3": ("requests_on_64/3", 1),
    "bm_requests_on/64/4": ("requests_on_64/4", 1),
    "bm_requests_on/8/7": ("requests_on_8/7", 1),
    "bm_two_groups/36": ("two_groups/36", 1),
    "bm_two_groups/44": ("two_groups/44", 1),
    "bm_counters/8": ("counters/8", 1),
    "bm_counters/12": ("counters/12", 1),
}
TO_NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def dray_times(text):
    """Benchmark -> nanoseconds an iteration."""
    return {
        each["name"]: each["real_time"] * TO_NANOSECONDS[each["time_unit"]]
        for each in json.loads(text)["benchmarks"]
    }


def peer_times(text):
    """Problem -> (nanoseconds a node, whether it was given up)."""
    times = {}
    for line in text.splitlines():
        name, value = line.split()
        times[name] = (int(value.lstrip(">")), value.startswith(">"))
    return times


def table(dray, peer):
    """Lines: what, dray's and the peer's microseconds a node, the ratio."""
    lines = [f"{'':34}{'dray us':>12}{'upstream us':>16}{'ratio':>12}"]
    for name, (problem, nodes) in PAIRS.items():
        if name not in dray or problem not in peer:
            continue
        mine = dray[name] / nodes
        theirs, given_up = peer[problem]
        more = ">" if given_up else ""
        lines.append(
            f"{name.removeprefix('bm_'):34}{mine / 1e3:12.3f}"
            f"{more + format(theirs / 1e3, '.1f'):>16}{more + format(theirs / mine, '.0f'):>12}"
        )
    return lines


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as dray, open(sys.argv[2], encoding="utf-8") as peer:
        print("\n".join(table(dray_times(dray.read()), peer_times(peer.read()))))


if __name__ == "__main__":
    main()
