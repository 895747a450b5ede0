"""Tests of hardening.py, and of the built dray: python3 -m unittest discover -s tools -p '*_test.py'"""

import os
import platform
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import hardening

ROOT = Path(__file__).resolve().parent.parent
DRAY = ROOT / "build/release/bin/dray"
COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")

# A frame of two pages, an array that is written to, and a call that _FORTIFY_SOURCE checks.
SOURCE = r"""
#include <cstdio>
#include <cstring>
namespace dray {
int work(int count, const char* text) {
  char large[8192];
  char small[32];
  std::memcpy(small, text, static_cast<unsigned>(count));
  std::snprintf(large, sizeof large, "%s%d", small, count);
  return std::puts(large);
}
}
int main(int count, char** words) { return dray::work(count, words[0]); }
"""
HARDENED = ["-O2", "-fPIE", "-pie", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong",
            "-fstack-clash-protection", "-fcf-protection=full", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack",
            "-Wl,-z,shstk", "-fuse-ld=bfd"]


def lacks(path):
    """The first word of each line."""
    return [line.split(":")[0] for line in hardening.missing(hardening.Program(path.read_bytes()))]


@unittest.skipUnless(COMPILER and platform.machine() == "x86_64", "no C++ compiler for x86-64")
class SmallProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "small.cpp").write_text(SOURCE)

    def build(self, *flags):
        program = self.folder / "small"
        done = subprocess.run([COMPILER, *flags, "small.cpp", "-o", program], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def test_a_program_with_all_of_them_lacks_nothing(self):
        self.assertEqual(lacks(self.build(*HARDENED)), [])

    def test_each_that_is_left_out_is_named(self):
        rows = {
            "PIE": ["-fno-pie", "-no-pie"],
            "RELRO": ["-Wl,-z,norelro"],
            "immediate binding": ["-Wl,-z,lazy"],
            "stack": ["-Wl,-z,execstack"],
            "stack protector": ["-fno-stack-protector"],
            "_FORTIFY_SOURCE": ["-U_FORTIFY_SOURCE"],
            "stack clash": ["-fno-stack-clash-protection"],
            "landing pads": ["-fcf-protection=none"],
        }
        for name, flags in rows.items():
            with self.subTest(name):
                self.assertIn(name, lacks(self.build(*HARDENED, *flags)))

    def test_a_program_without_the_mark_of_shadow_stacks_is_found(self):
        flags = [flag for flag in HARDENED if flag != "-Wl,-z,shstk"]
        # Where the compiler's own start files have it, the linker sets it by itself.
        found = lacks(self.build(*flags, "-fcf-protection=none"))
        self.assertIn("shadow stack", found)

    def test_a_sanitized_program_is_not_judged(self):
        try:
            program = self.build("-fsanitize=address")
        except AssertionError as error:
            self.skipTest(f"no AddressSanitizer: {error}")
        self.assertTrue(hardening.is_sanitized(hardening.Program(program.read_bytes())))
        self.assertFalse(hardening.is_sanitized(hardening.Program(self.build(*HARDENED).read_bytes())))

    def test_what_is_no_program_is_an_error(self):
        with self.assertRaises(hardening.NotElf):
            hardening.Program(b"#!/bin/sh\n" * 10)


class Dray(unittest.TestCase):
    def test_dray_has_all_of_them(self):
        path = Path(os.environ.get("DRAY_HARDENED_PROGRAM", DRAY))
        if not path.exists():
            self.skipTest(f"{path} is not built")
        program = hardening.Program(path.read_bytes())
        if hardening.is_sanitized(program):
            self.skipTest(f"{path} is built with a sanitizer")
        self.assertEqual(list(hardening.missing(program)), [])


if __name__ == "__main__":
    unittest.main()
