#!/usr/bin/env python3
"""Applies small wrong changes to a copy of the tree, one by one; a test has to notice each.

usage: mutants.py [--seconds N] [--from PLACE] [NAME...]

tests/mutants/NAME.patch is a unified diff under two lines, `# what: SENTENCE` and `# caught by: PROGRAM, ...`:
what is wrong then, and the C++ test programs that must see it, without any shared data. A mutant is caught if one
of them fails, or does not end; one that no program notices has survived, and one that does not apply or
compile is broken: both fail the run. The copy and its build stay in build/mutants, so that the next run compiles
what changed. --from begins with that place in the list and goes round; those for which no time was left are
named and counted as skipped. The last line is `N passed, M failed, K skipped`.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "mutants"
TEST_SECONDS = 300


@dataclass
class Mutant:
    name: str
    what: str
    programs: list
    diff: str


def read_mutant(name, text):
    """A mutant of its file's text; ValueError says what is wrong with it."""
    what = re.search(r"^# what: (\S.*)$", text, re.MULTILINE)
    programs = re.search(r"^# caught by: (\S.*)$", text, re.MULTILINE)
    if not what or not programs:
        raise ValueError(f"{name}: begins with `# what: SENTENCE` and `# caught by: PROGRAM, ...`")
    at = text.find("\n--- ")
    if at < 0:
        raise ValueError(f"{name}: has no unified diff")
    return Mutant(name, what[1], re.split(r",\s*", programs[1].strip()), text[at + 1:])


class Tree:
    """A copy of what git knows of the repository, and its build."""

    def __init__(self, folder):
        self.source = folder / "tree"
        self.build = self.source / "build" / "mutants"  # as deep as any build: programs look for config/ from where they are
        self.environment = {key: value for key, value in os.environ.items() if key != "DRAY_SHARED"}
        self.said = ""  # by the test program that ran last, at its end
        self.environment |= {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}

    def copy(self):
        self.source.mkdir(parents=True, exist_ok=True)
        listed = self.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"], check=True).stdout
        known = {Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()}
        for old in [path for path in self.source.rglob("*") if path.is_file()]:
            if old.relative_to(self.source) not in known and not old.is_relative_to(self.build):
                old.unlink()
        for name in known:
            text, target = (ROOT / name).read_bytes(), self.source / name
            if not target.exists() or target.read_bytes() != text:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text)
        self.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
                  "-DCMAKE_CXX_FLAGS=-O0", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=5"], check=True)

    def run(self, command, seconds=None, check=False, text=None):
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=seconds, input=text,
                              cwd=self.source, env=self.environment, check=check)

    def compile(self, programs):
        """What the compiler says against it, or nothing."""
        done = self.run(["ninja", "-C", self.build, *programs])
        return "" if done.returncode == 0 else "\n".join(done.stdout.splitlines()[-30:])

    def notices(self, program):
        """How the program notices that something is wrong, or nothing."""
        try:
            done = self.run([self.build / "bin" / program], seconds=TEST_SECONDS)
        except subprocess.TimeoutExpired:
            return f"{program} does not end"
        self.said = "\n".join((done.stdout + done.stderr).splitlines()[-60:])
        failed = re.search(r"^test cases:.*?(\d+) failed", done.stdout, re.MULTILINE)
        return "" if done.returncode == 0 else f"{program}: {failed[1] + ' failed' if failed else 'ends with ' + str(done.returncode)}"

    def patch(self, mutant, *flags):
        return self.run(["patch", "-p1", "--no-backup-if-mismatch", "--force", *flags], text=mutant.diff)

    def files_of(self, mutant):
        """The files that it changes, with what is in them: patch's own way back may take a similar place for the right one."""
        names = re.findall(r"^\+\+\+ (?:b/)?(\S+)", mutant.diff, re.MULTILINE)
        return {self.source / name: (self.source / name).read_bytes() for name in names}


def judge(tree, mutant):
    """(caught, how) for one mutant."""
    applied = tree.patch(mutant, "--dry-run")
    if applied.returncode:
        return False, f"does not apply: {applied.stdout.strip().splitlines()[-1]}"
    before = tree.files_of(mutant)
    tree.patch(mutant)
    try:
        if complaint := tree.compile(mutant.programs):
            return False, f"does not compile:\n{complaint}"
        for program in mutant.programs:
            if how := tree.notices(program):
                return True, how
        return False, f"SURVIVED {', '.join(mutant.programs)}"
    finally:
        for file, text in before.items():
            file.write_bytes(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--from", dest="begin", type=int, default=0)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.seconds
    mutants = [read_mutant(file.stem, file.read_text()) for file in sorted(FOLDER.glob("*.patch"))
               if not arguments.names or file.stem in arguments.names]
    if not mutants:
        print("no such mutants\n0 passed, 1 failed, 0 skipped")
        return 1
    begin = arguments.begin % len(mutants)
    mutants = mutants[begin:] + mutants[:begin]
    tree = Tree(ROOT / "build" / "mutants")
    tree.copy()
    programs = sorted({program for mutant in mutants for program in mutant.programs})
    if wrong := tree.compile(programs) or next(filter(None, map(tree.notices, programs)), ""):
        print(f"{tree.said}\nbefore any mutant: {wrong}\n0 passed, 1 failed, 0 skipped")
        return 1
    caught, survivors = 0, []
    while mutants and time.monotonic() < deadline:
        mutant = mutants.pop(0)
        good, how = judge(tree, mutant)
        line = f"{'caught' if good else 'NOT CAUGHT':<10} {mutant.name}: {mutant.what} ({how})"
        print(line, flush=True)
        caught += good
        survivors += [] if good else [line]
    if mutants:
        print(f"not tried: {' '.join(mutant.name for mutant in mutants)}\nskipped {len(mutants)}: no time was left")
    print("".join(f"{line}\n" for line in survivors), end="")  # again: who reads the end of the log must see them
    print(f"{caught} passed, {len(survivors)} failed, {len(mutants)} skipped")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
