#include "dray/policy/resource.h"

#include <catch2/catch.hpp>

#include "dray/policy/amounts.h"

namespace dray::policy::resource_test {

TEST_CASE("amounts are shown in the units that people read") {
  struct Row {
    double amount;
    ResourceUnit unit;
    std::string want;
  };
  const auto row = GENERATE(values<Row>({
      {1100, ResourceUnit::millicores, "1.1"},
      {2e6, ResourceUnit::millicores, "2000"},
      {200e9, ResourceUnit::bytes, "200"},
      {1.5e9, ResourceUnit::bytes, "1.5"},
      {100, ResourceUnit::devices, "100"},
      {0, ResourceUnit::devices, "0"},
      {0.12345, ResourceUnit::devices, "0.123"},
      {0.9999999, ResourceUnit::devices, "1"},
      {-1.25, ResourceUnit::devices, "-1.25"},
      {unlimited, ResourceUnit::bytes, "Unlimited"},
  }));
  DYNAMIC_SECTION(row.want) {
    CHECK(humanize(row.amount, row.unit) == row.want);
  }
}

TEST_CASE("resources have names for people") {
  CHECK(display_name({"gpu", ResourceUnit::devices}) == "GPUs");
  CHECK(display_unit({"gpu", ResourceUnit::devices}) == "GPUs");
  CHECK(display_name({"nic", ResourceUnit::devices}) == "nic");
  CHECK(display_unit({"nic", ResourceUnit::devices}) == "nic");
  CHECK(display_name({"cpu", ResourceUnit::millicores}) == "CPU cores");
  CHECK(display_unit({"cpu", ResourceUnit::millicores}) == "cores");
  CHECK(display_name({"memory", ResourceUnit::bytes}) == "memory");
  CHECK(display_unit({"memory", ResourceUnit::bytes}) == "GB");
}

TEST_CASE("a resource is found by its name") {
  const ResourceTable table{{"cpu", ResourceUnit::millicores}, {"gpu", ResourceUnit::devices}};
  CHECK(find_resource(table, "gpu") == 1);
  CHECK(find_resource(table, "gpus") == std::nullopt);
}

}  // namespace dray::policy::resource_test
