#!/usr/bin/env python3
"""What documents point at is there: links between them, and the tests that docs/ai-conformance.md, docs/complaints.md,
docs/faults.md, docs/reliability.md, docs/threat-model.md and blocks of commands name."""

import pathlib
import re
import unittest

import run_docs

ROOT = pathlib.Path(__file__).resolve().parent.parent
AT_THE_TOP = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")
DOCUMENTS = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in AT_THE_TOP)]


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(document):
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.M | re.S)
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, flags=re.M)}


def dead_links(document):
    """Links of a document to what is not there."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.M | re.S)
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, place = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (place and target.suffix == ".md" and place not in anchors(target)):
            dead.append(link)
    return dead


def go_tests():
    there = set()
    for file in (ROOT / "tests").rglob("*_test.go"):
        there |= set(re.findall(r"^func (Test\w+)\(", file.read_text(), flags=re.M))
    return there


def catch_tests():
    """Names of Catch2's cases; a long one may stand in several pieces."""
    there = set()
    for file in (ROOT / "tests").rglob("*_test.cpp"):
        for pieces in re.findall(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', file.read_text()):
            there.add("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', pieces)))
    return there


def deep_jobs():
    """As blocks of commands name the long jobs."""
    text = (ROOT / "tools/dev/deep.sh").read_text()
    return {f"--deep {name}" for name in re.findall(r"^([\w-]+)_job\(\)", text, flags=re.M)}


def tool_tests():
    return {name for file in (ROOT / "tools").glob("*_test.py") for name in re.findall(r"def (test_\w+)\(", file.read_text())}


def benches():
    """`./dev bench NAME`."""
    text = (ROOT / "tools/dev/bench.sh").read_text()
    suites = re.search(r"^bench_suites=\((.*)\)$", text, flags=re.M).group(1).split()
    return {f"./dev bench {name}" for name in [*suites, *re.findall(r"^bench_(pods|ports|start|claims)\(\)", text, flags=re.M)]}


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            with self.subTest(document.relative_to(ROOT)):
                self.assertEqual(dead_links(document), [])

    def test_tests_that_are_named_exist(self):
        named = set(re.findall(r"`(Test\w+)`", (ROOT / "docs/ai-conformance.md").read_text()))
        self.assertGreater(len(named), 10)
        self.assertLessEqual(named, go_tests())

    def test_each_complaint_has_a_test_that_exists(self):
        there = go_tests() | catch_tests()
        rows = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", (ROOT / "docs/complaints.md").read_text(), flags=re.M)
        self.assertEqual([int(number) for number, _ in rows], list(range(1, 19)))
        for number, shown in rows:
            with self.subTest(complaint=number):
                named = set(re.findall(r"`([^`]+)`", shown))
                self.assertTrue(named)
                self.assertEqual(named - there, set())

    def test_each_fault_has_a_change_and_a_test_that_exist(self):
        there, changes = catch_tests(), {path.stem for path in (ROOT / "tests/mutants").glob("*.patch")}
        tables = (ROOT / "docs/faults.md").read_text().split("| Fault | Change | First seed, rule |")[1:]
        self.assertEqual(len(tables), 2)
        lines = [line for table in tables for line in table.split("\n\n")[0].splitlines() if line.startswith("| ")]
        rows = [line.strip("| ").split(" | ") for line in lines]
        numbers = set()
        for fault, change, shown in rows:
            numbers |= {int(number) for number in re.findall(r"\((\d+)\b", fault)}
            with self.subTest(fault):
                self.assertEqual(set(re.findall(r"`([^`]+)`", change)) - changes, set())
                named = re.findall(r'"([^"]+)"', shown)
                self.assertEqual(set(named) - there, set())
                self.assertTrue(named or re.match(r"\d+, [IL]\d+", shown), "neither a seed nor a test")
        self.assertLessEqual(set(range(1, 18)), numbers)

    def test_each_claim_of_the_threat_model_has_a_test_that_exists(self):
        text = (ROOT / "docs/threat-model.md").read_text()
        claims = re.findall(r"^\| ([A-Z]\d+) \|", text, flags=re.M)
        shown = re.findall(r"^- ([A-Z]\d+):\s+`([^`]+)`$", text, flags=re.M)
        self.assertGreater(len(claims), 50)
        self.assertEqual(len(set(claims)), len(claims))
        self.assertEqual(set(claims), {claim for claim, _ in shown})
        there = go_tests() | catch_tests() | tool_tests()
        self.assertEqual({test for _, test in shown} - there, set())

    def test_each_target_of_reliability_is_judged_and_says_what_gives_it(self):
        text = (ROOT / "docs/reliability.md").read_text()
        rows = re.findall(r"^\| ([A-Z]\d+) \| (.+) \| (.+) \| (.+) \|$", text, flags=re.M)
        given = dict(re.findall(r"^- ([A-Z]\d+):\s+(.+)$", text, flags=re.M))
        self.assertGreater(len(rows), 30)
        self.assertEqual([row[0] for row in rows], list(given))
        there = go_tests() | catch_tests() | tool_tests() | deep_jobs() | benches()
        for name, _, measured, verdict in rows:
            with self.subTest(name):
                self.assertIn(verdict, ("met", "in part", "not met", "not measured"))
                named = set(re.findall(r"`([^`]+)`", given[name]))
                self.assertEqual(named - there, set())
                self.assertTrue(named or verdict.startswith("not "), "what shows it?")

    def test_commands_are_run_or_shown_by_a_test_that_exists(self):
        there = go_tests() | catch_tests() | deep_jobs()
        for document in DOCUMENTS:
            text = document.read_text()
            for block in run_docs.blocks(text):
                with self.subTest(f"{document.relative_to(ROOT)}:{block.line}"):
                    self.assertTrue(block.how)
                    if block.how == "shown-by":
                        self.assertIn(block.said, there)
            # Nor do commands hide in blocks of no language.
            for plain in re.findall(r"^ *```\n(.*?)^ *```$", re.sub(r"^ *```\w.*?^ *```$", "", text, flags=re.M | re.S), flags=re.M | re.S):
                self.assertIsNone(re.search(r"^ *(?:\$ |dray [a-z]+ |\./dev |kubectl |helm )", plain, flags=re.M), plain)

    def test_each_sample_names_its_schema_for_editors(self):
        header = "# yaml-language-server: $schema="
        samples = [file for folder in ("config", "docs", "manifests") for file in sorted((ROOT / folder).rglob("*.yaml"))
                   if re.search(r"^apiVersion: dray.dev/", file.read_text(), flags=re.M)]
        self.assertGreater(len(samples), 15)
        for sample in samples:
            with self.subTest(sample.relative_to(ROOT)):
                first = sample.read_text().splitlines()[0]
                self.assertTrue(first.startswith(header), first)
                self.assertTrue((sample.parent / first[len(header):]).is_file(), first)

    def test_no_metric_is_of_one_object(self):
        text = (ROOT / "docs/metrics.md").read_text()
        labels = set()
        for row in re.findall(r"^\| `dray_\w+` \|.*$", text, flags=re.M):
            labels |= set(re.findall(r"`(\w+)`", row.split("|")[4]))
        self.assertIn("queue", labels)
        self.assertEqual(labels & {"pod", "claim", "job", "node", "device", "namespace", "uid"}, set())


if __name__ == "__main__":
    unittest.main()
