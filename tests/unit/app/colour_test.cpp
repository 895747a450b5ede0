#include "app/common/colour.h"

#include <catch2/catch.hpp>

namespace dray::app::colour_test {

TEST_CASE("a text has its colour, and ends it") {
  CHECK(paint("ok", Paint::good, true) == "\x1b[32mok\x1b[0m");
  CHECK(paint("no", Paint::bad, true) == "\x1b[31mno\x1b[0m");
  CHECK(paint("hm", Paint::warn, true) == "\x1b[33mhm\x1b[0m");
  CHECK(paint("ok", Paint::good, false) == "ok");
}

}  // namespace dray::app::colour_test
