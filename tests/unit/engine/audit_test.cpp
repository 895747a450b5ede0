#include "dray/engine/audit.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/claims_in_two.h"

namespace dray::engine::audit_test {
namespace {

using namespace dray::testing;

struct World {
  std::map<std::string, Pod> pods;

  /// A pod of dray's that waits, and one that runs.
  World() {
    add(user_pod("waits", false));
    add(user_pod("runs", true));
  }
  void add(Pod pod) { pods.insert_or_assign(pod.meta.name, std::move(pod)); }
  /// Waits for another scheduler.
  void add_theirs() {
    auto other = user_pod("theirs", false);
    other.scheduler_name = "other";
    add(other);
  }
  [[nodiscard]] AuditView view() const {
    return {.pod = [this](const PodKey& key) -> std::shared_ptr<const Pod> {
              const auto at = pods.find(key.name);
              return at == pods.end() ? nullptr : std::make_shared<const Pod>(at->second);
            },
            .ours = [](const Pod& pod) { return pod.scheduler_name != "other"; }};
  }
  [[nodiscard]] std::string losers(const std::vector<ResourceClaim>& claims) const {
    std::vector<const ResourceClaim*> holders;
    for (const auto& claim : claims) holders.push_back(&claim);
    std::string names;
    for (const auto* loser : give_way(holders, view())) names += loser->meta.name + " ";
    return names;
  }
};

TEST_CASE("a share of a device, or a look at it, is nobody's alone") {
  auto device = device_of("gpu-0");
  CHECK(exclusive(device));
  device.admin_access = true;
  CHECK(!exclusive(device));
  device.admin_access = false;
  CHECK(exclusive(device));
  device.share_id = "s";
  CHECK(!exclusive(device));
}

TEST_CASE("how firmly a claim holds its devices") {
  World world;
  world.add_theirs();
  auto done = user_pod("done", true);
  done.phase = "Succeeded";
  world.add(done);
  const auto hold = [&](const std::vector<std::string>& users) {
    return hold_of(holder("c", "gpu-0", 1, users), world.view());
  };
  CHECK(hold({"waits"}) == Hold::loose);
  CHECK(hold({"gone"}) == Hold::loose);
  CHECK(hold({"done"}) == Hold::loose);
  CHECK(hold({"theirs"}) == Hold::foreign);
  CHECK(hold({"waits", "theirs"}) == Hold::foreign);
  CHECK(hold({}) == Hold::foreign);
  CHECK(hold({"waits", "runs"}) == Hold::bound);
  // Another pod has the name of the one that it was reserved for.
  auto anew = user_pod("runs", true);
  anew.meta.uid = Uid("uid-anew");
  world.add(anew);
  CHECK(hold({"runs"}) == Hold::loose);
  auto group = holder("c", "gpu-0", 1, {"g"});
  group.reserved_for[0].api_group = "scheduling.k8s.io";
  group.reserved_for[0].resource = "podgroups";
  CHECK(hold_of(group, world.view()) == Hold::foreign);
}

TEST_CASE("the firmest stays, of alike ones the older") {
  World world;
  world.add_theirs();
  CHECK(world.losers({holder("old", "g", 1, {"waits"}), holder("new", "g", 2, {"waits"})}) ==
        "new ");
  CHECK(world.losers({holder("new", "g", 2, {"waits"}), holder("old", "g", 1, {"waits"})}) ==
        "new ");
  CHECK(world.losers({holder("old", "g", 1, {"waits"}), holder("new", "g", 2, {"runs"})}) ==
        "old ");
  CHECK(world.losers({holder("ours", "g", 1, {"waits"}), holder("theirs", "g", 2, {"theirs"})}) ==
        "ours ");
  CHECK(world.losers({holder("a", "g", 1, {"waits"}), holder("b", "g", 2, {"theirs"}),
                      holder("c", "g", 3, {"runs"})}) == "b a ");
  CHECK(world.losers({holder("b", "g", 1, {"waits"}), holder("a", "g", 1, {"waits"})}) == "b ");
  CHECK(world.losers({holder("one", "g", 1, {"waits"})}).empty());
}

TEST_CASE("users that are not there any more") {
  World world;
  auto failed = user_pod("failed", true);
  failed.phase = "Failed";
  world.add(failed);
  auto anew = user_pod("anew", true);
  anew.meta.uid = Uid("uid-of-another");
  world.add(anew);
  auto claim = holder("c", "g", 1, {"waits", "gone", "runs", "failed", "anew"});
  claim.reserved_for.push_back(
      {.api_group = "scheduling.k8s.io", .resource = "podgroups", .name = "g", .uid = Uid("g")});
  std::string names;
  for (const auto& user : orphaned_users(claim, world.view())) names += user.name + " ";
  CHECK(names == "gone failed anew ");
  claim.allocation.reset();
  CHECK(orphaned_users(claim, world.view()).empty());
}

}  // namespace
}  // namespace dray::engine::audit_test
