#include "net/line_cutter.h"

#include <catch2/catch.hpp>
#include <string_view>

namespace dray::net::line_cutter_test {
namespace {

using Lines = std::vector<std::string>;

/// All lines of a text that arrives in pieces of that length.
Lines cut(std::string_view text, std::size_t length) {
  LineCutter cutter;
  Lines all;
  std::string body;
  while (!text.empty()) {
    body += text.substr(0, length);
    text.remove_prefix(std::min(length, text.size()));
    for (auto& line : cutter.take(body, text.empty())) all.push_back(std::move(line));
  }
  CHECK(body.empty());
  return all;
}

TEST_CASE("lines are the same however they arrive") {
  const auto length = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{100});
  CAPTURE(length);
  CHECK(cut("a\nbc\n\ndef\n", length) == Lines{"a", "bc", "def"});
  CHECK(cut("a\nlast", length) == Lines{"a", "last"});
  CHECK(cut("\n\n", length).empty());
}

TEST_CASE("a line without an end waits for it") {
  LineCutter cutter;
  std::string body = "first\nsec";
  CHECK(cutter.take(body, false) == Lines{"first"});
  CHECK(body == "sec");
  CHECK(cutter.take(body, false).empty());
  body += "ond\n";
  CHECK(cutter.take(body, false) == Lines{"second"});
  CHECK(body.empty());
}

}  // namespace
}  // namespace dray::net::line_cutter_test
