#include "sim/trace.h"

#include <catch2/catch.hpp>

#include "tests/objects/meta.h"

namespace dray::sim::trace_test {

using namespace dray::testing;

TEST_CASE("a line tells when, what and of whom; the hash tells runs apart by all three") {
  Trace trace(at(0), true);
  trace.note(at(0.001), "bind", "default/p0");
  REQUIRE(trace.lines().size() == 1);
  CHECK(trace.lines()[0] == "        1000 bind       default/p0");
  const auto hash_of = [](Time now, const char* what, const char* details) {
    Trace other(at(0), false);
    other.note(now, what, details);
    CHECK(other.lines().empty());
    return other.hash();
  };
  CHECK(hash_of(at(0.001), "bind", "default/p0") == trace.hash());
  CHECK(hash_of(at(0.002), "bind", "default/p0") != trace.hash());
  CHECK(hash_of(at(0.001), "filter", "default/p0") != trace.hash());
  CHECK(hash_of(at(0.001), "bind", "default/p1") != trace.hash());
  CHECK(Trace(at(0), false).hash() != trace.hash());
}

}  // namespace dray::sim::trace_test
