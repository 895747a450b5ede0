"""Tests of mutants.py, and of the form of all mutants: python3 -m unittest discover -s tools -p '*_test.py'"""

import subprocess
import tempfile
import unittest
from pathlib import Path

import mutants

TEXT = """# what: the minimum is one too low
# caught by: dray_policy_test, dray_planner_test
--- a/x.cpp
+++ b/x.cpp
@@ -1 +1 @@
-int minimum = 2;
+int minimum = 1;
"""


class Reading(unittest.TestCase):
    def test_a_mutant(self):
        mutant = mutants.read_mutant("low", TEXT)
        self.assertEqual(mutant.what, "the minimum is one too low")
        self.assertEqual(mutant.programs, ["dray_policy_test", "dray_planner_test"])
        self.assertTrue(mutant.diff.startswith("--- a/x.cpp\n"))

    def test_what_is_missing_is_said(self):
        for line in TEXT.splitlines()[:3]:
            with self.subTest(line), self.assertRaises(ValueError):
                mutants.read_mutant("low", TEXT.replace(line, ""))


class Shallow(mutants.Tree):
    """A tree in which nothing is compiled."""

    def compile(self, _):
        return ""

    def notices(self, _):
        return "1 failed"


class Judging(unittest.TestCase):
    def test_the_file_is_as_before_though_another_place_is_like_the_changed_one(self):
        begun, ended = "void f() {\n  begin();\n", "  end();\n}\n"
        text = begun + "}\n" + (begun + ended) * 3
        diff = "--- a/x.cpp\n+++ b/x.cpp\n@@ -1,4 +1,3 @@\n void f() {\n   begin();\n-  end();\n }\n"
        with tempfile.TemporaryDirectory() as folder:
            tree = Shallow(Path(folder))
            tree.source.mkdir(parents=True)
            file = tree.source / "x.cpp"
            file.write_text(text)
            caught, how = mutants.judge(tree, mutants.Mutant("x", "what", ["dray_x_test"], diff))
            self.assertTrue(caught, how)
            self.assertEqual(file.read_text(), text)


class Catalogue(unittest.TestCase):
    def test_each_mutant_still_applies(self):
        for file in sorted(mutants.FOLDER.glob("*.patch")):
            with self.subTest(file.stem):
                mutant = mutants.read_mutant(file.stem, file.read_text())
                self.assertTrue(all(name.startswith("dray_") and name.endswith("_test") for name in mutant.programs))
                done = subprocess.run(["patch", "-p1", "--dry-run", "--force"], input=mutant.diff, capture_output=True,
                                      text=True, cwd=mutants.ROOT, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
