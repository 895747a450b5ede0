#include "dray/base/aged_map.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace dray::aged_map_test {

TEST_CASE("entries go in the order in which they came, whatever their keys") {
  AgedMap<std::string, int> map;
  int number = 0;
  for (const auto* key : {"c", "a", "b"}) {
    auto [value, made] = map.obtain(key);
    CHECK(made);
    value = ++number;
  }
  const auto [again, made] = map.obtain("c");
  CHECK_FALSE(made);
  CHECK(again == 1);
  CHECK(map.size() == 3);
  CHECK(map.oldest().first == "c");
  map.erase_oldest();
  CHECK(map.find("c") == nullptr);
  REQUIRE(map.find("a") != nullptr);
  CHECK(*map.find("a") == 2);
  // What comes again is the newest.
  CHECK(map.obtain("c").second);
  map.erase_oldest();
  auto moved = std::move(map);
  CHECK(moved.oldest().first == "b");
  moved.erase_oldest();
  CHECK(moved.oldest().first == "c");
  moved.clear();
  CHECK(moved.size() == 0);
  CHECK(moved.find("c") == nullptr);
}

}  // namespace dray::aged_map_test
