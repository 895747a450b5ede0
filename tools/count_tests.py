#!/usr/bin/env python3
"""Counts test cases in what a test run left behind.

usage: count_tests.py ctest JUNIT.xml | go OUTPUT.json | line OUTPUT.txt

Prints `PASSED FAILED SKIPPED` and a line that says what failed and why something was skipped.
  ctest  ctest's JUnit file of Catch2 v2 programs. Catch2 v2 cannot skip: a test that does so prints
         a line `skipped: REASON`, and counts as skipped instead of passed.
  go     `go test -json`. Only leaves count: a test with subtests is their sum.
  line   a program whose last such line is `N passed, M failed, K skipped`; lines `skipped: REASON`
         say why.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = field(default_factory=list)
    reasons: Counter = field(default_factory=Counter)

    def note(self):
        parts = []
        if self.failures:
            more = len(self.failures) - 3
            parts.append("failed: " + ", ".join(self.failures[:3]) + (f" and {more} more" if more > 0 else ""))
        parts += [f"{n} skipped: {reason}" for reason, n in sorted(self.reasons.items())]
        return "; ".join(parts).replace("|", "/")


def catch_output(text, name, failed, count):
    """Adds one Catch2 program's console output."""
    reasons = re.findall(r"^\s*skipped: (.+?)\s*$", text, re.MULTILINE)
    all_passed = re.search(r"^All tests passed \(.*?(\d+) test cases?\)", text, re.MULTILINE)
    summary = re.search(r"^test cases:\s*(\d+)(.*)$", text, re.MULTILINE)
    if all_passed:
        passed, broken = int(all_passed[1]), 0
    elif summary:
        found = re.search(r"(\d+) failed", summary[2])
        broken = int(found[1]) if found else 0
        passed = int(summary[1]) - broken
    else:
        passed, broken = (0, 1) if failed else (1, 0)  # not Catch2: the program is the test case
    if failed and broken == 0:
        broken = 1  # it crashed after its summary, or a sanitizer spoke
    count.passed += max(passed - len(reasons), 0)
    count.failed += broken
    count.skipped += len(reasons)
    count.reasons.update(reasons)
    if broken:
        count.failures.append(name)


def count_ctest(text):
    count = Count()
    for case in xml.fromstring(text).iter("testcase"):
        status = case.get("status")
        if status in ("notrun", "disabled"):
            count.failed += 1
            count.failures.append(f"{case.get('name')} did not run")
            continue
        catch_output(case.findtext("system-out") or "", case.get("name"), status != "run", count)
    return count


def count_go(text):
    outcome, reason, packages = {}, {}, Counter()
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        event = json.loads(line)
        action, test = event["Action"], event.get("Test")
        key = (event.get("Package", ""), test)
        if action == "output" and test:
            said = re.match(r"\s+\S+\.go:\d+: (.*)", event["Output"])
            if said:
                reason[key] = said[1]
        elif action in ("pass", "fail", "skip") and test:
            outcome[key] = action
        elif action in ("fail", "build-fail") and not test:
            packages[event.get("Package") or event.get("ImportPath", "?")] += 1
    parents = {(package, test[: at]) for package, test in outcome for at in slashes(test)}
    count = Count()
    for key, action in sorted(outcome.items()):
        if key in parents:
            continue
        if action == "pass":
            count.passed += 1
        elif action == "fail":
            count.failed += 1
            count.failures.append(key[1])
        else:
            count.skipped += 1
            count.reasons[reason.get(key, "no reason given")] += 1
    failed_packages = {package for (package, _), action in outcome.items() if action == "fail"}
    for package in sorted(set(packages) - failed_packages):
        count.failed += 1
        count.failures.append(package)
    return count


def slashes(test):
    return [i for i, letter in enumerate(test) if letter == "/"]


def count_line(text):
    found = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped", text, re.MULTILINE)
    reasons = Counter(re.findall(r"^skipped: (.+)$", text, re.MULTILINE))
    return Count(*map(int, found[-1]), reasons=reasons) if found else Count(0, 1, 0, ["no closing line"])


def main(kind, path):
    with open(path, encoding="utf-8", errors="replace") as file:
        count = {"ctest": count_ctest, "go": count_go, "line": count_line}[kind](file.read())
    print(count.passed, count.failed, count.skipped)
    print(count.note())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
