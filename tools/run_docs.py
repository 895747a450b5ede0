#!/usr/bin/env python3
"""Runs the commands of documents: every fenced block ```sh run is given to `sh -e` with the built dray on the PATH, in a
folder where the repository's own stand beside it. It must end with 0, or with what the fence says (```sh run status=2).
A block ```output right after it is what it must print: `…` stands for anything within a line, a line of `…` alone for any
lines. Usage: run_docs.py DRAY DOCUMENT_OR_FOLDER..."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"^```sh run(?: status=(?P<status>\d+))?\n(?P<command>.*?)^```\n(?:\n?```output\n(?P<output>.*?)^```\n)?", re.M | re.S
)
SECONDS = 120  # of one block


def blocks(text):
    """[(line number, command, status, expected output or None)]"""
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found.append((line, match["command"], int(match["status"] or 0), match["output"]))
    return found


def matches(expected, printed):
    """Whether the output is what the document shows."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part.rstrip()) for part in line.split("…")) + r"[ ]*\n"
    lines = "".join(line.rstrip() + "\n" for line in printed.splitlines())
    return re.fullmatch(pattern, lines) is not None


def run(command, dray):
    """(status, output) of a block."""
    with tempfile.TemporaryDirectory() as folder:
        for entry in ("config", "docs", "manifests", "tests"):
            os.symlink(ROOT / entry, pathlib.Path(folder) / entry)
        path = f"{dray.resolve().parent}:{os.environ['PATH']}"
        environment = {"PATH": path, "HOME": folder, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        done = subprocess.run(
            ["sh", "-e", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    return done.returncode, done.stdout


def check(document, text, dray):
    """(how many blocks there are, [what is wrong])"""
    wrong, found = [], blocks(text)
    for line, command, status, expected in found:
        got, printed = run(command, dray)
        where = f"{document}:{line}"
        if got != status:
            wrong.append(f"{where}: ends with {got}, not {status}:\n{printed}")
        elif expected is not None and not matches(expected, printed):
            wrong.append(f"{where}: prints something else:\n{printed}")
    return len(found), wrong


def main(arguments):
    dray = pathlib.Path(arguments[0])
    documents = []
    for given in map(pathlib.Path, arguments[1:]):
        documents += sorted(given.rglob("*.md")) if given.is_dir() else [given]
    count, wrong = 0, []
    for document in documents:
        ran, problems = check(document, document.read_text(), dray)
        count += ran
        wrong += problems
    print("\n".join(wrong + [f"{count} blocks run, {len(wrong)} wrong"]))
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
