#include "engine/protocol/auditor.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/claims_in_two.h"
#include "tests/unit/engine/commands.h"

namespace dray::engine::auditor_test {
namespace {

using namespace dray::testing;
using namespace std::chrono_literals;

constexpr Time begin = Time{} + 1000h;

struct World {
  cluster::ClusterState cluster;
  std::set<std::string> busy;
  Auditor auditor{cluster,
                  {.ours = [](const Pod& pod) { return pod.scheduler_name != "other"; },
                   .busy = [this](const Uid& uid) { return busy.contains(uid.get()); }}};
  Time now = begin;

  World() { auditor.lead(true, now); }
  void tell(const Pod& pod) { cluster.apply(cluster::ObjectChanged{pod}); }
  void tell(const ResourceClaim& claim) {
    cluster.apply(cluster::ObjectChanged{claim});
    auditor.put(claim, now);
  }
  /// What is asked for until then, all that is due at once.
  std::string until(Duration later) {
    now = begin + later;
    Commands out;
    while (auditor.next_tick() && *auditor.next_tick() <= now) {
      for (auto& command : auditor.tick(now)) out.push_back(std::move(command));
    }
    last = out;
    return words(out);
  }
  /// The answer to the n-th of the last commands.
  std::string answer(std::size_t n, const WriteOutcome& outcome) {
    const auto commands =
        auditor.step(std::get<ForAudit>(std::get<Send>(last[n]).purpose), outcome, now);
    if (!commands.empty()) last = commands;
    return words(commands);
  }
  /// Old runs; new waits and has the same device.
  void double_use() {
    tell(user_pod("old", true));
    tell(user_pod("new", false));
    tell(holder("c-old", "gpu-0", 1, {"old"}));
    tell(holder("c-new", "gpu-0", 2, {"new"}));
  }

