"""Tests of bench_ratios.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import bench_ratios

OURS = [
    {"name": "a, best", "peer": "a", "cold_ns": 10, "again_ns": 1, "work": {"placed": 1}},
    {"name": "b, best", "peer": "b", "cold_ns": 50, "work": {"placed": 2}},
    {"name": "alone", "after_ms": 3},
]
THEIRS = [
    {"name": "a", "ns": 1000, "work": {"placed": 1}},
    {"name": "b", "ns": 500, "atLeast": True},
]


def run(goals, *options, ours=OURS, theirs=THEIRS):
    """Status and output."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, lines in (("dray", ours), ("peer", theirs)):
            files.append(pathlib.Path(folder) / name)
            files[-1].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        goals_file = pathlib.Path(folder) / "goals"
        goals_file.write_text(json.dumps({"suite": goals}), encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            status = bench_ratios.main([*options, "suite", str(goals_file), *map(str, files)])
        return status, output.getvalue()


class Ratios(unittest.TestCase):
    def test_the_worst_row_decides(self):
        self.assertEqual(run([{"metric": "cold_ns", "times_faster": 10}])[0], 0)
        status, output = run([{"metric": "cold_ns", "times_faster": 11}])
        self.assertEqual(status, 1)
        self.assertIn("2 rows, dray is 10.0 times as fast at least, 31.6 in the geometric mean; at least 11 is asked: MISSED", output)

    def test_a_goal_is_of_the_rows_that_it_names(self):
        self.assertEqual(run([{"rows": "a,", "metric": "cold_ns", "times_faster": 100}])[0], 0)

    def test_every_ratio_is_printed_and_says_what_was_given_up(self):
        output = run([])[1]
        for text in ("100.0 x", "1000.0 x", ">10.0 x", ">500 ns"):
            self.assertIn(text, output)

    def test_other_work_misses_the_goal(self):
        other = [{"name": "a", "ns": 1000, "work": {"placed": 0}}]
        status, output = run([{"metric": "cold_ns", "times_faster": 1}], theirs=other)
        self.assertEqual(status, 1)
        self.assertIn("OTHER WORK: dray {'placed': 1}, the peer {'placed': 0}", output)

    def test_of_a_row_measured_again_the_least_counts_on_both_sides(self):
        again = [{"name": "a, best", "peer": "a", "cold_ns": 5, "again_ns": 2, "work": {"placed": 1}}]
        slower = [{"name": "a", "ns": 3000, "work": {"placed": 1}}, {"name": "b", "ns": 400}]
        output = run([], ours=OURS + again, theirs=THEIRS + slower)[1]
        for text in ("200.0 x", "1000.0 x", " 8.0 x"):
            self.assertIn(text, output)

    def test_a_row_measured_again_has_to_be_the_same_work(self):
        again = [{"name": "a, best", "peer": "a", "cold_ns": 5, "work": {"placed": 2}}]
        with self.assertRaisesRegex(SystemExit, "a, best: other work in another round"):
            run([], ours=OURS + again)

    def test_of_numbers_without_a_peer_the_greatest_counts(self):
        self.assertEqual(run([{"metric": "after_ms", "at_most": 3}])[0], 0)
        self.assertEqual(run([{"metric": "after_ms", "at_most": 2}])[0], 1)

    def test_other_work_fails_without_a_goal_too(self):
        other = [{"name": "a", "ns": 1000, "work": {"placed": 0}}]
        self.assertEqual(run([], theirs=other)[0], 1)
        self.assertEqual(run([])[0], 0)

    def test_where_only_ratios_count_durations_do_not(self):
        goals = [{"metric": "cold_ns", "times_faster": 10}, {"metric": "after_ms", "at_most": 2}]
        self.assertEqual(run(goals)[0], 1)
        status, output = run(goals, "--ratios")
        self.assertEqual(status, 0)
        self.assertTrue(output.endswith("\n1 passed, 0 failed, 1 skipped\n"))
        self.assertEqual(run([{"metric": "cold_ns", "times_faster": 11}], "--ratios")[0], 1)

    def test_a_count_is_a_condition_on_every_machine(self):
        some = [{"name": "a", "allocations": 1, "cold_ns": 1}]
        self.assertEqual(run([{"metric": "allocations", "at_most": 0}], "--ratios", ours=some)[0], 1)

    def test_a_goal_without_a_row_is_missed(self):
        self.assertEqual(run([{"rows": "c", "metric": "cold_ns", "times_faster": 1}])[0], 1)
        self.assertEqual(run([{"rows": "c", "metric": "after_ms", "at_most": 1}])[0], 1)

    def test_nothing_in_common_is_a_failure(self):
        self.assertEqual(run([], theirs=[{"name": "c", "ns": 1}])[0], 1)


if __name__ == "__main__":
    unittest.main()
