#!/usr/bin/env python3
"""Tests of run_docs.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import contextlib
import io
import pathlib
import tempfile
import unittest

import run_docs

PROGRAM = pathlib.Path("/usr/bin/true")


class RunDocs(unittest.TestCase):
    def wrong(self, text):
        return run_docs.check("a.md", text, PROGRAM)[1]

    def test_a_block_runs_where_it_says_so(self):
        text = "x\n```sh not-run no such program\nexit 1\n```\n```sh run\nexit 0\n```\n```text\n```\n"
        self.assertEqual(run_docs.blocks(text)[1], run_docs.Block(5, "run", command="exit 0\n"))
        found, wrong = run_docs.check("a.md", text, PROGRAM)
        self.assertEqual([(block.how, block.said) for block in found], [("not-run", "no such program"), ("run", "")])
        self.assertEqual(wrong, [])

    def test_a_block_that_does_not_say_who_runs_it_is_wrong(self):
        for mark in ("", " ", " rum", " not-run", " shown-by ", " run status=x", " not-run `x`"):
            with self.subTest(mark):
                self.assertIn("a.md:1: a block of shell says who runs it", self.wrong(f"```sh{mark}\ntrue\n```\n")[0])
        self.assertIn("a.md:1: a block of shell", self.wrong("```bash\ntrue\n```\n")[0])

    def test_blocks_of_a_cluster_are_run_with_one_and_no_others(self):
        text = "```sh cluster status=4\ntest \"$(cat ~/.kube/config)\" = here\nexit 4\n```\n```sh run\nexit 1\n```\n"
        with tempfile.NamedTemporaryFile("w") as kubeconfig:
            kubeconfig.write("here")
            kubeconfig.flush()
            self.assertEqual(run_docs.check("a.md", text, PROGRAM, kubeconfig.name)[1], [])
        self.assertIn("a.md:5: ends with 1", "".join(self.wrong(text)))

    def test_what_a_reader_has_is_made_before_and_not_shown(self):
        text = "1. x\n\n   <!-- before:\n   echo mine | tee pod.yaml\n   -->\n   ```sh run\n   cat pod.yaml\n   ```\n\n   ```output\n   mine\n   ```\n"
        self.assertEqual(self.wrong(text), [])
        self.assertIn("ends with 1 before it began", self.wrong("<!-- before:\nfalse\n-->\n```sh run\ntrue\n```\n")[0])

    def test_a_status_that_is_not_the_one_said_is_wrong(self):
        self.assertIn("a.md:1: ends with 3, not 0", self.wrong("```sh run\nexit 3\n```\n")[0])
        self.assertIn("ends with 1, not 0", self.wrong("```sh run\nfalse\ntrue\n```\n")[0])
        self.assertEqual(self.wrong("```sh run status=3\nexit 3\n```\n"), [])
        self.assertIn("ends with 0, not 3", self.wrong("```sh run status=3\ntrue\n```\n")[0])

    def test_an_output_that_differs_is_wrong(self):
        block = "```sh run\nprintf 'a 1 \\nb\\nc\\n'\n```\n\n```output\n%s```\n"
        for shown, same in (
            ("a 1\nb\nc\n", True),
            ("a …\nb\nc\n", True),
            ("a 1\n…\n", True),
            ("…\nc\n", True),
            ("a 2\nb\nc\n", False),
            ("a 1\nb\n", False),
            ("a.1\nb\nc\n", False),
        ):
            with self.subTest(shown):
                self.assertEqual(self.wrong(block % shown) == [], same)

    def test_the_repository_and_the_program_are_there(self):
        self.assertEqual(self.wrong("```sh run\ntest -d config/demo/cluster\ntouch here\n```\n"), [])
        self.assertIn("/usr/bin", run_docs.run(run_docs.Block(1, "run", command='echo "$PATH"'), PROGRAM)[1])

    def test_no_block_at_all_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            file = pathlib.Path(folder) / "a.md"
            file.write_text("nothing\n")
            self.assertEqual(run_docs.main(["/usr/bin/true", folder]), 1)
            file.write_text("```sh run\ntrue\n```\n")
            self.assertEqual(run_docs.main(["/usr/bin/true", folder]), 0)


if __name__ == "__main__":
    unittest.main()
