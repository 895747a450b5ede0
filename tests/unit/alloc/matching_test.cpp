#include "alloc/search/matching.h"

#include <catch2/catch.hpp>

namespace dray::matching_test {

using alloc::Bits;
using alloc::DevicesWanted;

namespace {

DevicesWanted wants(std::int64_t units, std::initializer_list<std::size_t> devices) {
  DevicesWanted made{.devices = Bits(4), .units = units};
  for (const auto each : devices) made.devices.set(each);
  return made;
}

}  // namespace

TEST_CASE("each unit gets a device of its own, by paths where it has to") {
  struct Row {
    const char* name;
    std::vector<DevicesWanted> wanted;
    bool want;
  };
  const auto row = GENERATE(
      Row{"nobody wants anything", {}, true}, Row{"enough", {wants(2, {0, 1})}, true},
      Row{"one too few", {wants(3, {0, 1})}, false},
      Row{"two share what is enough for one", {wants(1, {0}), wants(1, {0})}, false},
      Row{"the first has to make room", {wants(1, {0, 1}), wants(1, {0})}, true},
      Row{"the second of those in the way makes room",
          {wants(1, {0}), wants(1, {1, 2}), wants(1, {0, 1})},
          true},
      Row{"a chain of moves",
          {wants(1, {0, 1}), wants(1, {1, 2}), wants(1, {2, 3}), wants(1, {0})},
          true},
      Row{"three within two", {wants(1, {0, 1}), wants(1, {0, 1}), wants(1, {0, 1})}, false},
      Row{"many units against a small set", {wants(3, {0, 1, 2, 3}), wants(1, {3})}, true},
      Row{"one unit over", {wants(3, {0, 1, 2, 3}), wants(2, {2, 3})}, false});
  DYNAMIC_SECTION(row.name) {
    CHECK(all_can_have_their_own(row.wanted, 4) == row.want);
  }
}

}  // namespace dray::matching_test
