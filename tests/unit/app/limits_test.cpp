#include "app/serve/limits.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/unit/wire/written_file.h"

namespace dray::app::limits_test {
namespace {

using Catch::Contains;
using namespace std::chrono_literals;

Result<LimitedParts> parts(std::vector<std::string> given) {
  return limited_parts(given);
}

const Limit& limit(std::string_view name) {
  const auto all = all_limits();
  const auto found = std::ranges::find(all, name, &Limit::name);
  REQUIRE(found != all.end());
  return *found;
}

/// A document's `64 MiB`, `2,048` or `10 min` as --limit takes it.
std::string as_given(std::string text) {
  std::erase(text, ',');
  for (const auto& [written, unit] :
       std::vector<std::pair<std::string, std::string>>{{" GiB", "Gi"},
                                                        {" MiB", "Mi"},
                                                        {" KiB", "Ki"},
                                                        {" ms", "ms"},
                                                        {" s", "s"},
                                                        {" min", "m"},
                                                        {" days", "d"}}) {
    if (text.ends_with(written)) return text.substr(0, text.size() - written.size()) + unit;
  }
  return text;
}

struct DocumentRow {
  std::string standing;
  std::string changed_by;
};

/// The rows of docs/limits.md that name a limit.
std::vector<DocumentRow> document_rows() {
  std::vector<DocumentRow> rows;
  std::istringstream text(wire::written_file("docs/limits.md", ""));
  const std::regex row(R"(^\|[^|]*\|[^|]*\| ([^|]*) \| `([a-z]+\.[A-Za-z]+)` \|[^|]*\|$)");
  for (std::string line; std::getline(text, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, row)) rows.push_back({parts[1], parts[2]});
  }
  return rows;
}

}  // namespace

TEST_CASE("docs/limits.md has each limit with its default, and no other") {
  std::set<std::string> documented;
  for (const auto& row : document_rows()) {
    CAPTURE(row.changed_by, row.standing);
    const auto all = all_limits();
    const auto found = std::ranges::find(all, row.changed_by, &Limit::name);
    REQUIRE(found != all.end());
    // Of a range, the upper end: `8 to 128`.
    const auto to = row.standing.rfind(" to ");
    const auto standing = to == std::string::npos ? row.standing : row.standing.substr(to + 4);
    CHECK(parse_limit(found->unit, as_given(standing)) == found->standard());
    documented.insert(row.changed_by);
  }
  for (const auto& each : all_limits()) {
    CAPTURE(each.name);
    CHECK(documented.contains(std::string(each.name)));
  }
}

TEST_CASE("every limit has a range with its default in it, and members that agree") {
  std::set<std::string_view> names;
  for (const auto& each : all_limits()) {
    CAPTURE(each.name);
    CHECK(names.insert(each.name).second);
    CHECK_FALSE(each.what.empty());
    CHECK(each.least <= each.standard());
    CHECK(each.standard() <= each.most);
    // What is printed can be given.
    for (const auto value : {each.least, each.standard(), each.most}) {
      CHECK(parse_limit(each.unit, limit_text(each.unit, value)) == value);
    }
    // Both ends arrive at every member, and at no member of another limit.
    for (const auto value : {each.least, each.most}) {
      auto set = parts({std::string(each.name) + "=" + limit_text(each.unit, value)});
      REQUIRE(set);
      for (const auto& other : all_limits()) {
        for (const auto& member : other.members(*set)) {
          const auto now = std::visit(
              [](const auto* at) -> std::int64_t {
                if constexpr (requires { at->count(); }) {
                  return std::chrono::duration_cast<std::chrono::milliseconds>(*at).count();
                } else {
                  return static_cast<std::int64_t>(*at);
                }
              },
              member);
          CHECK(now == (&other == &each ? value : other.standard()));
        }
      }
    }
  }
}

TEST_CASE("sizes and times are written as everywhere in Kubernetes") {
  CHECK(parse_limit(LimitUnit::bytes, "65536") == 65536);
  CHECK(parse_limit(LimitUnit::bytes, "64Ki") == 65536);
  CHECK(parse_limit(LimitUnit::bytes, "3Gi") == std::int64_t{3} << 30);
  CHECK(parse_limit(LimitUnit::time, "1m30s") == 90'000);
  CHECK(parse_limit(LimitUnit::count, "12") == 12);
  for (const auto* text :
       {"", "-1", "1.5", "Ki", "9223372036854775807Ki", "0x10", "1 Mi", "1Mi "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_limit(LimitUnit::bytes, text));
    CHECK_FALSE(parse_limit(LimitUnit::count, text));
    CHECK_FALSE(parse_limit(LimitUnit::time, text));
  }
  CHECK(limit_text(LimitUnit::bytes, 65536) == "64Ki");
  CHECK(limit_text(LimitUnit::bytes, 1000) == "1000");
  CHECK(limit_text(LimitUnit::time, 90'000) == "90s");
  CHECK(limit("extender.body").standard() == std::int64_t{64} << 20);
}

TEST_CASE("what is wrong with a limit is told with what would be right") {
  struct Row {
    const char* name;
    std::vector<std::string> given;
    const char* want;
  };
  const auto row = GENERATE(
      Row{"no value", {"extender.body"}, "--limit extender.body: write NAME=VALUE, as"},
      Row{"a name that is not there",
          {"extender.bodi=3"},
          "there is no limit \"extender.bodi\"; did you mean extender.body?"},
      Row{"no size", {"extender.body=much"}, "expected a number of bytes, as 65536, 64Ki or 32Mi"},
      Row{"no time", {"port.headerTime=5"}, "expected a time, as 500ms, 90s or 10m"},
      Row{"no number", {"api.requests=1Ki"}, "expected a whole number"},
      Row{"too small", {"extender.body=1"}, "--limit extender.body=1: expected 64Ki to 2Gi"},
      Row{"too large", {"api.requests=5000"}, "expected 8 to 4096"},
      Row{"twice",
          {"api.requests=64", "api.requests=65"},
          "--limit api.requests=65: is given twice"});
  DYNAMIC_SECTION(row.name) {
    const auto made = parts(row.given);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::invalid);
    CHECK_THAT(made.error().message, Contains(row.want));
  }
}

}  // namespace dray::app::limits_test
