#include "alloc/report/warnings.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::warnings_test {

using namespace dray::testing;
using Texts = std::vector<std::string>;

namespace {

Texts warnings(const std::vector<ResourceSlice>& slices, std::vector<ResourceClaim> claims) {
  cluster::ClusterState cluster;
  put(cluster, make_node("n1"));
  put(cluster, make_class("any"));
  for (const auto& each : slices) put(cluster, each);
  Prepared made(cluster, std::move(claims));
  const auto found = made.search();
  REQUIRE(found.kind == alloc::Found::Kind::found);
  return alloc::warnings(made.view, made.prepared, made.tables, made.memory.attributes,
                         found.picks);
}

}  // namespace

TEST_CASE("two shares of one card in one claim: the driver keeps only one limit") {
  const auto one = make_slice("n1", {shareable("card", "4Gi")}, "hami-core-gpu.project-hami.io");
  const Texts warned{"both shares are on one card; the driver keeps only the last limit (card)"};
  CHECK(warnings({one}, {make_claim("c", {request("r", share("1Gi")),
                                          request("s", share("1Gi"))})}) == warned);
  CHECK(warnings({one}, {make_claim("c", {request("r", share("1Gi"))}),
                         make_claim("d", {request("s", share("1Gi"))})})
            .empty());
  const auto of_another = make_slice("n1", {shareable("card", "4Gi")});
  CHECK(warnings({of_another},
                 {make_claim("c", {request("r", share("1Gi")), request("s", share("1Gi"))})})
            .empty());
}

TEST_CASE("part of a TPU host") {
  const auto host = make_slice("n1", {device("0"), device("1")}, "tpu.google.com");
  CHECK(warnings({host}, {make_claim("c", {request("r", exactly(1))})}) ==
        Texts{"libtpu needs all chips of the host: 1 of 2 are taken"});
  CHECK(warnings({host}, {make_claim("c", {request("r", exactly(2))})}).empty());
  CHECK(warnings({make_slice("n1", {device("0"), device("1")})},
                 {make_claim("c", {request("r", exactly(1))})})
            .empty());
}

TEST_CASE("what constraints warn of is said once") {
  const auto unknown = make_slice(
      "n1", {device("0", {{"numa", std::int64_t{-1}}}), device("1", {{"numa", std::int64_t{-1}}})});
  auto asked = make_claim("c", {request("r", exactly(2))});
  asked.spec.constraints = {match("gpu.example.com/numa")};
  CHECK(warnings({unknown}, {asked}) ==
        Texts{"false NUMA alignment: -1 means unknown (gpu.example.com/numa)"});
  asked.spec.requests[0].exactly->count = 1;
  asked.spec.constraints = {distinct("gpu.example.com/numa")};
  CHECK(warnings({unknown}, {asked}).empty());
}

}  // namespace dray::warnings_test
