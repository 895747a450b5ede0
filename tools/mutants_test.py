"""Tests of mutants.py, and of the form of all mutants: python3 -m unittest discover -s tools -p '*_test.py'"""

import subprocess
import unittest

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
