#include "planner/state/kept.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dray::planner::kept_test {
namespace {

/// By its number's last digit.
std::size_t hash(int number) {
  return static_cast<std::size_t>(number % 10);
}

Kept<int>::Value find(const Kept<int>& kept, int number) {
  return kept.find(hash(number), [&](int each) { return each == number; });
}

Kept<int>::Value add(Kept<int>& kept, int number, std::size_t bytes = 1) {
  auto made = std::make_shared<const int>(number);
  kept.add(hash(number), bytes, made);
  return made;
}

TEST_CASE("a value is found by what it is, not by its hash alone") {
  Kept<int> kept(100);
  const auto three = add(kept, 3);
  const auto thirteen = add(kept, 13);
  CHECK(find(kept, 3) == three);
  CHECK(find(kept, 13) == thirteen);
  CHECK(find(kept, 23) == nullptr);
  CHECK(kept.size() == 2);
  kept.clear();
  CHECK(find(kept, 3) == nullptr);
  CHECK(*three == 3);
}

TEST_CASE("what nobody has any more stays as long as there is room") {
  Kept<int> kept(3);
  for (int i = 0; i < 3; ++i) static_cast<void>(add(kept, i));
  CHECK(find(kept, 0) != nullptr);
  static_cast<void>(add(kept, 3));
  CHECK(kept.size() == 3);
  CHECK(find(kept, 0) == nullptr);
  CHECK(find(kept, 1) != nullptr);
  CHECK(find(kept, 3) != nullptr);
}

TEST_CASE("what somebody has stays, and gives way later") {
  Kept<int> kept(2);
  auto first = add(kept, 0);
  for (int i = 1; i < 50; ++i) {
    static_cast<void>(add(kept, i));
    REQUIRE(find(kept, 0) == first);
    REQUIRE(kept.size() <= 2);
  }
  first = nullptr;
  for (int i = 50; i < 53; ++i) static_cast<void>(add(kept, i));
  CHECK(find(kept, 0) == nullptr);
  CHECK(kept.size() == 2);
}

TEST_CASE("of many that somebody has none is lost, and later a few go with each that comes") {
  Kept<int> kept(10);
  std::vector<Kept<int>::Value> had;
  for (int i = 0; i < 1'000; ++i) had.push_back(add(kept, i));
  CHECK(kept.size() == 1'000);
  for (int i = 0; i < 1'000; ++i) REQUIRE(find(kept, i) == had[static_cast<std::size_t>(i)]);
  had.clear();
  CHECK(kept.size() == 1'000);
  static_cast<void>(add(kept, 1'000));
  CHECK(kept.size() == 1'001 - 64);
  for (int i = 0; i < 100; ++i) static_cast<void>(add(kept, 2'000 + i));
  CHECK(kept.size() == 10);
}

TEST_CASE("one that holds on to much takes the room of many") {
  Kept<int> kept(100);
  for (int i = 0; i < 50; ++i) static_cast<void>(add(kept, i, 2));
  CHECK(kept.bytes() == 100);
  static_cast<void>(add(kept, 50, 60));
  CHECK(kept.bytes() == 100);
  CHECK(kept.size() == 21);
  CHECK(find(kept, 29) == nullptr);
  CHECK(find(kept, 30) != nullptr);
  kept.clear();
  CHECK(kept.bytes() == 0);
}

}  // namespace
}  // namespace dray::planner::kept_test
