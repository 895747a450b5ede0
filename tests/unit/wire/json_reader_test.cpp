#include "wire/json/json_reader.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::wire::json_reader_test {
namespace {

/// Reads `json` with `f` and returns the problem, if any.
template <class F>
std::string problem_of(std::string_view json, F&& f) {
  Document document(json);
  document.visit(f);
  return document.problem() ? document.problem()->to_error().message : "";
}

TEST_CASE("paths are written as Kubernetes writes them") {
  CHECK(to_string(Path{{"spec"}, {"devices"}, {"", 3}, {"capacity"}, {"a.b/c"}, {"value"}}) ==
        "spec.devices[3].capacity[a.b/c].value");
  CHECK(to_string(Path{}).empty());
}

TEST_CASE("the first problem is kept with its path, and nothing is read after it") {
  std::vector<std::string> seen;
  const auto problem = problem_of(R"({"a":["x",1,"y"],"b":"z"})", [&](const Reader& root) {
    root.members([&](const Reader& member) {
      if (member.key() == "a") {
        member.items([&](const Reader& item) { seen.push_back(item.string()); });
      } else {
        seen.push_back(member.string());
      }
    });
  });
  CHECK(problem == "a[1]: expected a string, not a number");
  CHECK(seen == std::vector<std::string>{"x", ""});
}

TEST_CASE("wrong types and ranges") {
  struct Row {
    std::string json;
    std::string want;
  };
  const auto row = GENERATE(
      Row{R"({"i":1.5})", "i: expected an integer within its range"},
      Row{R"({"i":9223372036854775808})", "i: expected an integer within its range"},
      Row{R"({"i":123456789012345678901234567890})", "i: expected an integer within its range"},
      Row{R"({"i":true})", "i: expected an integer, not a boolean"},
      Row{R"({"b":"true"})", "b: expected a boolean, not a string"},
      Row{R"({"s":{}})", "s: expected a string, not an object"},
      Row{R"({"t":"x"})", "t: not an RFC 3339 time: \"x\""},
      Row{R"({"q":[]})", "q: expected a quantity, not a list"},
      Row{R"({"q":"1e2147483648"})", "q: quantities of 10^10000 and more are not supported"},
      Row{R"({"i":-9223372036854775808,"q":1e3,"b":false,"s":"\u00e9","t":"2026-01-02T03:04:05Z"})",
          ""},
      Row{R"({"i":null,"q":null,"b":null,"s":null,"t":null})", ""},
      Row{R"({"x":{"deep":[1,{"y":123456789012345678901234567890}],"bad":"\ud800"}})", ""});
  DYNAMIC_SECTION(row.json) {
    CHECK(problem_of(row.json, [](const Reader& root) {
            root.fields([](auto& io) {
              std::int64_t i = 0;
              Quantity q;
              bool b = false;
              std::string s;
              Time t;
              io.field("i", i);
              io.field("q", q);
              io.field("b", b);
              io.field("s", s);
              io.field("t", t);
            });
          }) == row.want);
  }
}

TEST_CASE("null reads as the zero value in lists too") {
  std::vector<std::string> strings;
  CHECK(problem_of(R"([null,"a"])", [&](const Reader& root) { read(root, strings); }).empty());
  CHECK(strings == std::vector<std::string>{"", "a"});
}

TEST_CASE("a repeated key counts by its last value") {
  std::vector<std::int64_t> numbers;
  CHECK(problem_of(R"({"a":[1,2],"a":[3]})", [&](const Reader& root) {
          root.fields([&](auto& io) { io.field("a", numbers); });
        }).empty());
  CHECK(numbers == std::vector<std::int64_t>{3});
}

TEST_CASE("raw text is kept to the byte") {
  struct Row {
    std::string value;
  };
  const auto row =
      GENERATE(Row{"{ \"a\" : 1.50 }"}, Row{"[1, 2]"}, Row{"1e400"}, Row{"\"\\ud800\""},
               Row{"123456789012345678901234567890"}, Row{"true"}, Row{"{}"});
  DYNAMIC_SECTION(row.value) {
    std::string raw;
    CHECK(problem_of("{\"x\": " + row.value + " , \"y\":1}", [&](const Reader& root) {
            root.fields([&](auto& io) { io.raw("x", raw); });
          }).empty());
    CHECK(raw == row.value);
  }
}

TEST_CASE("very deep values are skipped") {
  const std::string deep = std::string(20'000, '[') + std::string(20'000, ']');
  std::string name;
  CHECK(problem_of(R"({"deep":)" + deep + R"(,"name":"n"})", [&](const Reader& root) {
          root.fields([&](auto& io) { io.field("name", name); });
        }).empty());
  CHECK(name == "n");
}

TEST_CASE("an object without members may be peeked at, and is left, like others") {
  Document document(R"({"a":[{},{"k":"x"},{}],"b":{},"c":1})");
  std::string seen;
  document.visit([&](const Reader& root) {
    root.members([&](const Reader& member) {
      const auto look = [&](const Reader& object) {
        seen += "<" + object.peek("k") + object.peek("other") + ">";
        object.members([&](const Reader& inner) { seen += inner.key(); });
      };
      if (member.key() == "a") member.items(look);
      if (member.key() == "b") look(member);
      if (member.key() == "c") seen += std::to_string(member.integer());
    });
  });
  CHECK_FALSE(document.problem());
  CHECK(seen == "<><x>k<><>1");
  Document empty("{}");
  empty.visit([&](const Reader& root) {
    CHECK(root.peek("k").empty());
    CHECK(root.peek("k").empty());
    root.members([](const Reader& member) { FAIL(member.key()); });
  });
  CHECK_FALSE(empty.problem());
}

TEST_CASE("peek leaves the members to be read") {
  std::string kind;
  int members = 0;
  CHECK(problem_of(R"({"b":{"kind":"no"},"kind":"Pod","c":[1]})", [&](const Reader& root) {
          kind = root.peek("kind");
          CHECK(root.peek("absent").empty());
          root.members([&](const Reader&) { ++members; });
        }).empty());
  CHECK(kind == "Pod");
  CHECK(members == 3);
}

TEST_CASE("broken texts are refused") {
  const auto json = GENERATE(as<std::string>(), "", "  ", "{", "{\"a\"", "{\"a\":", "{\"a\":1",
                             "{\"a\":1,", "[1,", "[1 2]", "{\"a\" 1}", "{a:1}", "5", "\"x\"");
  DYNAMIC_SECTION(json) {
    CHECK_FALSE(problem_of(json, [&](const Reader& root) {
                  if (json.starts_with('[')) {
                    root.items([](const Reader&) {});
                  } else {
                    root.members([](const Reader&) {});
                  }
                }).empty());
  }
}

TEST_CASE("bytes that are no UTF-8 are replaced") {
  std::string text;
  CHECK(problem_of("{\"a\":\"x\xff\"}", [&](const Reader& root) {
          root.fields([&](auto& io) { io.field("a", text); });
        }).empty());
  CHECK(text == "x\xef\xbf\xbd");
}

}  // namespace
}  // namespace dray::wire::json_reader_test
