#include "dray/model/kind_names.h"

#include <catch2/catch.hpp>
#include <set>

namespace dray::kind_names_test {

TEST_CASE("no two kinds are called the same, where people and metrics tell them apart") {
  std::set<std::string> plurals;
  std::set<std::string> names;
  for (const auto& info : kind_table) {
    CHECK(plurals.insert(unique_plural(info)).second);
    CHECK(names.insert(unique_name(info)).second);
  }
  CHECK(unique_plural(kind_info(Kind::node)) == "nodes");
  CHECK(unique_plural(kind_info(Kind::coscheduling_group)) == "podgroups.scheduling.x-k8s.io");
  CHECK(unique_name(kind_info(Kind::resource_claim)) == "ResourceClaim");
  CHECK(unique_name(kind_info(Kind::volcano_group)) == "PodGroup.scheduling.volcano.sh");
}

}  // namespace dray::kind_names_test
