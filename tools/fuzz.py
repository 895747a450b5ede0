#!/usr/bin/env python3
"""Runs the targets of tests/fuzz, and shows which lines of the parsers are covered.

fuzz.py run BUILD SECONDS [NAME...]   each target, in its share of so many CPU seconds
fuzz.py lines BUILD                   of what ran with LLVM_PROFILE_FILE=BUILD/profile/%p.profraw

BUILD is the folder of the preset `fuzz`. What a target finds stays in BUILD/findings, its inputs in
BUILD/corpus/NAME. `run` fails if a target fails; `lines` fails below the goal.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

SHORTEST = 5  # seconds of a target
LIMITS = ["-timeout=10", "-rss_limit_mb=2048"]
# The dictionaries of a target: the first line whose words its name begins with.
DICTIONARIES = [("cel_", ["cel"]), ("http_", ["http"]), ("watch_", ["json"]), ("policy_", ["yaml", "policy"]),
                ("yaml", ["yaml"]), ("kubeconfig", ["yaml", "json"]), ("manifests", ["yaml", "json"]),
                ("csv_", ["csv"]), ("quantity", ["csv"]), ("packed", ["csv"]), ("", ["json"])]
GOAL = 90  # percent of the lines of each group
# What is counted, by the beginnings of its files' names.
GROUPS = {
    "wire": ["src/wire/"],
    "parsers of net": ["src/net/http.cpp", "src/net/http_parser.", "src/net/line_cutter.", "src/net/proxy.",
                       "src/net/url."],
    "readers of records": ["src/service/record/record_decision.", "src/service/record/record_file.",
                           "src/service/record/record_input.", "src/service/record/record_line.",
                           "src/service/record/recorded_events.", "src/service/record/replay.",
                           "src/service/record/state_table."],
}
# What the lines are counted in: programs with their arguments. Of a layer's tests those of its parsers.
RECORD_TESTS = ",".join(f"[#{name}_test]" for name in (
    "record_file", "record_input", "recorded_events", "recorder", "replay", "state_table"))
PROGRAMS = [["dray_fuzz_corpus_test"], ["dray_wire_test"],
            ["dray_net_test", "-#", "[#http_parser_test],[#http_test],[#line_cutter_test],[#proxy_test],[#url_test]"],
            ["dray_service_test", "-#", RECORD_TESTS]]

Outcome = collections.namedtuple("Outcome", "name status seconds runs new")


def targets_in(build):
    return sorted(file.name[len("dray_"):-len("_fuzz")] for file in (build / "bin").glob("dray_*_fuzz"))


def dictionaries_of(name):
    return next(words for start, words in DICTIONARIES if name.startswith(start))


def write_dictionary(root, build, name):
    """libFuzzer takes one file."""
    path = build / "dictionary" / f"{name}.dict"
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [(root / "tests/fuzz/dictionary" / f"{word}.dict").read_text() for word in dictionaries_of(name)]
    path.write_text("\n".join(parts))
    return path


def figures_of(log):
    """What libFuzzer says at its end: inputs that it ran, and those of them that it kept."""
    found = dict(re.findall(r"^stat::(\w+):\s+(\d+)", log, re.MULTILINE))
    return int(found.get("number_of_executed_units", 0)), int(found.get("new_units_added", 0))


def run_target(root, build, name, seconds):
    corpus, findings, logs = build / "corpus" / name, build / "findings", build / "logs"
    for folder in (corpus, findings, logs):
        folder.mkdir(parents=True, exist_ok=True)
    command = [build / "bin" / f"dray_{name}_fuzz", f"-max_total_time={seconds}", *LIMITS, "-print_final_stats=1",
               f"-artifact_prefix={findings}/{name}-", f"-dict={write_dictionary(root, build, name)}", corpus,
               root / "tests/fuzz/corpus" / name]
    log = logs / f"{name}.log"
    environment = dict(os.environ, LLVM_PROFILE_FILE="/dev/null")
    with log.open("w") as out:
        child = subprocess.Popen(command, stdout=out, stderr=out, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text(errors="replace")
    runs, new = figures_of(text)
    return Outcome(name, child.returncode, usage.ru_utime + usage.ru_stime, runs, new), text


def run(root, build, seconds, names):
    """As many targets at a time as there are cores."""
    share = max(SHORTEST, seconds // len(names))
    waiting, outcomes, lock = list(names), [], threading.Lock()

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                name = waiting.pop(0)
            outcome, log = run_target(root, build, name, share)
            with lock:
                outcomes.append(outcome)
                print_outcome(outcome, log)

    print(f"{'target':<18} {'runs':>10} {'seconds':>8} {'new':>6}", flush=True)
    workers = [threading.Thread(target=work) for _ in range(os.cpu_count() or 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    total = sum(outcome.seconds for outcome in outcomes)
    runs = sum(outcome.runs for outcome in outcomes)
    failed = sorted(outcome.name for outcome in outcomes if outcome.status)
    print(f"{len(outcomes)} targets, {runs} runs, {total:.0f} s of CPU: "
          + (f"failed: {', '.join(failed)}" if failed else "no finding"))
    return 1 if failed else 0


def print_outcome(outcome, log):
    print(f"{outcome.name:<18} {outcome.runs:>10} {outcome.seconds:>8.0f} {outcome.new:>6}"
          + ("" if outcome.status == 0 else "  FAILED"), flush=True)
    if outcome.status:
        print("\n".join(log.splitlines()[-40:]), flush=True)


def lines_by_group(files, groups):
    """Of each group (covered, all, [(covered, all, name) of its files]). `files`: (name, covered, all)."""
    counted = {}
    for group, starts in groups.items():
        own = [(covered, count, name) for name, covered, count in files
               if any(name.startswith(start) for start in starts)]
        counted[group] = (sum(each[0] for each in own), sum(each[1] for each in own), own)
    return counted


def percent(covered, count):
    return 100 * covered / count if count else 0


def report(counted, goal):
    """The lines to print, and whether every group reaches the goal."""
    lines, good = [], True
    for group, (covered, count, files) in counted.items():
        reached = percent(covered, count) >= goal
        good = good and reached
        lines.append(f"{group}: {percent(covered, count):.1f} % of {count} lines in {len(files)} files"
                     + ("" if reached else f", and the goal is {goal} %"))
        for own, all_lines, name in sorted(files, key=lambda each: percent(each[0], each[1])):
            if percent(own, all_lines) < goal:
                lines.append(f"  {percent(own, all_lines):5.1f} %  {all_lines - own:>4} lines not in {name}")
    return lines, good


def relative(name, root, build):
    """The name from the root on: the compiler wrote it so, and llvm-cov looks for it in the folder of the build."""
    for folder in (build, root, build.relative_to(root)):
        if name.startswith(f"{folder}/"):
            name = name[len(str(folder)):]
    return name.lstrip("/")


def measured(root, build):
    profile = build / "profile"
    for file in profile.glob("*.profraw"):
        file.unlink()
    profile.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(profile / "%p.profraw"))
    for program, *arguments in PROGRAMS:
        with (build / f"lines-{program}.log").open("w") as log:
            subprocess.run([build / "bin" / program, *arguments], cwd=root, env=environment, stdout=log,
                           stderr=log, check=True)
    merged = profile / "all.profdata"
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", "-o", merged, *profile.glob("*.profraw")], check=True)
    objects = [build / "bin" / program for program, *_ in PROGRAMS]
    more = [word for each in objects[1:] for word in ("-object", each)]
    told = subprocess.run(["llvm-cov-19", "export", "-summary-only", f"-instr-profile={merged}", objects[0], *more],
                          check=True, capture_output=True, cwd=root).stdout
    found = [(relative(file["filename"], root, build), file["summary"]["lines"])
             for file in json.loads(told)["data"][0]["files"]]
    return [(name, lines["covered"], lines["count"]) for name, lines in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "lines"])
    parser.add_argument("build", type=Path)
    parser.add_argument("seconds", type=int, nargs="?", default=1800)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    root, build = Path(__file__).resolve().parent.parent, given.build.resolve()
    if given.what == "run":
        return run(root, build, given.seconds, given.names or targets_in(build))
    lines, good = report(lines_by_group(measured(root, build), GROUPS), GOAL)
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
