#!/usr/bin/env python3
"""What documents point at is there: links between them, and the tests that docs/ai-conformance.md names."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"))]


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


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            with self.subTest(document.relative_to(ROOT)):
                self.assertEqual(dead_links(document), [])

    def test_tests_that_are_named_exist(self):
        named = set(re.findall(r"`(Test\w+)`", (ROOT / "docs/ai-conformance.md").read_text()))
        there = set()
        for file in (ROOT / "tests").rglob("*_test.go"):
            there |= set(re.findall(r"^func (Test\w+)\(", file.read_text(), flags=re.M))
        self.assertGreater(len(named), 10)
        self.assertLessEqual(named, there)


if __name__ == "__main__":
    unittest.main()
