#!/usr/bin/env python3
"""Tests of newcomer.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import contextlib
import io
import pathlib
import tempfile
import unittest

import newcomer
import run_docs

PAGE = "<!doctype html><script>" + "x" * 60_000
# Stands in for ./dev: serves a folder as `dray demo` does its dashboard, and ends as it is told to.
DEV = """#!/bin/sh
case $1 in
  web) exit 0 ;;
  demo) exec python3 -c '
import http.server
server = http.server.HTTPServer(("localhost", 0), http.server.SimpleHTTPRequestHandler)
print("llm-0            dgxh100-06     gpu: 8 x gpu-0…gpu-7")
print(f"dashboard: http://localhost:{server.server_port}/", flush=True)
server.serve_forever()' 2>/dev/null ;;
  dray) echo "16 of 16 cases as expected"; echo "tomorrow    42  4000/4000"; cp index.html report.html ;;
esac
exit ${STATUS:-0}
"""


class Newcomer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.clone = pathlib.Path(folder.name)
        self.write("index.html", PAGE)
        self.write("dev", DEV)

    def write(self, name, text):
        (self.clone / name).write_text(text)
        (self.clone / name).chmod(0o755)

    def play(self, name):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = newcomer.main(self.clone, name)
        return status, said.getvalue()

    def test_each_path_is_played_and_timed(self):
        for name, path in newcomer.PATHS.items():
            with self.subTest(name):
                status, said = self.play(name)
                self.assertEqual(status, 0, said)
                self.assertRegex(said, rf"\d s  in all, {len(path.commands)} commands\n$")

    def test_what_a_command_does_not_keep_is_told(self):
        self.write("index.html", "build it with ./dev web")
        for name in ("demo", "report"):
            self.assertIn("the page is not whole", self.play(name)[1])
        self.write("dev", DEV.replace("16 of", "15 of"))
        self.assertIn("does not say", self.play("policy")[1])
        self.write("dev", DEV.replace(":-0", ":-3"))
        status, said = self.play("policy")
        self.assertEqual(status, 1)
        self.assertIn("ends with 3", said)

    def test_a_demo_without_a_dashboard_is_told(self):
        self.write("dev", DEV.replace("dashboard: ", "nothing: ").replace("server.serve_forever()", ""))
        self.assertIn("the page is not whole", self.play("demo")[1])

    def test_the_document_has_these_commands_two_at_most(self):
        text = (run_docs.ROOT / "docs/try.md").read_text()
        typed = [tuple(block.command.splitlines()) for block in run_docs.blocks(text) if block.said == "--deep fresh-clone"]
        self.assertEqual(typed, [path.commands for path in newcomer.PATHS.values()])
        self.assertTrue(all(len(commands) <= 2 for commands in typed))


if __name__ == "__main__":
    unittest.main()