  Commands last;
};

const WriteOutcome gone = std::unexpected(Error(ErrorCode::not_found, "pods not found"));
const WriteOutcome silence = std::unexpected(Error(ErrorCode::unavailable, "no answer"));

TEST_CASE("of two claims with one device the loose one is released, when its pod is seen to wait") {
  World world;
  world.double_use();
  CHECK(world.auditor.figures().devices_in_two_claims == 1);
  CHECK(world.until(9s).empty());
  CHECK(world.until(10s) == "ReadPod default/new for audit");
  CHECK(world.answer(0, WrittenObject{user_pod("new", false)}) == "give back default/c-new of new");
  CHECK(std::get<GiveBack>(world.last[0]).uid == Uid("uid-c-new"));
  CHECK(world.auditor.figures().claims_healed == 0);
  // The watch shows it: nothing is wrong any more.
  auto freed = holder("c-new", "gpu-0", 2, {});
  freed.allocation.reset();
  world.tell(freed);
  CHECK(world.auditor.figures().devices_in_two_claims == 0);
  CHECK(world.auditor.figures().claims_healed == 1);
  CHECK(world.until(10min).empty());
}

TEST_CASE("what was given back and stays is looked at again a minute later") {
  World world;
  world.double_use();
  CHECK(world.until(10s) == "ReadPod default/new for audit");
  CHECK(world.answer(0, WrittenObject{user_pod("new", false)}) == "give back default/c-new of new");
  CHECK(world.until(69s).empty());
  CHECK(world.until(70s) == "ReadPod default/new for audit");
  CHECK(world.auditor.figures().claims_healed == 0);
}

TEST_CASE(
    "a pod that turns out to have a node keeps its devices, and the API server's word counts") {
  World world;
  world.double_use();
  CHECK(world.until(10s) == "ReadPod default/new for audit");
  CHECK(world.answer(0, WrittenObject{user_pod("new", true)}).empty());
  CHECK(world.auditor.figures().claims_healed == 0);
  world.tell(user_pod("new", true));
  CHECK(world.until(21s) == "RecordEvent default/c-new");
  CHECK(only_write<RecordEvent>(world.last).regarding == Kind::resource_claim);
  CHECK(world.until(10min).empty());  // told once, and looked at still
  CHECK(world.auditor.next_tick());
}

TEST_CASE("without an answer it is asked again later") {
  World world;
  world.double_use();
  CHECK(world.until(10s) == "ReadPod default/new for audit");
  const auto first = world.last;
  CHECK(world.answer(0, silence).empty());
  CHECK(world.until(19s).empty());
  CHECK(world.until(20s) == "ReadPod default/new for audit");
  const auto second = world.last;
  // The first read's late answer is not the second's.
  world.last = first;
  CHECK(world.answer(0, WrittenObject{user_pod("new", false)}).empty());
  world.last = second;
  CHECK(world.answer(0, WrittenObject{user_pod("new", false)}) == "give back default/c-new of new");
}

TEST_CASE("nothing is taken while the pod is being bound") {
  World world;
  world.double_use();
  world.busy = {"uid-new"};
  CHECK(world.until(10s).empty());
  world.busy.clear();
  CHECK(world.until(19s).empty());
  CHECK(world.until(20s) == "ReadPod default/new for audit");
  world.busy = {"uid-new"};  // meanwhile
  CHECK(world.answer(0, WrittenObject{user_pod("new", false)}).empty());
}

TEST_CASE("another scheduler's claim is told of, and left alone") {
  World world;
  world.tell(user_pod("old", true));
  auto other = user_pod("new", false);
  other.scheduler_name = "other";
  world.tell(other);
  world.tell(holder("c-old", "gpu-0", 1, {"old"}));
  world.tell(holder("c-new", "gpu-0", 2, {"new"}));
  CHECK(world.until(1min) == "RecordEvent default/c-new");
}

TEST_CASE("a user that is gone is taken off, if the API server has no such pod") {
  World world;
  world.tell(holder("c", "gpu-0", 1, {"never-seen"}));
  CHECK(world.until(59s).empty());
  CHECK(world.until(60s) == "ReadPod default/never-seen for audit");
  CHECK(world.answer(0, gone) == "give back default/c of never-seen");
  auto freed = holder("c", "gpu-0", 1, {});
  freed.allocation.reset();
  world.tell(freed);
  CHECK(world.auditor.figures().orphans_released == 1);
  CHECK(world.auditor.figures().claims_healed == 0);
}

TEST_CASE("a pod that the watch has yet to show is no orphan") {
  World world;
  world.tell(holder("c", "gpu-0", 1, {"p"}));
  CHECK(world.until(60s) == "ReadPod default/p for audit");
  CHECK(world.answer(0, WrittenObject{user_pod("p", false)}).empty());
  world.tell(user_pod("p", false));
  CHECK(world.until(10min).empty());
}

TEST_CASE("the claim of a pod that went is looked at a minute later") {
  World world;
  world.tell(user_pod("p", true));
  world.tell(holder("c", "gpu-0", 1, {"p"}));
  CHECK(!world.auditor.next_tick());
  world.cluster.apply(cluster::ObjectGone{Kind::pod, "default", "p", Uid("uid-p")});
  world.auditor.pod_gone(Uid("uid-p"), world.now);
  CHECK(world.until(60s) == "ReadPod default/p for audit");
  // Its name is another pod's: a release of the one that is gone.
  auto anew = user_pod("p", true);
  anew.meta.uid = Uid("uid-anew");
  CHECK(world.answer(0, WrittenObject{anew}) == "give back default/c of p");
}

TEST_CASE("shares and other devices are nobody's double") {
  World world;
  world.tell(user_pod("p", true));
  auto share = holder("a", "gpu-0", 1, {"p"});
  share.allocation->devices[0].share_id = "s1";
  world.tell(share);
  world.tell(holder("b", "gpu-0", 1, {"p"}));
  world.tell(holder("c", "gpu-1", 1, {"p"}));
  CHECK(world.auditor.figures().devices_in_two_claims == 0);
  CHECK(!world.auditor.next_tick());
}

TEST_CASE("a claim that has devices and no user is told of, once, and stays as it is") {
  World world;
  const bool had_one = GENERATE(false, true);
  if (had_one) {
    world.tell(user_pod("p", true));
    world.tell(holder("c", "gpu-0", 1, {"p"}));
  }
  world.tell(holder("c", "gpu-0", 1, {}));
  SECTION("for long") {
    CHECK(world.until(5min - 1s).empty());
    CHECK(world.until(5min) == "RecordEvent default/c");
    CHECK(only_write<RecordEvent>(world.last).event.reason == "ClaimNotUsed");
    world.tell(holder("c", "gpu-0", 1, {}));
    CHECK(world.until(1h).empty());
  }
  SECTION("somebody uses it in time") {
    world.tell(user_pod("q", true));
    world.tell(holder("c", "gpu-0", 1, {"q"}));
    CHECK(world.until(1h).empty());
  }
  SECTION("its devices are free in time") {
    auto freed = holder("c", "gpu-0", 1, {});
    freed.allocation.reset();
    world.tell(freed);
    CHECK(world.until(1h).empty());
  }
  SECTION("a new leader looks, too") {
    world.auditor.lead(true, begin + 1min);
    CHECK(world.until(6min - 1s).empty());
    CHECK(world.until(6min) == "RecordEvent default/c");
  }
}

TEST_CASE("only a leader looks, and looks at all that is wrong when it begins") {
  World world;
  world.auditor.lead(false, world.now);
  world.double_use();
  world.tell(holder("orphan", "gpu-1", 1, {"nobody"}));
  CHECK(!world.auditor.next_tick());
  world.auditor.lead(true, world.now);
  CHECK(world.until(10s) == "ReadPod default/new for audit");
  CHECK(world.until(60s) == "ReadPod default/nobody for audit");
  // What was under way is another term's.
  const auto reads = world.last;
  world.auditor.lead(true, world.now);
  CHECK(world.answer(0, gone).empty());
}

TEST_CASE("a claim that is gone is nobody's, and its timer ends") {
  World world;
  world.double_use();
  world.cluster.apply(
      cluster::ObjectGone{Kind::resource_claim, "default", "c-new", Uid("uid-c-new")});
  world.auditor.erase({"default", "c-new"});
  CHECK(world.auditor.figures().devices_in_two_claims == 0);
  CHECK(world.until(10min).empty());
}

}  // namespace
}  // namespace dray::engine::auditor_test
