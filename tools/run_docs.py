#!/usr/bin/env python3
"""Runs the commands of documents. Every fenced block of shell says by the first word after `sh` who runs it:

    ```sh run [status=N]      this program, for the test dray_docs: with the built dray on the PATH
    ```sh cluster [status=N]  this program with --kubeconfig, for TestDocuments of tests/cluster: kubectl's cluster is a real one
    ```sh shown-by TEST       a test of that name does the same, or a long job: `--deep NAME`
    ```sh not-run WHY         nobody

A block that says nothing is an error. A block is given to `bash -e` in a folder of its own where the repository's own stand
beside it, and must end with 0, or with what the fence says. What it needs and a reader has anyhow (a file of his) is made by a
comment right before it:

    <!-- before:
    cp docs/cookbook/gpu-nic.yaml pod.yaml
    -->

A block ```output right after it is what it must print: `…` stands for anything within a line, a line of `…` alone for any
lines. Usage: run_docs.py [--kubeconfig FILE] DRAY DOCUMENT_OR_FOLDER..."""

import argparse
import collections
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?:^ *<!-- before:\n(?P<before>.*?)^ *-->\n\n?)?"
    r"^(?P<indent> *)```(?:sh|bash|shell|console)\b(?P<mark>[^\n]*)\n(?P<command>.*?)^ *```\n"
    r"(?:\n? *```output\n(?P<output>.*?)^ *```\n)?",
    re.M | re.S,
)
MARK = re.compile(r" (?:(?P<how>run|cluster)(?: status=(?P<status>\d+))?|(?P<other>shown-by|not-run) (?P<said>[^\s`][^`]*))")
LINKED = ("config", "deploy", "docs", "manifests", "monitoring", "overlays", "tests")  # of the repository, in a block's folder
SECONDS = 120  # of one block


@dataclasses.dataclass(frozen=True)
class Block:
    line: int
    how: str  # run, cluster, shown-by, not-run; empty: it does not say
    said: str = ""  # by which test, or why not
    before: str = ""
    command: str = ""
    status: int = 0
    output: str | None = None  # what it must print


def blocks(text):
    """The blocks of shell of a document."""

    def dedent(part):
        return textwrap.dedent(match[part] or "")

    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("command"))
        mark = MARK.fullmatch(match["mark"].rstrip())
        how, said, status = ((mark["how"] or mark["other"]), mark["said"] or "", int(mark["status"] or 0)) if mark else ("", "", 0)
        output = dedent("output") if match["output"] is not None else None
        found.append(Block(line, how, said, dedent("before"), dedent("command"), status, output))
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


def run(block, dray, kubeconfig=None):
    """(status, output) of a block. What comes before it fails it, and is otherwise not seen."""
    with tempfile.TemporaryDirectory() as folder:
        for entry in LINKED:
            os.symlink(ROOT / entry, pathlib.Path(folder) / entry)
        if kubeconfig:
            (pathlib.Path(folder) / ".kube").mkdir()
            shutil.copy(kubeconfig, pathlib.Path(folder) / ".kube/config")
        environment = {
            "PATH": f"{dray.resolve().parent}:{os.environ['PATH']}",
            "HOME": folder,
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
        }
        printed = ""
        for command in filter(None, (block.before, block.command)):
            done = subprocess.run(
                ["bash", "-e", "-c", command],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            if command is block.before and done.returncode != 0:
                return f"{done.returncode} before it began", done.stdout
            printed = done.stdout
    return done.returncode, printed


def check(document, text, dray, kubeconfig=None):
    """(the document's blocks, [what is wrong])"""
    wrong, found = [], blocks(text)
    for block in found:
        where = f"{document}:{block.line}"
        if not block.how:
            wrong.append(f"{where}: a block of shell says who runs it: ```sh run, cluster, shown-by TEST or not-run WHY")
        if block.how != ("cluster" if kubeconfig else "run"):
            continue
        got, printed = run(block, dray, kubeconfig)
        if got != block.status:
            wrong.append(f"{where}: ends with {got}, not {block.status}:\n{printed}")
        elif block.output is not None and not matches(block.output, printed):
            wrong.append(f"{where}: prints something else:\n{printed}")
    return found, wrong


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--kubeconfig", type=pathlib.Path)
    parser.add_argument("dray", type=pathlib.Path)
    parser.add_argument("documents", type=pathlib.Path, nargs="+")
    given = parser.parse_args(arguments)
    count, wrong = collections.Counter(), []
    for document in (d for g in given.documents for d in (sorted(g.rglob("*.md")) if g.is_dir() else [g])):
        found, problems = check(document, document.read_text(), given.dray, given.kubeconfig)
        count.update(block.how for block in found)
        wrong += problems
        for block in found:
            if block.how == "not-run" and not given.kubeconfig:
                print(f"not run: {document}:{block.line}: {block.said}")
    ran = count["cluster" if given.kubeconfig else "run"]
    print("\n".join([*wrong, f"{ran} blocks run, {len(wrong)} wrong"]))
    if not given.kubeconfig:
        print(f"{count['cluster']} more are run by TestDocuments, {count['shown-by']} shown by other tests, {count['not-run']} not run")
    return 1 if wrong or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
