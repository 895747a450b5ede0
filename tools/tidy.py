#!/usr/bin/env python3
"""Runs clang-tidy on every file that a build compiles, skipping those whose inputs it has seen clean.
Where the build compiles files in batches, so does clang-tidy: their common headers are read once.

usage: tidy.py --build FOLDER [--seconds N] [FILE...]

A file's key is a hash of clang-tidy's version, .clang-tidy, the compile command, the file and every
header of this repository that it reaches. Keys of clean files are kept in $XDG_CACHE_HOME/dray/tidy.
Files changed in the last commit or since come first; those left when the time is over are named and
counted as skipped. The last line is `N passed, M failed, K skipped`.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIDY = "clang-tidy-19"
# Tests are read, not timed: their vectors may grow and their arguments be copied.
UNTIMED = ["-performance-inefficient-string-concatenation", "-performance-inefficient-vector-operation",
           "-performance-unnecessary-value-param"]
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def reached(file, root, seen):
    """The file and all headers of the repository that it includes, directly or not."""
    if file in seen:
        return
    seen.add(file)
    for name in INCLUDE.findall(file.read_bytes()):
        for folder in (file.parent, root / "include", root / "src", root):
            header = folder / name.decode()
            if header.is_file():
                reached(header.resolve(), root, seen)
                break


def key_of(seen, command, root, fixed):
    digest = hashlib.sha256(fixed)
    digest.update(command.replace(str(root), "").encode())
    for path in sorted(seen):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes().replace(bytes(root), b"") + b"\0")
    return digest.hexdigest()


def unchecked(file, root):
    """The --checks argument for a file of which less is asked than of the program's own."""
    parts = file.relative_to(root).parts
    batch = "batches" in parts
    # A batch includes .cpp files, which elsewhere is a mistake.
    off = ["-bugprone-suspicious-include"] if batch else []
    if parts[0] == "tests" or batch and re.match(r"dray_(\w+_)?(test|bench|cases|fuzz|api_model)_\d+\.cpp", file.name):
        off += UNTIMED
    return [f"--checks={','.join(off)}"] if off else []


def changed_files(root):
    def lines(*arguments):
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
        return {root / line for line in done.stdout.splitlines()}
    return lines("diff", "--name-only", "HEAD~1") | lines("ls-files", "-o", "--exclude-standard")


def compile_commands(build, root, wanted):
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        file = Path(entry["file"])
        if file.is_file() and file.is_relative_to(root) and (not wanted or file in wanted):
            yield file, entry["command"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    deadline = time.monotonic() + arguments.seconds
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dray" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    fixed = version + (root / ".clang-tidy").read_bytes()

    wanted = {file.resolve() for file in arguments.files}
    clean, todo, changed = 0, [], changed_files(root)
    for file, command in sorted(compile_commands(arguments.build, root, wanted)):
        seen = set()
        reached(file, root, seen)
        key = key_of(seen, command, root, fixed)
        if (cache / key).exists():
            clean += 1
        else:
            todo.append((file, key, not changed.isdisjoint(seen)))
    todo.sort(key=lambda item: not item[2])  # stable: else by name

    def tidy(item):
        file, key, _ = item
        left = deadline - time.monotonic()
        if left <= 0:
            return file, None, ""
        # g++'s own flags (cmake/options.cmake) are none of clang's.
        command = [TIDY, "--quiet", "-p", str(arguments.build), "--extra-arg=-Wno-unused-command-line-argument",
                   *unchecked(file, root), str(file)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            return file, None, ""
        if done.returncode == 0:
            (cache / key).touch()
        return file, done.returncode == 0, done.stdout

    failed, late = 0, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, good, output in pool.map(tidy, todo):
            if good is None:
                late.append(str(file.relative_to(root)))
            elif good:
                clean += 1
            else:
                failed += 1
                print(output, flush=True)
    for file in late:
        print(f"not checked: {file}\nskipped: no time was left")
    print(f"{clean} passed, {failed} failed, {len(late)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
