"""Tests of count_tests.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import unittest

import count_tests


def junit(*cases):
    rows = "".join(f'<testcase name="{n}" status="{s}"><system-out>{o}</system-out></testcase>' for n, s, o in cases)
    return f"<testsuite>{rows}</testsuite>"


class Node(unittest.TestCase):
    def check(self, text, passed, failed, skipped, note):
        count = count_tests.count_node(text)
        self.assertEqual((count.passed, count.failed, count.skipped), (passed, failed, skipped))
        self.assertEqual(count.note(), note)

    def test_counts_and_failures_are_told(self):
        text = "TAP version 13\nok 1 - a\nnot ok 2 - the map\nok 3 - c # SKIP no fonts\n"
        self.check(text + "# tests 3\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 1\n", 1, 1, 1,
                   "failed: the map; 1 skipped: no fonts")

    def test_what_was_cancelled_failed(self):
        self.check("# pass 1\n# fail 0\n# cancelled 2\n# skipped 0\n", 1, 2, 0, "")

    def test_no_end(self):
        self.check("ok 1 - a\n", 0, 1, 0, "failed: no closing lines")


class Ctest(unittest.TestCase):
    def check(self, text, passed, failed, skipped, note):
        count = count_tests.count_ctest(text)
        self.assertEqual((count.passed, count.failed, count.skipped), (passed, failed, skipped))
        self.assertEqual(count.note(), note)

    def test_all_passed(self):
        self.check(junit(("a", "run", "\nAll tests passed (9 assertions in 4 test cases)\n")), 4, 0, 0, "")

    def test_one_case(self):
        self.check(junit(("a", "run", "\nAll tests passed (1 assertion in 1 test case)\n")), 1, 0, 0, "")

    def test_some_failed(self):
        text = "test cases: 5 | 3 passed | 2 failed\nassertions: 9 | 7 passed | 2 failed\n"
        self.check(junit(("a", "fail", text)), 3, 2, 0, "failed: a")

    def test_all_failed(self):
        self.check(junit(("a", "fail", "test cases: 1 | 1 failed\n")), 0, 1, 0, "failed: a")

    def test_the_first_fault_is_told(self):
        text = ("a.cpp:9: FAILED:\nexplicitly with message:\n  seed 12: I7, device gpu-0\n  twice\n\n"
                "test cases: 2 | 1 passed | 1 failed\n")
        self.check(junit(("a", "fail", text)), 1, 1, 0, "failed: a (seed 12: I7, device gpu-0 twice)")

    def test_a_long_fault_is_cut(self):
        text = f"a.cpp:9: FAILED:\n  CHECK( {'x' * 300} )\n\ntest cases: 1 | 1 failed\n"
        self.check(junit(("a", "fail", text)), 0, 1, 0, f"failed: a (CHECK( {'x' * 193}...)")

    def test_skipped_is_not_passed(self):
        text = "warning:\n  skipped: no DRAY_SHARED\n\nAll tests passed (2 assertions in 3 test cases)\n"
        self.check(junit(("a", "run", text)), 2, 0, 1, "1 skipped: no DRAY_SHARED")

    def test_crash_without_summary(self):
        self.check(junit(("a", "fail", "Segmentation fault")), 0, 1, 0, "failed: a")

    def test_sanitizer_after_summary(self):
        text = "All tests passed (2 assertions in 3 test cases)\nERROR: LeakSanitizer"
        self.check(junit(("a", "fail", text)), 3, 1, 0, "failed: a")

    def test_program_that_is_missing(self):
        self.check(junit(("a", "notrun", "")), 0, 1, 0, "failed: a did not run")


class Go(unittest.TestCase):
    def check(self, text, passed, failed, skipped, note):
        count = count_tests.count_go(text)
        self.assertEqual((count.passed, count.failed, count.skipped), (passed, failed, skipped))
        self.assertEqual(count.note(), note)

    def test_a_test_is_the_sum_of_its_subtests(self):
        self.check(
            "=== RUN   TestA\n=== RUN   TestA/x\n    a_test.go:3: boom\n--- FAIL: TestA (0.00s)\n"
            "    --- PASS: TestA/w (0.00s)\n    --- FAIL: TestA/x (0.00s)\nFAIL\nFAIL\tp\t0.002s\nFAIL\n",
            1, 1, 0, "failed: TestA/x (boom)")

    def test_a_failure_of_the_test_itself_counts_too(self):
        self.check("--- FAIL: TestA (0.00s)\n    --- PASS: TestA/w (0.00s)\nFAIL\tp\t0.002s\n",
                   1, 1, 0, "failed: TestA")

    def test_reason_of_a_skip(self):
        self.check("=== RUN   TestA\n    a_test.go:7: no fixtures\n--- SKIP: TestA (0.00s)\nPASS\nok  \tp\t0.002s\n",
                   0, 0, 1, "1 skipped: no fixtures")

    def test_reason_of_a_skipped_subtest(self):
        self.check(
            "=== RUN   TestA\n=== RUN   TestA/x\n    a_test.go:7: no fixtures\n=== RUN   TestA/y\n    a_test.go:9: other\n"
            "--- PASS: TestA (0.00s)\n    --- SKIP: TestA/x (0.00s)\n    --- PASS: TestA/y (0.00s)\nok  \tp\t0.1s\n",
            1, 0, 1, "1 skipped: no fixtures")

    def test_the_same_name_in_two_packages(self):
        self.check("--- PASS: TestA (0.00s)\nok  \tp\t0.1s\n--- PASS: TestA (0.00s)\nok  \tq\t(cached)\n", 2, 0, 0, "")

    def test_packages_without_tests(self):
        self.check("?   \tp\t[no test files]\n--- PASS: TestA (0.00s)\nok  \tq\t0.1s\n", 1, 0, 0, "")

    def test_a_package_that_does_not_build(self):
        self.check("# p [p.test]\n./x_test.go:3:29: undefined: nope\nFAIL\tp [build failed]\nFAIL\n", 0, 1, 0, "failed: p")

    def test_a_panic_fails_the_test_that_ran(self):
        self.check("=== RUN   TestA\n--- FAIL: TestA (0.00s)\npanic: x\n\nFAIL\tp\t0.003s\nFAIL\n", 0, 1, 0, "failed: TestA")

    def test_a_failed_main(self):
        self.check("--- PASS: TestA (0.00s)\nFAIL\tp\t0.003s\nFAIL\n", 1, 1, 0, "failed: p")


class Line(unittest.TestCase):
    def test_last_line_counts(self):
        count = count_tests.count_line("1 passed, 0 failed, 0 skipped\nx\n5 passed, 1 failed, 2 skipped\n")
        self.assertEqual((count.passed, count.failed, count.skipped), (5, 1, 2))

    def test_reasons_are_counted(self):
        count = count_tests.count_line("skipped: late\nskipped: late\nskipped 5: far\n1 passed, 0 failed, 7 skipped\n")
        self.assertEqual(count.note(), "5 skipped: far; 2 skipped: late")

    def test_mutants_that_survived_are_named_once(self):
        count = count_tests.count_line("NOT CAUGHT a: x (y)\nnot tried: b c\nNOT CAUGHT a: x (y)\n0 passed, 1 failed, 2 skipped\n")
        self.assertEqual(count.note(), "failed: a")

    def test_no_line_is_a_failure(self):
        self.assertEqual(count_tests.count_line("killed").failed, 1)


if __name__ == "__main__":
    unittest.main()
