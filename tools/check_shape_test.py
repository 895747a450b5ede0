"""Tests of check_shape.py: python3 -m unittest discover -s tools -p '*_test.py'"""

import unittest

import check_shape

LONG = "  x();\n" * 59


def problems(path, text):
    return list(check_shape.problems_in(path, text))


class Functions(unittest.TestCase):
    def test_sixty_lines_are_allowed_and_one_more_is_not(self):
        for path, head, name in (
            ("a.cpp", "int f(int a,\n      int b) {\n", "f"),
            ("a.cpp", "Result<Many<X>> Owner::step(const A& a) const {\n", "Owner::step"),
            ("a.cpp", 'TEST_CASE("one thing holds") {\n', "one thing holds"),
            ("a.go", "func (w *World) run(t *testing.T) {\n", "run"),
            ("a.js", "export async function draw(a) {\n", "draw"),
            ("a.sh", "stage() {\n", "stage"),
        ):
            with self.subTest(head):
                first = head.count("\n") - 1
                short = "  x();\n" * (58 - first)
                self.assertEqual(problems(path, head + short + "}\n"), [])
                found = problems(path, head + short + "  x();\n}\n")
                if path == "a.go":
                    self.assertEqual(len(found), 1)
                else:
                    self.assertEqual(found, [f"{path}:1: {name} has 61 lines, at most 60"])

    def test_members_of_classes_and_python(self):
        self.assertEqual(problems("a.h", "class A {\n  void f() {\n" + "    x();\n" * 60 + "  }\n};\n"),
                         ["a.h:2: f has 62 lines, at most 60"])
        self.assertEqual(problems("a.py", "def f():\n" + "    x()\n" * 60 + "\n\nx = 1\n"),
                         ["a.py:1: f has 61 lines, at most 60"])

    def test_data_is_no_function(self):
        for head, end in (("namespace {\n", "}  // namespace\n"), ("constexpr Row rows[] = {\n", "};\n"),
                          ("enum class A {\n", "};\n"), ("  const auto row = GENERATE(\n      Row{\n", "      });\n")):
            with self.subTest(head):
                self.assertEqual(problems("a.cpp", head + LONG * 2 + end), [])


class Classes(unittest.TestCase):
    def members(self, count):
        return "".join(f"  std::map<int, Row> member{n}_ = {{}};  ///< of that\n" for n in range(count))

    def test_fifteen_members(self):
        def of(count):
            return problems("a.h", "class A {\n public:\n  void step();\n\n private:\n" + self.members(count) + "};\n")
        self.assertEqual(of(15), [])
        self.assertEqual(of(16), ["a.h:1: A has 16 data members, at most 15"])

    def test_functions_and_types_are_no_members(self):
        text = "  int f(int a) const;\n  void g();\n  using X = int;\n  struct Y;\n  static int z;\n"
        self.assertEqual(problems("a.h", "class A {\n private:\n" + self.members(15) + text + "};\n"), [])

    def test_a_struct_of_values_may_have_more(self):
        text = "  bool operator==(const A&) const = default;\n  [[nodiscard]] bool empty() const { return true; }\n"
        self.assertEqual(problems("a.h", "struct A {\n" + self.members(40) + text + "};\n"), [])
        self.assertEqual(len(problems("a.h", "struct A {\n" + self.members(40) + "  void step();\n};\n")), 1)


class Files(unittest.TestCase):
    def test_four_hundred_lines(self):
        self.assertEqual(problems("a.h", "int a;\n" * 400), [])
        self.assertEqual(problems("a.h", "int a;\n" * 401), ["a.h: 401 lines, at most 400"])


if __name__ == "__main__":
    unittest.main()
