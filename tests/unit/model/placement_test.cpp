#include "dray/model/placement.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dray::placement_test {
namespace {

TEST_CASE("which claims a pod uses is compared with those that it was placed with") {
  struct Row {
    std::string name;
    std::vector<PodResourceClaimStatus> made;
    bool other;
  };
  const auto row = GENERATE(
      Row{"the same claim", {{.name = "gpus", .claim_name = "c0"}}, false},
      Row{"one made anew", {{.name = "gpus", .claim_name = "c0-again"}}, true},
      Row{"none yet", {}, true}, Row{"none needed", {{.name = "gpus", .claim_name = {}}}, false});
  DYNAMIC_SECTION(row.name) {
    PodResourceClaim named{.name = "disk", .claim_name = "d0", .template_name = {}};
    PodResourceClaim templated{.name = "gpus", .claim_name = {}, .template_name = "one"};
    Pod pod;
    pod.resource_claims = {named, templated};
    pod.resource_claim_statuses = row.made;
    ClaimPlacement disk;
    disk.claim = {"default", "d0"};
    ClaimPlacement gpus;
    gpus.claim = {"default", "c0"};
    Placement placement;
    placement.claims = {gpus, disk};
    CHECK(uses_other_claims(pod, placement) == row.other);
    placement.claims = {gpus};
    CHECK(uses_other_claims(pod, placement));
  }
}

}  // namespace
}  // namespace dray::placement_test
