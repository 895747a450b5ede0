"""Tests of the parts of `dev` in bash: python3 -m unittest discover -s tools -p '*_test.py'"""

import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent


class Bash(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def run_script(self, script):
        parts = "".join(f"source {TOOLS}/dev/{part}.sh\n" for part in ("steps", "packages"))
        return subprocess.run(["bash", "-c", f"set -euo pipefail\nroot={self.root}\n{parts}{script}"],
                              capture_output=True, text=True, check=False, timeout=60)

    def test_a_step_keeps_its_output_in_a_log(self):
        done = self.run_script("step 'say it' 10 echo hello")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^say it +ok +\d+\.\d s\n$")
        self.assertEqual((self.root / "build/logs/say-it.log").read_text(), "hello\n")

    def test_a_failed_step_shows_its_end_and_its_status(self):
        done = self.run_script("step bad 10 bash -c 'seq 100; exit 3'")
        self.assertEqual(done.returncode, 3)
        self.assertIn("FAILED", done.stdout)
        self.assertIn("\n61\n", done.stdout)
        self.assertNotIn("\n60\n", done.stdout)

    def test_a_step_ends_at_its_limit(self):
        done = self.run_script("step slow 0.1 sleep 50")
        self.assertEqual(done.returncode, 124)
        self.assertIn("over its limit", done.stdout)

    def test_the_table_adds_up(self):
        done = self.run_script("row a 2 0 1 'one is late'\ntally b 0 $'3 0 0\\n'\nclosing_table")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines()[-1], "5 passed, 0 failed, 1 skipped")
        self.assertIn("one is late", done.stdout)

    def test_a_failure_anywhere_fails_the_table(self):
        done = self.run_script("row a 2 1 0 ''\nrow b 2 0 0 ''\nclosing_table")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[-1], "4 passed, 1 failed, 0 skipped")

    def test_a_crash_without_counts_is_one_failure(self):
        done = self.run_script("tally a 139 $'7 0 0\\n'\nclosing_table")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[-1], "7 passed, 1 failed, 0 skipped")

    def test_a_run_of_runs_says_what_failed_in_which_row(self):
        (self.root / "log").write_text(self.run_script(
            "row 'cases cel' 2 0 1 'one is late'\nrow cluster 7 1 0 'failed: TestA/b (a.go said, no room); 2 skipped: long'\n"
            "row fuzz 0 0 0 'absent: no targets'\nclosing_table || true").stdout)
        done = self.run_script(f"closing_counts {self.root}/log 1 100")
        self.assertEqual(done.stdout.splitlines(), [
            "9 1 1", "cluster: failed: TestA/b (a.go said, no room); 2 skipped: long; fuzz is absent"])
        late = self.run_script(f"closing_counts {self.root}/log 124 100").stdout.splitlines()[1]
        self.assertTrue(late.startswith("over its limit of 100 s; cluster: failed"), late)

    def test_a_run_without_a_table_has_no_counts(self):
        (self.root / "log").write_text("killed\n")
        self.assertEqual(self.run_script(f"closing_counts {self.root}/log 137 100").stdout.splitlines(), ["0 0 0", ""])

    def test_versions_compare_by_number(self):
        for have, want, enough in (("1.26.8", "1.26", 0), ("1.26", "1.26", 0), ("1.19.8", "1.26", 1), ("1.9", "1.26", 1)):
            with self.subTest(have):
                self.assertEqual(self.run_script(f"at_least {have} {want}").returncode, enough)

    def bench(self, theirs, options=""):
        """`dev bench alloc` where dray takes 10 ns, the peer `theirs`, and 2 times is asked for."""
        (self.root / "goals").write_text('{"alloc": [{"metric": "cold_ns", "times_faster": 2}]}')
        return self.run_script(f"""
            cd {TOOLS.parent}
            source {TOOLS}/dev/bench.sh
            bench_goals=$root/goals
            need_packages() {{ :; }}; need_go() {{ :; }}; build_preset() {{ :; }}; build_peer() {{ :; }}
            bench_dray() {{ echo '{{"name": "a", "cold_ns": 10}}'; }}
            bench_peer() {{ {theirs}; }}
            bench {options} alloc""")

    def test_bench_fails_where_a_goal_is_missed(self):
        for options in ("", "--ratios"):
            with self.subTest(options):
                self.assertEqual(self.bench("""echo '{"name": "a", "ns": 20}'""", options).returncode, 0)
                missed = self.bench("""echo '{"name": "a", "ns": 19}'""", options)
                self.assertEqual(missed.returncode, 1)
                self.assertIn("goals missed or not measured: alloc", missed.stderr)

    def test_bench_fails_where_the_peer_does(self):
        self.assertEqual(self.bench("false").returncode, 1)


if __name__ == "__main__":
    unittest.main()
