#include "alloc/request/capacity.h"

#include <catch2/catch.hpp>

#include "alloc/view/amount.h"
#include "tests/objects/meta.h"

namespace dray::capacity_test {

using namespace dray::testing;

namespace {

DeviceCapacity ranged(const char* value, const char* min, const char* step) {
  DeviceCapacity capacity;
  capacity.value = quantity(value);
  capacity.request_policy = CapacityRequestPolicy{};
  capacity.request_policy->default_value = quantity(min);
  capacity.request_policy->valid_range = CapacityRange{quantity(min), {}, quantity(step)};
  return capacity;
}

}  // namespace

TEST_CASE("amounts are exact to a billionth and add without rounding") {
  CHECK(alloc::amount_of(quantity("1")) == 1'000'000'000);
  CHECK(alloc::amount_of(quantity("-1500m")) == -1'500'000'000);
  CHECK(alloc::amount_of(quantity("1n")) == 1);
  CHECK(alloc::amount_of(quantity("100m")) + alloc::amount_of(quantity("200m")) ==
        alloc::amount_of(quantity("300m")));
  CHECK(alloc::amount_of(quantity("1e40")) > alloc::amount_of(quantity("9223372036854775807")));
}

TEST_CASE("a request is rounded up to what the policy allows") {
  struct Row {
    const char* name;
    const char* asked;
    DeviceCapacity capacity;
    bool fractional;
    const char* want;
  };
  const auto row = GENERATE(Row{"below the minimum", "1", ranged("10", "2", "2"), true, "2"},
                            Row{"to the next step", "3", ranged("10", "2", "2"), true, "4"},
                            Row{"fractions", "250m", ranged("1", "200m", "100m"), true, "300m"},
                            Row{"fractions count as whole numbers where they are off", "1500m",
                                ranged("10", "1", "1"), false, "2"});
  DYNAMIC_SECTION(row.name) {
    const auto asked = quantity(row.asked);
    CHECK(alloc::consumed_capacity(&asked, row.capacity, row.fractional)->to_string() == row.want);
  }
}

TEST_CASE("of the valid values a request takes the first that is enough") {
  DeviceCapacity capacity;
  capacity.value = quantity("10");
  capacity.request_policy = CapacityRequestPolicy{};
  capacity.request_policy->valid_values = {quantity("2"), quantity("4"), quantity("8")};
  const auto taken = [&](const char* text) {
    const auto asked = quantity(text);
    return alloc::consumed_capacity(&asked, capacity, true)->to_string();
  };
  CHECK(taken("1") == "2");
  CHECK(taken("2") == "2");
  CHECK(taken("3") == "4");
  CHECK(taken("9") == "9");  // of none; no device will do
}

TEST_CASE("without a request the default counts, else all of it") {
  CHECK(alloc::consumed_capacity(nullptr, ranged("10", "2", "2"), true) == quantity("2"));
  DeviceCapacity plain;
  plain.value = quantity("10");
  CHECK(alloc::consumed_capacity(nullptr, plain, true) == quantity("10"));
}

TEST_CASE("a device that lacks the capacity is unsuitable, a negative one is an error") {
  cluster::DeviceTraits traits;
  traits.capacity["memory"].value = quantity("10");
  using Kind = alloc::CapacityPlan::Kind;
  CHECK(alloc::plan_capacity({{"cores", quantity("1")}}, traits, true).kind == Kind::unsuitable);
  CHECK(alloc::plan_capacity({{"memory", quantity("11")}}, traits, true).kind == Kind::unsuitable);
  CHECK(alloc::plan_capacity({{"memory", quantity("10")}}, traits, true).kind == Kind::fits);
  const auto negative = alloc::plan_capacity({{"memory", quantity("-1")}}, traits, true);
  CHECK(negative.kind == Kind::error);
  CHECK(negative.error == "capacity \"memory\": capacity value is negative");
}

}  // namespace dray::capacity_test
