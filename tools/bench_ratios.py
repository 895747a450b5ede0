#!/usr/bin/env python3
"""Compares what a benchmark and its peer printed, the code that Kubernetes or KAI runs, and ends with 1 where a goal is missed.

usage: bench_ratios.py [--ratios] SUITE GOALS.json DRAY.jsonl [PEER.jsonl]

DRAY.jsonl: a line for each row, {"name": ..., "peer": the peer's name of it if that is another, METRIC: number...}.
PEER.jsonl: {"name": ..., "ns": number, or METRIC: number..., "atLeast": true where it was given up after that time}.
"work" on both sides says what was done; where that differs, times say nothing, and the goal is missed.
A row may stand several times, once for each round of measuring: the least of each number counts, on both sides.

GOALS.json: suite -> [{"rows": part of the names, "metric": ..., "times_faster": least ratio | "at_most": greatest value}].
Every ratio is printed, and of each goal the worst row decides. A goal without a row is missed. With --ratios, for machines
whose speed is not known, durations are no condition.
"""

import json
import math
import statistics
import sys


def read(path):
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            known = rows.get(line["name"])
            rows[line["name"]] = line if known is None else least(known, line)
    return rows


def least(one, other):
    """A row measured again: what else ran on the machine can only have made it slower."""
    given_up = [row for row in (one, other) if row.get("atLeast")]
    if given_up:  # of two such rows the more patient one says more, and one that was ended says most
        return max(one, other, key=lambda row: (not row.get("atLeast"), row["ns"]))
    if one.get("work") != other.get("work"):
        sys.exit(f"{one['name']}: other work in another round: {one.get('work')}, then {other.get('work')}")
    return {key: min(value, other[key]) if is_number(value) and key in other else value for key, value in one.items()}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Ratio:
    """The peer's time over dray's, for one row and metric."""

    def __init__(self, line, metric, peer):
        self.name, self.metric = line["name"], metric
        self.ours = line[metric]
        self.theirs = peer.get(metric, peer.get("ns"))
        self.at_least = peer.get("atLeast", False)
        # dray's clock shows no less than a tenth of a nanosecond
        self.value = self.theirs / max(self.ours, 0.1)
        self.same_work = self.at_least or line.get("work") == peer.get("work")
        self.work = (line.get("work"), peer.get("work"))

    def __str__(self):
        more = ">" if self.at_least else ""
        text = (f"{more}{self.value:.1f} x".rjust(14) + duration(self.ours).rjust(12) + (more + duration(self.theirs)).rjust(12)
                + f"  {self.metric.removesuffix('_ns'):9}{' '.join(self.name.split())[:110]}")
        return text if self.same_work else f"{text}\n{'':14}OTHER WORK: dray {self.work[0]}, the peer {self.work[1]}"


def duration(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def ratios(ours, theirs):
    """Of all rows and metrics in nanoseconds that both sides have."""
    found = []
    for line in ours.values():
        peer = theirs.get(line.get("peer", line["name"]))
        if peer is None:
            continue
        metrics = [key for key in line if key.endswith("_ns") and (key in peer or "ns" in peer)]
        found += [Ratio(line, metric, peer) for metric in metrics]
    return found


def judge(goal, ours, found):
    """A line about the goal, and whether it is met."""
    rows, metric = goal.get("rows", ""), goal["metric"]
    what = f"{metric}{' of ' + rows if rows else ''}"
    if "at_most" in goal:
        values = [line[metric] for line in ours.values() if rows in line["name"] and metric in line]
        if not values:
            return f"{what}: MISSED: there is no such row", False
        met = max(values) <= goal["at_most"]
        return (f"{what}: {len(values)} rows, {max(values):.3g} at most; at most {goal['at_most']:g} is asked: "
                f"{'met' if met else 'MISSED'}"), met
    some = [ratio for ratio in found if rows in ratio.name and ratio.metric == metric]
    if not some:
        return f"{what}: MISSED: there is no such row", False
    values = sorted(ratio.value for ratio in some)
    mean = math.exp(statistics.fmean(map(math.log, values)))
    met = values[0] >= goal["times_faster"] and all(ratio.same_work for ratio in some)
    return (f"{what}: {len(values)} rows, dray is {values[0]:.1f} times as fast at least, {mean:.1f} in the geometric mean; "
            f"at least {goal['times_faster']:g} is asked: {'met' if met else 'MISSED'}"), met


def is_duration(goal):
    return "at_most" in goal and goal["metric"].endswith(("_ms", "_ns"))


def main(arguments):
    only_ratios = arguments[:1] == ["--ratios"]
    arguments = arguments[only_ratios:]
    if len(arguments) not in (3, 4):
        sys.exit(__doc__)
    with open(arguments[1], encoding="utf-8") as file:
        goals = json.load(file)[arguments[0]]
    ours = read(arguments[2])
    theirs = read(arguments[3]) if len(arguments) == 4 else {}
    found = ratios(ours, theirs)
    if found:
        print("times faster".rjust(14) + "dray".rjust(12) + "peer".rjust(12))
        print("\n".join(map(str, sorted(found, key=lambda ratio: (ratio.metric, ratio.value)))))
    if theirs and not found:
        print("no row in common")
        return 1
    judged = [judge(goal, ours, found) for goal in goals]
    print("\n".join(line for line, _ in judged))
    met = [met for goal, (_, met) in zip(goals, judged, strict=True) if not (only_ratios and is_duration(goal))]
    others = sum(not ratio.same_work for ratio in found)
    if others:
        print(f"{others} times are of other work than the peer's: MISSED")
    missed = met.count(False) + (others > 0)
    print(f"{met.count(True)} passed, {missed} failed, {len(goals) - len(met)} skipped")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
