#include "service/write_line.h"

#include <catch2/catch.hpp>

namespace dray::service::write_line_test {
namespace {

TEST_CASE("a write that is denied is told of at any verbosity, others to who asks") {
  const engine::Write read = engine::ReadPod{{"default", "p"}};
  const auto line = [&](ErrorCode code) { return line_of(read, fail(code, "403 no right")); };
  CHECK(line(ErrorCode::denied) ==
        LogLine{true, 0, "ReadPod default/p: the API server denies it: 403 no right"});
  CHECK(line(ErrorCode::conflict) == LogLine{false, 2, "ReadPod default/p: 403 no right"});
  CHECK(line_of(read, {}) == LogLine{false, 4, "ReadPod default/p: done"});
}

}  // namespace
}  // namespace dray::service::write_line_test
