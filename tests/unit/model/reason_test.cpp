#include "dray/model/reason.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "enumerators.h"

namespace dray::reason_test {
namespace {

static_assert(model_test::is_enumerator<Reason::binding_conditions>());
static_assert(!model_test::is_enumerator<static_cast<Reason>(127)>());

TEST_CASE("every Reason has its row") {
  REQUIRE(all_reasons().size() == model_test::count_enumerators<Reason>());
  for (const auto& row : all_reasons()) CHECK(&reason_info(row.reason) == &row);
  CHECK(name(Reason::devices_in_use) == "DevicesInUse");
  CHECK(text(Reason::node_unschedulable) == "dray: the node is cordoned");
  CHECK(name(Reason::none).empty());
}

TEST_CASE("texts can stand in a condition that kube-scheduler groups by") {
  std::set<std::string_view> names;
  std::set<std::string_view> texts;
  for (const auto& row : all_reasons()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(texts.insert(row.text).second);
    if (row.reason == Reason::none) continue;
    CHECK(row.text.starts_with("dray: "));
    CHECK(row.text.size() < 120);
    CHECK(std::ranges::none_of(row.text, [](char c) { return c >= '0' && c <= '9'; }));
  }
}

TEST_CASE("a stage says how near a pod came") {
  struct Row {
    Reason reason;
    ReasonStage stage;
  };
  const auto row = GENERATE(
      Row{Reason::none, ReasonStage::none}, Row{Reason::planning, ReasonStage::job},
      Row{Reason::no_node_fits, ReasonStage::job}, Row{Reason::queue_missing, ReasonStage::job},
      Row{Reason::gang_incomplete, ReasonStage::job}, Row{Reason::queue_limit, ReasonStage::queue},
      Row{Reason::queue_quota, ReasonStage::queue},
      Row{Reason::over_fair_share, ReasonStage::queue},
      Row{Reason::gang_no_room, ReasonStage::room}, Row{Reason::no_domain, ReasonStage::room},
      Row{Reason::room_kept, ReasonStage::room}, Row{Reason::room_freed, ReasonStage::room},
      Row{Reason::reserved_elsewhere, ReasonStage::node},
      Row{Reason::node_refused, ReasonStage::node}, Row{Reason::no_devices, ReasonStage::devices},
      Row{Reason::binding_conditions, ReasonStage::devices});
  CAPTURE(name(row.reason));
  CHECK(reason_info(row.reason).stage == row.stage);
}

/// The Reasons of which `column` is true.
std::set<Reason> all_with(bool ReasonInfo::* column) {
  std::set<Reason> found;
  for (const auto& row : all_reasons()) {
    if (row.*column) found.insert(row.reason);
  }
  return found;
}

/// All that a node or its devices can give, but for these.
std::set<Reason> of_nodes_without(std::initializer_list<Reason> without) {
  std::set<Reason> found;
  for (const auto& row : all_reasons()) {
    if (row.stage == ReasonStage::node || row.stage == ReasonStage::devices) {
      found.insert(row.reason);
    }
  }
  for (const auto reason : without) found.erase(reason);
  return found;
}

TEST_CASE("a cluster autoscaler is asked only where another node may do") {
  auto want = of_nodes_without(
      {Reason::reserved_elsewhere, Reason::claim_elsewhere, Reason::claim_consumers});
  want.insert({Reason::no_node_fits, Reason::gang_no_room, Reason::no_domain});
  CHECK(all_with(&ReasonInfo::more_nodes_help) == want);
}

TEST_CASE("victims are looked for only where a pod that goes may change something") {
  auto want = of_nodes_without(
      {Reason::reserved_elsewhere, Reason::claim_elsewhere, Reason::claim_consumers,
       Reason::node_unknown, Reason::node_unschedulable, Reason::node_selector, Reason::node_taint,
       Reason::no_devices, Reason::class_selector, Reason::claim_selector, Reason::selector_error,
       Reason::device_taint});
  want.insert({Reason::gang_no_room, Reason::no_domain, Reason::room_kept, Reason::room_freed});
  CHECK(all_with(&ReasonInfo::eviction_helps) == want);
}

TEST_CASE("of refused nodes the one that came furthest comes last") {
  const ByProgress before;
  CHECK(before(Reason::unsupported, Reason::room_freed));
  CHECK(before(Reason::room_freed, Reason::claim_elsewhere));
  CHECK(before(Reason::claim_elsewhere, Reason::node_unschedulable));
  CHECK(before(Reason::node_unschedulable, Reason::node_resources));
  CHECK(before(Reason::node_refused, Reason::no_devices));
  CHECK(before(Reason::class_selector, Reason::devices_in_use));
  CHECK(before(Reason::devices_in_use, Reason::constraint));
  CHECK(before(Reason::constraint, Reason::binding_conditions));
  CHECK_FALSE(before(Reason::constraint, Reason::constraint));
  CHECK_FALSE(before(Reason::devices_in_use, Reason::node_taint));
}

TEST_CASE("no two Reasons of a node came equally far") {
  std::set<int> seen;
  for (const auto reason : of_nodes_without({})) {
    CAPTURE(name(reason));
    CHECK(reason_info(reason).progress > 0);
    CHECK(seen.insert(reason_info(reason).progress).second);
  }
}

}  // namespace
}  // namespace dray::reason_test
