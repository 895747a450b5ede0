#!/usr/bin/env python3
"""Counts test cases in what a test run left behind.

usage: count_tests.py ctest JUNIT.xml | go OUTPUT.txt | node OUTPUT.txt | line OUTPUT.txt

Prints `PASSED FAILED SKIPPED` and a line that says what failed and why something was skipped.
  ctest  ctest's JUnit file of Catch2 v2 programs. Catch2 v2 cannot skip: a test that does so prints
         a line `skipped: REASON`, and counts as skipped instead of passed.
  go     `go test -v`. A test with subtests is their sum.
  node   `node --test --test-reporter=tap`.
  line   a program whose last such line is `N passed, M failed, K skipped`; lines `skipped: REASON` or
         `skipped N: REASON` say why.
"""

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
        count.failures.append(name + first_fault(text))


def first_fault(text):
    """What Catch2 says of the first assertion that failed, on one line: where the log is cut, the table still tells it."""
    found = re.search(r": FAILED:\s*\n((?:[^\n]+\n)+)", text)
    said = re.sub(r"^\s*explicitly with messages?:\s*", "", found[1]) if found else ""
    said = " ".join(said.split())
    return f" ({said[:200]}{'...' if len(said) > 200 else ''})" if said else ""


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
    count, outcome, said, speaker = Count(), {}, {}, ""
    for line in text.splitlines():
        if begun := re.match(r"=== (?:RUN|CONT|NAME)\s+(\S+)", line):
            speaker = begun[1]
        elif result := re.match(r"\s*--- (PASS|FAIL|SKIP): (\S+) \(", line):
            outcome[result[2]] = (result[1], said.get(result[2]))
        elif spoken := re.match(r"\s+\S+\.go:\d+: (.*)", line):
            said[speaker] = spoken[1]
        elif package := re.match(r"(ok|FAIL|\?)\s+(\S+)(?:\s+\[?[\d.(bsn]|$)", line):
            add_package(count, package[2], package[1] == "FAIL", outcome)
            outcome, said = {}, {}
    return count


def add_package(count, package, failed, outcome):
    """Adds the tests of a package. One that fails without a failed test counts as one failure."""
    parents = {test[:at] for test in outcome for at, letter in enumerate(test) if letter == "/"}
    for test, (result, said) in outcome.items():
        if test in parents and result != "FAIL":
            continue
        if result == "PASS":
            count.passed += 1
        elif result == "SKIP":
            count.skipped += 1
            count.reasons[said or "no reason given"] += 1
        elif not any(other.startswith(test + "/") and outcome[other][0] == "FAIL" for other in outcome):
            count.failed += 1
            count.failures.append(test + (f" ({said[:200]})" if said else ""))
    if failed and all(result != "FAIL" for result, _ in outcome.values()):
        count.failed += 1
        count.failures.append(package)


def count_node(text):
    sums = {word: re.findall(rf"^# {word} (\d+)$", text, re.MULTILINE) for word in ("pass", "fail", "cancelled", "skipped")}
    if not all(sums.values()):
        return Count(0, 1, 0, ["no closing lines"])
    passed, failed, cancelled, skipped = (int(found[-1]) for found in sums.values())
    failures = re.findall(r"^ *not ok \d+ - (.+)$", text, re.MULTILINE)
    reasons = Counter(re.findall(r"^ *ok \d+ - .* # SKIP *(.*)$", text, re.MULTILINE))
    return Count(passed, failed + cancelled, skipped, failures, reasons)


def count_line(text):
    found = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped", text, re.MULTILINE)
    reasons = Counter()
    for number, reason in re.findall(r"^skipped(?: (\d+))?: (.+)$", text, re.MULTILINE):
        reasons[reason] += int(number or 1)
    if not found:
        return Count(0, 1, 0, ["no closing line"])
    passed, failed, skipped = map(int, found[-1])
    survivors = dict.fromkeys(re.findall(r"^NOT CAUGHT\s+(\S+):", text, re.MULTILINE))
    return Count(passed, failed, skipped, list(survivors), reasons)


def main(kind, path):
    with open(path, encoding="utf-8", errors="replace") as file:
        count = {"ctest": count_ctest, "go": count_go, "node": count_node, "line": count_line}[kind](file.read())
    print(count.passed, count.failed, count.skipped)
    print(count.note())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
