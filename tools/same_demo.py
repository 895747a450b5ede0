#!/usr/bin/env python3
"""Runs `dray demo --once -o json` many times: same_demo.py DRAY TIMES

All reports must be the same but for `micros`, the times that decisions took. The first one that differs is
shown line by line, and the run fails.
"""

import difflib
import json
import subprocess
import sys


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key != "micros"}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def report(dray):
    done = subprocess.run([dray, "demo", "--once", "-o", "json"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise SystemExit(f"status {done.returncode}: {done.stderr.strip()}\n{done.stdout}")
    return [json.dumps(without_times(json.loads(line))) for line in done.stdout.splitlines()]


def main():
    dray, times = sys.argv[1], int(sys.argv[2])
    first = report(dray)
    for run in range(2, times + 1):
        if (again := report(dray)) != first:
            print(*difflib.unified_diff(first, again, "run 1", f"run {run}", lineterm=""), sep="\n")
            return 1
    print(f"{times} runs, {len(first)} lines each, all the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
