#include "dray/cluster/counters_left.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::counters_left_test {

using namespace dray::testing;

namespace {

Device part(const std::string& name, const std::string& card, const char* memory) {
  auto made = device(name);
  made.consumes_counters = {{.counter_set = card,
                             .counters = {{"memory", quantity(memory)}},
                             .compatibility_groups = {}}};
  return made;
}

/// Node n1 with cards a and b of 4Gi: a is one device, and two halves of which one may be used; so
/// is b, and a device beside them.
struct TwoCards {
  cluster::ClusterState cluster;

  TwoCards() {
    put(cluster, make_node("n1"));
    auto counters = make_slice("n1", {});
    counters.meta.name = "counters";
    counters.pool_slice_count = 2;
    for (const auto* card : {"a", "b"}) {
      counters.shared_counters.push_back({.name = card, .counters = {{"memory", quantity("4Gi")}}});
    }
    put(cluster, counters);
    auto slice = make_slice("n1", {part("a", "a", "4Gi"), part("a-1", "a", "2Gi"),
                                   part("a-2", "a", "2Gi"), part("b", "b", "4Gi"), device("nic")});
    slice.pool_slice_count = 2;
    put(cluster, slice);
  }

  void use(const std::string& name) {
    auto claim = make_claim("c-" + name);
    claim.allocation = allocation({device_id("n1", name)});
    put(cluster, claim);
  }
  /// `device: blocker` of each that is blocked.
  [[nodiscard]] std::vector<std::string> blocked() {
    const auto snapshot = cluster.snapshot();
    std::vector<std::string> all;
    snapshot->for_each_pool([&](const cluster::Pool& pool) {
      const cluster::CountersLeft left(pool);
      for (const auto& slot : pool.slots) {
        for (const auto& each : slot.slice->devices) {
          const auto* by = left.blocker(each);
          if (by != nullptr) all.push_back(*each.name + ": " + *by->name);
        }
      }
    });
    return all;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("nothing is blocked where nothing is in use") {
  TwoCards cards;
  CHECK(cards.blocked().empty());
  cards.use("nic");
  CHECK(cards.blocked().empty());
}

TEST_CASE("a whole card in use blocks its parts, and no other card's") {
  TwoCards cards;
  cards.use("a");
  CHECK(cards.blocked() == Names{"a: a", "a-1: a", "a-2: a"});
}

TEST_CASE("a part in use blocks what wants more than it leaves") {
  TwoCards cards;
  cards.use("a-2");
  CHECK(cards.blocked() == Names{"a: a-2"});
  cards.use("a-1");
  CHECK(cards.blocked() == Names{"a: a-1", "a-1: a-1", "a-2: a-1"});
}

TEST_CASE("what an older generation of the pool said of its counters counts no more") {
  TwoCards cards;
  auto old = make_slice("n1", {});
  old.meta.name = "old-counters";
  old.pool_generation = 0;
  old.shared_counters = {{.name = "a", .counters = {{"memory", quantity("100Gi")}}}};
  put(cards.cluster, old);
  cards.use("a");
  CHECK(cards.blocked() == Names{"a: a", "a-1: a", "a-2: a"});
}

}  // namespace dray::counters_left_test
