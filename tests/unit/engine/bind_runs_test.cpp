#include "engine/protocol/bind_runs.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/commands.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::bind_runs_test {
namespace {

using namespace std::chrono_literals;

const WriteOutcome done = WrittenObject{};

/// A pod without claims: one write binds it.
BindRuns::Start plain(const std::string& pod, std::vector<RequestId> requests) {
  BindRuns::Start start;
  start.placement = {
      .pod = {"default", pod}, .pod_uid = Uid("uid-" + pod), .node = NodeName("n0"), .claims = {}};
  start.requests = std::move(requests);
  start.detail = "why";
  start.queue = "q";
  start.job = "default/" + pod;
  return start;
}

/// A pod whose claim has the finalizer already: allocation, then the binding.
BindRuns::Start with_claim(const std::string& pod, Binding::Pace pace) {
  auto start = plain(pod, {RequestId(1)});
  auto claim = make_claim("c", 1);
  claim.meta.finalizers = {claim_finalizer};
  ClaimPlacement want;
  want.claim = claim.key();
  want.claim_uid = claim.meta.uid;
  start.placement.claims = {want};
  start.claims = {std::make_shared<const ResourceClaim>(claim)};
  start.pace = pace;
  return start;
}

/// The claim as it is after the write.
WriteOutcome allocated(const Commands& commands) {
  const auto write = only_write<AllocateClaim>(commands);
  auto claim = make_claim("c", 1);
  claim.allocation = write.allocation;
  claim.reserved_for = write.reserved_for;
  claim.meta.resource_version = ResourceVersion("11");
  return WrittenObject{claim};
}

TEST_CASE("a bound pod answers every call, tells its warnings, and is remembered") {
  BindRuns runs;
  auto start_with = plain("p", {RequestId(1)});
  start_with.warnings = {"doubtful"};
  CHECK(words(runs.start(start_with, start)) == "BindPod default/p for binding");
  CHECK(runs.contains(Uid("uid-p")));
  CHECK(runs.size() == 1);
  REQUIRE(runs.node_of(Uid("uid-p")) != nullptr);
  CHECK(*runs.node_of(Uid("uid-p")) == NodeName("n0"));
  runs.join(Uid("uid-p"), RequestId(2));
  CHECK(words(runs.step(Uid("uid-p"), Binding::pod_token, done, start)) ==
        "answer 1: ; answer 2: ; RecordEvent default/p; bind ended uid-p bound: ");
  CHECK(runs.bound() == 1);
  CHECK(runs.undone() == 0);
  CHECK(!runs.contains(Uid("uid-p")));
  CHECK(runs.node_of(Uid("uid-p")) == nullptr);
  CHECK(!runs.next_tick());
  const auto* decision = runs.decisions().find({"default", "p"});
  REQUIRE(decision != nullptr);
  CHECK(decision->placement.node == NodeName("n0"));
  CHECK(decision->detail == "why");
  CHECK(decision->queue == "q");
  CHECK(decision->job == "default/p");
}

TEST_CASE("a bind that fails is counted as undone, and no decision") {
  BindRuns runs;
  auto start_with = plain("p", {RequestId(1)});
  start_with.warnings = {"doubtful"};
  static_cast<void>(runs.start(start_with, start));
  CHECK(words(runs.step(Uid("uid-p"), Binding::pod_token, fail(ErrorCode::invalid, "422"),
                        start)) == "answer 1: binding: 422; bind ended uid-p failed: binding: 422");
  CHECK(runs.bound() == 0);
  CHECK(runs.undone() == 1);
  CHECK(runs.decisions().find({"default", "p"}) == nullptr);
}

TEST_CASE("devices that are not ready yet are neither bound nor undone") {
  BindRuns runs;
  auto start_with = with_claim("p", Binding::Pace::at_once);
  auto claim = *start_with.claims[0];
  AllocatedDevice device;
  device.binding_conditions = {"attached"};
  claim.allocation = AllocationResult{};
  claim.allocation->devices = {device};
  claim.allocation->allocated = start;
  claim.reserved_for = {consumer_of({"default", "p"}, Uid("uid-p"))};
  start_with.placement.claims[0].allocation = *claim.allocation;
  start_with.claims = {std::make_shared<const ResourceClaim>(claim)};
  // The watch may be behind: what it shows as given is asked for once.
  CHECK(words(runs.start(start_with, start)) == "ReadClaim default/c for binding");
  CHECK(runs.step(Uid("uid-p"), 0, WrittenObject{claim}, start).empty());
  REQUIRE(runs.next_tick() == start + 1s);
  CHECK(words(runs.tick(start + 10s)) == "ReadClaim default/c for binding");
  CHECK(words(runs.step(Uid("uid-p"), 0, WrittenObject{claim}, start + 10s)) ==
        "answer 1: claim default/c: its devices are not ready yet; bind ended uid-p waiting: "
        "claim default/c: its devices are not ready yet");
  CHECK(runs.bound() == 0);
  CHECK(runs.undone() == 0);
}

TEST_CASE("a gang's member says when its claims are there, and goes on when it is told") {
  BindRuns runs;
  const auto first = runs.start(with_claim("p", Binding::Pace::when_told), start);
  CHECK(words(first) == "AllocateClaim default/c for binding");
  CHECK(words(runs.step(Uid("uid-p"), 0, allocated(first), start)) == "claims held uid-p");
  CHECK(words(runs.proceed(Uid("uid-p"))) == "BindPod default/p for binding");
}

TEST_CASE("a gang's member that is told to stop gives its claims back") {
  BindRuns runs;
  const auto first = runs.start(with_claim("p", Binding::Pace::when_told), start);
  static_cast<void>(runs.step(Uid("uid-p"), 0, allocated(first), start));
  CHECK(words(runs.abort(Uid("uid-p"), "another failed")) == "ReleaseClaim default/c for binding");
  CHECK(words(runs.step(Uid("uid-p"), 0, done, start)) ==
        "answer 1: another failed; bind ended uid-p failed: another failed");
}

TEST_CASE("the versions of claims as written come with the end") {
  BindRuns runs;
  const auto first = runs.start(with_claim("p", Binding::Pace::at_once), start);
  const auto second = runs.step(Uid("uid-p"), 0, allocated(first), start);
  CHECK(words(second) == "BindPod default/p for binding");
  const auto last = runs.step(Uid("uid-p"), Binding::pod_token, done, start);
  const auto& ended = std::get<BindEnded>(last.back());
  CHECK(ended.claim_versions == std::vector{ResourceVersion("11")});
  CHECK(ended.placement.node == NodeName("n0"));
}

TEST_CASE("retries come by time, the earliest first, and one a tick") {
  BindRuns runs;
  static_cast<void>(runs.start(plain("a", {}), start));
  static_cast<void>(runs.start(plain("b", {}), start));
  const WriteOutcome lost = fail(ErrorCode::unavailable, "no answer");
  CHECK(runs.next_tick() == start + Binding::deadline);
  CHECK(runs.step(Uid("uid-b"), Binding::pod_token, lost, start).empty());
  CHECK(runs.step(Uid("uid-a"), Binding::pod_token, lost, start).empty());
  CHECK(runs.next_tick() == start + 50ms);
  CHECK(runs.tick(start + 49ms).empty());
  CHECK(words(runs.tick(start + 50ms)) == "ReadPod default/a for binding");
  CHECK(words(runs.tick(start + 50ms)) == "ReadPod default/b for binding");
  CHECK(runs.tick(start + 50ms).empty());
}

TEST_CASE("a new leader answers every call, and forgets what was under way") {
  BindRuns runs;
  static_cast<void>(runs.start(plain("a", {RequestId(1), RequestId(2)}), start));
  static_cast<void>(runs.start(plain("b", {}), start));
  const auto no = std::string(text(Reason::not_leader));
  CHECK(words(runs.reset()) ==
        "answer 1: " + no + "; answer 2: " + no + "; forget uid-a; forget uid-b");
  CHECK(runs.size() == 0);
  CHECK(!runs.next_tick());
  CHECK(runs.step(Uid("uid-a"), Binding::pod_token, done, start).empty());
}

TEST_CASE("what is not under way has no next step") {
  BindRuns runs;
  CHECK(runs.step(Uid("x"), 0, done, start).empty());
  CHECK(runs.proceed(Uid("x")).empty());
  CHECK(runs.abort(Uid("x"), "why").empty());
  CHECK(runs.tick(start).empty());
}

}  // namespace
}  // namespace dray::engine::bind_runs_test
