#!/usr/bin/env python3
"""What somebody does first in a fresh clone, as docs/try.md has it: newcomer.py CLONE PATH. Each path is two commands at most; they
must end with 0 and leave what they promise. How long each took is printed, and is no condition."""

import contextlib
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request


@dataclasses.dataclass(frozen=True)
class Path:
    commands: tuple[str, ...]
    says: str = ""  # what the last command prints
    leaves: str = ""  # a file, a page of its own
    serves: bool = False  # the last command goes on, and prints where its dashboard is


PATHS = {
    "demo": Path(("./dev web", "./dev demo"), says=r"^llm-0 +dgxh100-06 +gpu: 8 x ", serves=True),
    "report": Path(
        ("./dev web", "./dev dray simulate -f config/simulate/scenario.yaml --report report.html"),
        says=r"^tomorrow +42 +4000/4000\b",
        leaves="report.html",
    ),
    "policy": Path(("./dev dray policy test config/policies",), says=r"^(\d+) of \1 cases as expected$"),
}
SERVES = re.compile(r"^dashboard: (http://localhost:\d+/)$", re.M)


def page_is_whole(text):
    """Whether it is a page with its script, and not what stands in for one that was not built."""
    return "<!doctype html>" in text.lower() and "<script" in text and len(text) > 50_000


def until_it_serves(command, clone):
    """Starts the command, and ends it once its dashboard has answered. (its output, the dashboard's page)"""
    said = ""
    with subprocess.Popen(
        command, shell=True, cwd=clone, stdout=subprocess.PIPE, text=True, start_new_session=True, stdin=subprocess.DEVNULL
    ) as process:
        try:
            for line in process.stdout:
                said += line
                if found := SERVES.search(said):
                    with urllib.request.urlopen(found[1], timeout=10) as answer:
                        return said, answer.read().decode()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
    return said, ""


def play(path, clone):
    """What went wrong, or an empty text."""
    for number, command in enumerate(path.commands, 1):
        last, begun, page = number == len(path.commands), time.monotonic(), None
        if last and path.serves:
            said, page = until_it_serves(command, clone)
        else:
            done = subprocess.run(command, shell=True, cwd=clone, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            said = done.stdout
            if done.returncode != 0:
                return f"{command} ends with {done.returncode}:\n{said}{done.stderr}"
        print(f"{time.monotonic() - begun:7.1f} s  {command}", flush=True)
    if not re.search(path.says, said, flags=re.M):
        return f"{command} does not say {path.says}:\n{said}"
    if path.leaves:
        page = (clone / path.leaves).read_text()
    if page is not None and not page_is_whole(page):
        return f"{command}: the page is not whole:\n{page[:1000]}"
    return ""


def main(clone, name):
    begun = time.monotonic()
    wrong = play(PATHS[name], pathlib.Path(clone))
    print(wrong or f"{time.monotonic() - begun:7.1f} s  in all, {len(PATHS[name].commands)} commands")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
