"""Tests of bench_ratios.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import unittest

import bench_ratios


OURS = {"a": {"name": "a", "run_ns": 10, "allocations": 0}, "b": {"name": "b", "run_ns": 50}, "c": {"name": "c", "run_ns": 1}}
THEIRS = {"a": {"name": "a", "run_ns": 1000}, "b": {"name": "b", "run_ns": 500}}


class Ratios(unittest.TestCase):
    def test_the_least_comes_first_and_only_common_parts_count(self):
        self.assertEqual(bench_ratios.ratios(OURS, THEIRS, "run_ns"), [(10.0, "b"), (100.0, "a")])

    def test_a_goal_is_for_every_part(self):
        found = bench_ratios.ratios(OURS, THEIRS, "run_ns")
        self.assertIn("MISSED", bench_ratios.describe("run_ns", found, OURS, THEIRS, 20)[0])
        self.assertIn("met", bench_ratios.describe("run_ns", found, OURS, THEIRS, 10)[0])
        self.assertIn("10.0 times as fast at least", bench_ratios.describe("run_ns", found, OURS, THEIRS, None)[0])

    def test_of_numbers_without_a_peer_the_greatest_counts(self):
        self.assertIn("2 at most, 1 in the middle; at most 2 is asked: met", bench_ratios.describe_own("x", [0, 1, 2], 2))
        self.assertIn("MISSED", bench_ratios.describe_own("x", [0, 1], 0))


if __name__ == "__main__":
    unittest.main()
