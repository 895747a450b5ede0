#include "service/log.h"

#include <catch2/catch.hpp>

namespace dray::service::log_test {
namespace {

constexpr std::int64_t moment = 1'795'259'732'123'456;  // 2026-11-21 11:15:32.123456 UTC

TEST_CASE("a text line is klog's") {
  CHECK(format_log_line(LogFormat::text, 'I', 2, "watch: synced", moment, 4711) ==
        "I1121 11:15:32.123456 4711 dray] watch: synced");
}

TEST_CASE("a text line cannot be made to look like two") {
  struct Row {
    std::string_view name, message, shown;
  };
  const auto row =
      GENERATE(Row{"a new line", "pod a/b: x\nE1121 11:15:33.000000 1 dray] forged",
                   "pod a/b: x\\u000aE1121 11:15:33.000000 1 dray] forged"},
               Row{"a carriage return", "x\ry", "x\\u000dy"},
               Row{"an escape sequence of a terminal", "\x1b[2Jx", "\\u001b[2Jx"},
               Row{"DEL", "x\x7f", "x\\u007f"},
               Row{"C1 control characters",
                   "\xc2\x9b"
                   "2Jx",
                   "\\u009b2Jx"},
               Row{"Unicode's line separator", "x\xe2\x80\xa8y", "x\\u2028y"},
               Row{"text that is not ASCII stays", "Gr\xc3\xbc\xc3\x9f", "Gr\xc3\xbc\xc3\x9f"},
               Row{"a sequence that is cut off", "x\xe2\x80", "x\xe2\x80"});
  DYNAMIC_SECTION(row.name) {
    CHECK(format_log_line(LogFormat::text, 'I', 2, row.message, moment, 4711) ==
          "I1121 11:15:32.123456 4711 dray] " + std::string(row.shown));
  }
}

TEST_CASE("a JSON line escapes what it must") {
  CHECK(format_log_line(LogFormat::json, 'W', 0, "say \"no\"\n", moment, 4711) ==
        R"({"ts":"2026-11-21T11:15:32.123456Z","level":"warning","v":0,"msg":"say \"no\"\u000a"})");
}

TEST_CASE("what a line is about stands beside the message, and in text within it") {
  const LogFields fields{{"pod", "a/p"}, {"node", "n\""}};
  CHECK(
      format_log_line(LogFormat::json, 'I', 2, "bound", moment, 4711, fields) ==
      R"({"ts":"2026-11-21T11:15:32.123456Z","level":"info","v":2,"msg":"bound","pod":"a/p","node":"n\""})");
  CHECK(format_log_line(LogFormat::text, 'I', 2, "bound", moment, 4711, fields) ==
        "I1121 11:15:32.123456 4711 dray] bound");
}

TEST_CASE("verbosity says what is shown") {
  set_up_logging(LogFormat::text, 2);
  CHECK(logs(0));
  CHECK(logs(2));
  CHECK_FALSE(logs(3));
}

}  // namespace
}  // namespace dray::service::log_test
