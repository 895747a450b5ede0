"""Tests of tidy.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import json
import tempfile
import unittest
from pathlib import Path

import tidy


class Keys(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.write("src/a/a.cpp", '#include "a/a.h"\n#include <vector>\n')
        self.write("src/a/a.h", '#include "dray/b.h"\n#pragma once\n')
        self.write("include/dray/b.h", '#include "a/a.h"\n')
        self.write("src/a/other.h", "")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def key(self, command="c++ -c a.cpp", fixed=b"tidy 19"):
        seen = set()
        tidy.reached(self.root / "src/a/a.cpp", self.root, seen)
        return tidy.key_of(seen, command, self.root, fixed)

    def test_the_same_inputs_give_the_same_key(self):
        self.assertEqual(self.key(), self.key())

    def test_the_place_of_the_clone_is_no_input(self):
        self.assertEqual(self.key(f"c++ -I{self.root}/src"), self.key("c++ -I/src"))

    def test_each_input_changes_the_key(self):
        before = self.key()
        self.assertNotEqual(before, self.key(command="c++ -DX -c a.cpp"))
        self.assertNotEqual(before, self.key(fixed=b"tidy 20"))
        for name in ("src/a/a.cpp", "src/a/a.h", "include/dray/b.h"):
            with self.subTest(name):
                path = self.root / name
                text = path.read_text()
                path.write_text(text + "int x;\n")
                self.assertNotEqual(before, self.key())
                path.write_text(text)

    def test_a_header_that_is_not_included_does_not(self):
        before = self.key()
        self.write("src/a/other.h", "int x;\n")
        self.assertEqual(before, self.key())

    def test_only_files_of_the_repository_are_checked(self):
        self.write("build/compile_commands.json", json.dumps([
            {"file": str(self.root / "src/a/a.cpp"), "command": "one"},
            {"file": str(self.root / "src/a/gone.cpp"), "command": "two"},
            {"file": "/usr/include/stdio.h", "command": "three"},
        ]))
        found = list(tidy.compile_commands(self.root / "build", self.root, set()))
        self.assertEqual(found, [(self.root / "src/a/a.cpp", "one")])


if __name__ == "__main__":
    unittest.main()
