#include "alloc/view/amount.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::amount_test {

namespace {

alloc::Amount amount(const char* text) {
  return alloc::amount_of(*Quantity::parse(text));
}
constexpr alloc::Amount one = 1'000'000'000;

}  // namespace

TEST_CASE("every quantity is a whole number of billionths") {
  CHECK(amount("1") == one);
  CHECK(amount("0") == 0);
  CHECK(amount("1500m") == one * 3 / 2);
  CHECK(amount("1n") == 1);
  CHECK(amount("-2500m") == -(one * 5 / 2));
  CHECK(amount("40Gi") == one * 40 * 1024 * 1024 * 1024);
  CHECK(amount("0.25") == one / 4);
}

TEST_CASE("what is beyond all bounds is cut, not wrapped") {
  CHECK(amount("1e30") > amount("1e18"));
  CHECK(amount("-1e30") < amount("-1e18"));
  CHECK(amount("1e40") == amount("1e30"));
}

TEST_CASE("amounts that differ only in their upper half are different keys") {
  std::vector<std::uint64_t> small;
  std::vector<std::uint64_t> large;
  alloc::append(small, 5);
  alloc::append(large, (static_cast<alloc::Amount>(1) << 64U) + 5);
  CHECK(small.size() == large.size());
  CHECK(small != large);
}

}  // namespace dray::amount_test
