#include "planner/state/usable_capacity.h"

#include <catch2/catch.hpp>

#include <limits>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::usable_capacity_test {

using namespace worlds;
namespace {

cluster::NodeFacts facts_of(std::vector<NodeTaint> taints, bool unschedulable = false) {
  cluster::NodeFacts facts;
  facts.unschedulable = unschedulable;
  facts.taints = std::make_shared<const std::vector<NodeTaint>>(std::move(taints));
  return facts;
}

UsableCapacity::Parts plain(double amount) {
  return {{std::vector<DeviceTaint>(), policy::Amounts(1, amount)}};
}

constexpr cluster::NodeIndex node(std::uint32_t index) {
  return cluster::NodeIndex(index);
}

TEST_CASE("the total is that of the nodes as they are now, in whatever order they came") {
  const Tolerations nobody;
  UsableCapacity one;
  UsableCapacity other;
  for (const auto i : {0U, 1U, 2U}) one.put(node(i), facts_of({}), plain(0.1 * (i + 1)));
  for (const auto i : {2U, 0U, 1U}) other.put(node(i), facts_of({}), plain(0.1 * (i + 1)));
  for (int turn = 0; turn < 1000; ++turn) {
    other.put(node(1), facts_of({}), plain(0.3 * turn));
    other.remove(node(0));
    other.put(node(0), facts_of({}), plain(0.1));
  }
  other.put(node(1), facts_of({}), plain(0.2));
  CHECK(one.total(nobody, 1) == other.total(nobody, 1));
  CHECK(one.total(nobody, 1)[0] == Approx(0.6));
  one.clear();
  CHECK(one.total(nobody, 1)[0] == 0);
}

TEST_CASE("a node without room, over-committed or cordoned takes nothing from the others") {
  const Tolerations nobody;
  UsableCapacity usable;
  usable.put(node(0), facts_of({}), plain(4));
  usable.put(node(1), facts_of({}), plain(-3));
  usable.put(node(2), facts_of({}, true), plain(8));
  CHECK(usable.total(nobody, 1)[0] == 4);
  usable.remove(node(7));
  usable.put(node(0), facts_of({}, true), plain(4));
  CHECK(usable.total(nobody, 1)[0] == 0);
}

TEST_CASE("amounts beyond all measure overflow nothing") {
  const Tolerations nobody;
  UsableCapacity usable;
  constexpr auto infinite = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < 100; ++i) usable.put(node(i), facts_of({}), plain(infinite));
  CHECK(usable.total(nobody, 1)[0] > 1e25);
  for (std::uint32_t i = 0; i < 100; ++i) usable.remove(node(i));
  CHECK(usable.total(nobody, 1)[0] == 0);
}

}  // namespace
}  // namespace dray::planner::usable_capacity_test
