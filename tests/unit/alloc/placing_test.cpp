#include "alloc/search/placing.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/unit/alloc/prepared.h"

namespace dray::placing_test {

using namespace dray::testing;
using alloc::Pick;
using Outcome = alloc::Placing::Outcome;

namespace {

struct Node1 {
  cluster::ClusterState cluster;

  Node1() {
    put(cluster, make_node("n1"));
    put(cluster, make_class("any"));
  }
};

std::vector<std::uint64_t> sign(const alloc::Placing& placing,
                                const std::vector<std::uint32_t>& kinds) {
  std::vector<std::uint64_t> key;
  placing.sign(kinds, key);
  return key;
}

DeviceRequestSpec admin() {
  auto made = exactly(1);
  made.admin_access = true;
  return made;
}

}  // namespace

TEST_CASE("a device goes to one claim, with admin access to each claim once") {
  Node1 one;
  put(one.cluster, make_slice("n1", {device("0"), device("1")}));
  Prepared made(one.cluster,
                {make_claim("a", {request("r", exactly(1))}),
                 make_claim("b", {request("r", exactly(1)), request("admin", admin())})});
  auto& placing = made.placing;
  CHECK(placing.place({0, 0}) == Outcome::placed);
  CHECK(placing.place({1, 0}) == Outcome::rejected);
  CHECK(placing.place({2, 0}) == Outcome::placed);
  CHECK(placing.place({2, 0}) == Outcome::rejected);
  CHECK(placing.holders(0) == 0b11U);
  CHECK(placing.picks() == std::vector<Pick>{{0, 0}, {2, 0}});
  CHECK(placing.picks_of(0) == 1);
  placing.undo();
  CHECK(placing.holders(0) == 0b1U);
  CHECK(placing.picks_of(1) == 0);
  placing.undo();
  CHECK(placing.place({1, 0}) == Outcome::placed);
}

TEST_CASE("undo of a second hold by one claim leaves the first") {
  Node1 one;
  put(one.cluster, make_slice("n1", {device("0")}));
  Prepared made(one.cluster,
                {make_claim("a", {request("admin", admin()), request("r", exactly(1))})});
  auto& placing = made.placing;
  CHECK(placing.place({0, 0}) == Outcome::placed);
  CHECK(placing.place({0, 0}) == Outcome::rejected);
  placing.undo();
  CHECK(placing.holders(0) == 0);
  CHECK(placing.place({1, 0}) == Outcome::placed);
}

TEST_CASE("partitions share the counters of their card, and undo gives them back") {
  Node1 one;
  put_card(one.cluster, "4Gi",
           {partition("0", "3Gi"), partition("1", "2Gi"), partition("2", "1Gi")});
  Prepared made(one.cluster, {make_claim("a", {request("r", exactly(1))}),
                              make_claim("b", {request("r", exactly(1))})});
  auto& placing = made.placing;
  const auto full = placing.counter(0);
  CHECK(placing.place({0, 0}) == Outcome::placed);
  CHECK(placing.place({1, 1}) == Outcome::rejected);
  CHECK(placing.counter(0) == alloc::amount_of(quantity("1Gi")));
  CHECK(placing.place({1, 2}) == Outcome::placed);
  CHECK(placing.counter(0) == 0);
  placing.undo();
  placing.undo();
  CHECK(placing.counter(0) == full);
  CHECK(placing.place({1, 1}) == Outcome::placed);
}

TEST_CASE("shares of one device add up, on top of what others hold") {
  Node1 one;
  put(one.cluster, make_slice("n1", {shareable("gpu", "4Gi")}));
  auto held = make_claim("held", {});
  held.allocation = allocation({device_id("n1", "gpu")});
  held.allocation->devices[0].share_id = "s";
  held.allocation->devices[0].consumed_capacity = {{"memory", quantity("1Gi")}};
  put(one.cluster, held);
  Prepared made(one.cluster,
                {make_claim("a", {request("one", share("1Gi")), request("two", share("2Gi"))})});
  auto& placing = made.placing;
  CHECK(placing.fullness(0) == 250);
  CHECK(placing.place({1, 0}) == Outcome::placed);
  CHECK(placing.fullness(0) == 750);
  CHECK(placing.place({1, 0}) == Outcome::rejected);
  CHECK(placing.place({0, 0}) == Outcome::placed);
  CHECK(placing.shares(0) == 2);
  CHECK(placing.place({0, 0}) == Outcome::rejected);
  placing.undo();
  placing.undo();
  CHECK(placing.shares(0) == 0);
  CHECK(placing.fullness(0) == 250);
  CHECK(placing.place({0, 0}) == Outcome::placed);
}

TEST_CASE("a constraint that refuses leaves nothing behind") {
  Node1 one;
  put(one.cluster,
      make_slice("n1", {device("0", {{"x", std::string("a")}, {"y", std::string("1")}}),
                        device("1", {{"x", std::string("a")}, {"y", std::string("1")}}),
                        device("2", {{"x", std::string("a")}, {"y", std::string("2")}})}));
  auto asked = make_claim("c", {request("r", exactly(2))});
  asked.spec.constraints = {match("gpu.example.com/x"), distinct("gpu.example.com/y")};
  Prepared made(one.cluster, {asked});
  auto& placing = made.placing;
  CHECK(placing.place({0, 0}) == Outcome::placed);
  CHECK(placing.place({0, 1}) == Outcome::constraint);
  CHECK(placing.failed_constraint() == 1);
  CHECK(placing.chosen(0, 0).size() == 1);
  CHECK(placing.chosen(0, 1).size() == 1);
  CHECK(placing.holders(1) == 0);
  CHECK(placing.place({0, 2}) == Outcome::placed);
  placing.undo();
  placing.undo();
  CHECK(placing.chosen(0, 0).empty());
  CHECK(placing.place({0, 1}) == Outcome::placed);
}

TEST_CASE("equal signatures only for states with equal futures") {
  Node1 one;
  put(one.cluster, make_slice("n1", {device("0", {{"x", std::string("a")}}),
                                     device("1", {{"x", std::string("a")}}),
                                     device("2", {{"x", std::string("b")}})}));
  auto asked = make_claim("c", {request("r", exactly(2))});
  asked.spec.constraints = {match("gpu.example.com/x")};
  Prepared made(one.cluster, {asked, make_claim("d", {request("r", exactly(1))})});
  const auto after = [&](std::vector<Pick> picks, const std::vector<std::uint32_t>& kinds) {
    for (const auto& pick : picks) REQUIRE(made.placing.place(pick) == Outcome::placed);
    auto key = sign(made.placing, kinds);
    while (!made.placing.picks().empty()) made.placing.undo();
    return key;
  };
  const std::vector<std::uint32_t> kinds{0, 0, 1};
  CHECK(after({{0, 0}}, kinds) == after({{0, 1}}, kinds));
  CHECK(after({{0, 0}}, kinds) != after({{0, 2}}, kinds));
  CHECK(after({{0, 0}}, kinds) != after({}, kinds));
  CHECK(after({{0, 0}}, kinds) != after({{1, 0}}, kinds));
  CHECK(after({{0, 0}}, kinds) != after({{0, 0}, {0, 1}}, kinds));
}

}  // namespace dray::placing_test
