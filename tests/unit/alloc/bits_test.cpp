#include "alloc/view/bits.h"

#include <catch2/catch.hpp>
#include <initializer_list>

namespace dray::bits_test {

using alloc::Bits;

namespace {

Bits of(std::initializer_list<std::size_t> set) {
  Bits made(130);
  for (const auto each : set) made.set(each);
  return made;
}

}  // namespace

TEST_CASE("a set of devices over several words") {
  auto bits = of({0, 63, 64, 129});
  CHECK(bits.count() == 4);
  CHECK(bits.test(63));
  CHECK(bits.test(64));
  CHECK_FALSE(bits.test(65));
  bits.reset(64);
  CHECK(bits == of({0, 63, 129}));
  CHECK_FALSE(bits.none());
  CHECK(of({}).none());
}

TEST_CASE("walking finds each member once, and then the end") {
  const auto bits = of({3, 63, 64, 129});
  std::vector<std::size_t> found;
  for (auto d = bits.next(0); d < bits.end(); d = bits.next(d + 1)) found.push_back(d);
  CHECK(found == std::vector<std::size_t>{3, 63, 64, 129});
  CHECK(bits.next(3) == 3);
  CHECK(bits.next(65) == 129);
  CHECK(bits.next(130) == bits.end());
  CHECK(of({}).next(0) == of({}).end());
}

TEST_CASE("sets are combined word by word") {
  auto both = of({1, 64, 100});
  both &= of({64, 100, 101});
  CHECK(both == of({64, 100}));
  auto either = of({1, 64});
  either |= of({64, 129});
  CHECK(either == of({1, 64, 129}));
  auto rest = of({1, 64, 129});
  rest -= of({64});
  CHECK(rest == of({1, 129}));
  CHECK(of({1, 64, 129}).count_common(of({64, 129, 2})) == 2);
}

TEST_CASE("everything before a place is cut, the place itself stays") {
  auto bits = of({0, 63, 64, 65, 129});
  bits.cut_before(64);
  CHECK(bits == of({64, 65, 129}));
  bits.cut_before(65);
  CHECK(bits == of({65, 129}));
  bits.cut_before(0);
  CHECK(bits == of({65, 129}));
}

}  // namespace dray::bits_test
