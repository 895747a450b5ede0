"""Tests of fuzz.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import stat
import tempfile
import unittest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import fuzz

ROOT = Path(__file__).resolve().parent.parent


class Targets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)
        (self.build / "bin").mkdir()

    def program(self, name, script):
        path = self.build / "bin" / f"dray_{name}_fuzz"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run_all(self, seconds):
        out = StringIO()
        with redirect_stdout(out):
            status = fuzz.run(ROOT, self.build, seconds, fuzz.targets_in(self.build))
        return status, out.getvalue()

    def test_each_target_gets_its_share_and_is_counted(self):
        self.program("yaml", 'echo "$1" >&2; echo "stat::number_of_executed_units: 7"; echo "stat::new_units_added: 2"')
        self.program("review", 'echo "stat::number_of_executed_units: 5"')
        status, out = self.run_all(200)
        self.assertEqual(status, 0)
        self.assertRegex(out, r"yaml +7 +\d+ +2\n")
        self.assertRegex(out, r"2 targets, 12 runs, \d+ s of CPU: no finding\n$")
        self.assertIn("-max_total_time=100", (self.build / "logs/yaml.log").read_text())

    def test_a_finding_fails_and_is_shown(self):
        self.program("yaml", "echo ERROR: a crash; exit 77")
        status, out = self.run_all(10)
        self.assertEqual(status, 1)
        self.assertIn("ERROR: a crash", out)
        self.assertIn("failed: yaml", out)

    def test_every_target_has_its_dictionaries(self):
        for source in (ROOT / "tests/fuzz/target").glob("*.cpp"):
            text = fuzz.write_dictionary(ROOT, self.build, source.stem).read_text()
            for line in text.splitlines():
                self.assertRegex(line, r'^(#.*|[a-z_0-9]*="(\\x[0-9A-Fa-f]{2}|\\\\|\\"|[^"\\])+")?$', source.stem)


class Lines(unittest.TestCase):
    FILES = [("src/wire/a.cpp", 95, 100), ("src/wire/b.h", 10, 20), ("src/net/url.cpp", 9, 10), ("src/app/x.cpp", 0, 9)]

    def test_groups_are_counted_by_their_files(self):
        counted = fuzz.lines_by_group(self.FILES, {"wire": ["src/wire/"], "net": ["src/net/url."]})
        self.assertEqual(counted["wire"][:2], (105, 120))
        self.assertEqual(counted["net"][:2], (9, 10))

    def test_a_group_below_the_goal_fails_and_names_its_files(self):
        lines, good = fuzz.report(fuzz.lines_by_group(self.FILES, {"wire": ["src/wire/"]}), 90)
        self.assertFalse(good)
        self.assertEqual(lines[0], "wire: 87.5 % of 120 lines in 2 files, and the goal is 90 %")
        self.assertEqual(lines[1:], ["   50.0 %    10 lines not in src/wire/b.h"])

    def test_files_are_named_from_the_root_on(self):
        for name in ("/w/build/fuzz/src/wire/a.cpp", "/w/src/wire/a.cpp", "build/fuzz/src/wire/a.cpp",
                     "src/wire/a.cpp", "/src/wire/a.cpp"):
            self.assertEqual(fuzz.relative(name, Path("/w"), Path("/w/build/fuzz")), "src/wire/a.cpp")

    def test_what_was_not_measured_is_not_covered(self):
        self.assertFalse(fuzz.report(fuzz.lines_by_group([], {"wire": ["src/wire/"]}), 90)[1])

    def test_groups_name_files_that_exist(self):
        for starts in fuzz.GROUPS.values():
            for start in starts:
                self.assertTrue(list(ROOT.glob(start + "*")), start)


if __name__ == "__main__":
    unittest.main()
