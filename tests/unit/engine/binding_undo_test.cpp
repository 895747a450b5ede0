#include <catch2/catch.hpp>

#include "engine/protocol/binding.h"
#include "tests/unit/engine/binding_server.h"

// How a binding ends: what is undone, when, and when not.

namespace dray::engine::binding_undo_test {
namespace {

using namespace std::chrono_literals;
using Log = std::vector<std::string>;

const Binding::Token pod_token = Binding::pod_token;
const WriteOutcome done = WrittenObject{};
const WriteOutcome no_answer = fail(ErrorCode::unavailable, "no answer");

/// A binding of two claims, driven by hand.
struct ByHand : Run {
  std::optional<Binding> binding;

  ByHand() {
    claim("c0", "gpu-0");
    claim("c1", "gpu-1");
  }
  Binding::Commands begin(Binding::Pace pace = Binding::Pace::at_once,
                          std::vector<ClaimConsumer> users = {}) {
    binding.emplace(placement, t0, pace, server.pod.meta.resource_version);
    std::vector<std::shared_ptr<const ResourceClaim>> claims;
    for (const auto& want : placement.claims) {
      claims.push_back(std::make_shared<const ResourceClaim>(server.claims.at(want.claim)));
    }
    return binding->start(claims, t0, std::move(users));
  }
  /// Serves the commands and all that follow, until nothing is asked for.
  void serve(Binding::Commands commands, Time now = t0) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto command = commands[i];
      const auto more = binding->step(command.token, server.write(command.write), now);
      commands.insert(commands.end(), more.begin(), more.end());
    }
  }
  [[nodiscard]] bool holds(const std::string& claim) {
    return server.claims.at({"default", claim}).allocation.has_value();
  }
};

TEST_CASE("a failure gives every claim back, not only the first") {
  ByHand run;
  run.server.faults[4] = {{ErrorCode::invalid, "422"}, false};  // the pod's binding
  run.serve(run.begin());
  CHECK(run.binding->result() == Binding::Result::failed);
  CHECK(run.server.log == Log{"protect c0", "protect c1", "allocate c0", "allocate c1", "failed",
                              "release c0", "release c1"});
  CHECK(run.none_held());
}

TEST_CASE("a claim that was not touched is left alone") {
  ByHand run;
  run.server.faults[0] = {{ErrorCode::invalid, "422"}, false};
  auto commands = run.begin();
  REQUIRE(commands.size() == 2);
  const auto first = run.binding->step(0, run.server.write(commands[0].write), t0);
  CHECK(first.empty());
  CHECK_FALSE(run.binding->finished());  // c1's write is under way
  CHECK(run.binding->step(1, run.server.write(commands[1].write), t0).empty());
  CHECK(run.binding->result() == Binding::Result::failed);
  CHECK(run.server.log == Log{"failed", "protect c1"});
}

TEST_CASE("a write that is under way is waited for, then undone") {
  ByHand run;
  auto commands = run.begin();
  const auto allocate0 = run.binding->step(0, run.server.write(commands[0].write), t0);
  const auto allocate1 = run.binding->step(1, run.server.write(commands[1].write), t0);
  CHECK(run.binding->step(0, fail(ErrorCode::invalid, "422"), t0).size() == 1);
  const auto release = run.binding->step(1, run.server.write(allocate1[0].write), t0);
  REQUIRE(release.size() == 1);
  CHECK(std::holds_alternative<ReleaseClaim>(release[0].write));
  CHECK(run.holds("c1"));
  run.serve(release);
  CHECK_FALSE(run.holds("c1"));
}

TEST_CASE("while the pod may be bound nothing is undone") {
  ByHand run;
  auto commands = run.begin();
  Binding::Commands bind;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    for (const auto& more :
         run.binding->step(commands[i].token, run.server.write(commands[i].write), t0)) {
      if (more.token == pod_token) {
        bind.push_back(more);
      } else {
        commands.push_back(more);
      }
    }
  }
  REQUIRE(bind.size() == 1);
  CHECK(run.binding->abort("the gang failed").empty());
  CHECK(run.binding->step(pod_token, no_answer, t0).empty());
  const bool late = GENERATE(false, true);  // the deadline passes: it is still unknown
  const auto now = late ? t0 + Binding::deadline : t0 + 50ms;
  auto read = run.binding->tick(now);
  REQUIRE(read.size() == 1);
  CHECK(std::holds_alternative<ReadPod>(read[0].write));
  CHECK_FALSE(run.binding->finished());
  SECTION("it is bound") {
    run.server.pod.node_name = NodeName("n0");
    run.serve(read);
    CHECK(run.binding->result() == Binding::Result::bound);
    CHECK(run.binding->error().empty());
    CHECK(run.all_held());
  }
  const auto given_up = late ? Binding::Result::failed : Binding::Result::refused;
  SECTION("it is not") {
    run.serve(read, now);
    CHECK(run.binding->result() == (late ? Binding::Result::failed : Binding::Result::bound));
    CHECK(run.none_held() == late);
  }
  SECTION("it is being deleted") {
    run.server.pod.meta.deleted = t0;
    run.serve(read, now);
    CHECK(run.binding->result() == given_up);
    CHECK(run.none_held());
  }
  SECTION("it is another pod of the name") {
    run.server.pod.meta.uid = Uid("another");
    run.serve(read, now);
    CHECK(run.binding->result() == given_up);
    CHECK(run.none_held());
  }
}

TEST_CASE("a pod that is bound is never bound again") {
  ByHand run;
  // The binding took effect, and its answer was lost.
  run.server.faults[4] = {{ErrorCode::unavailable, "cut"}, true};
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::bound);
  CHECK(std::ranges::count(run.server.log, "bind") == 1);
  CHECK(run.all_held());
}

TEST_CASE("a release that fails is tried again until it succeeds") {
  ByHand run;
  run.server.faults[4] = {{ErrorCode::invalid, "422"}, false};
  run.server.faults[5] = {{ErrorCode::unavailable, "cut"}, false};
  run.server.faults[7] = {{ErrorCode::internal, "500"}, false};
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::failed);
  CHECK(run.none_held());
  CHECK(run.server.log == Log{"protect c0", "protect c1", "allocate c0", "allocate c1", "failed",
                              "failed", "release c1", "failed", "release c0"});
}

TEST_CASE("an allocation that got no answer cannot land after its devices were given up") {
  ByHand run;
  auto commands = run.begin();
  const auto allocate = run.binding->step(0, run.server.write(commands[0].write), t0);
  REQUIRE(allocate.size() == 1);
  CHECK(run.binding->step(0, no_answer, t0).empty());
  const bool read = GENERATE(false, true);  // a read shows nothing of it: that is no proof
  if (read) {
    const auto reading = run.binding->tick(t0 + 50ms);
    REQUIRE(reading.size() == 1);
    CHECK(run.binding->step(0, run.server.write(reading[0].write), t0 + 50ms).size() == 1);
    CHECK(run.binding->step(0, no_answer, t0 + 60ms).empty());
  }
  const auto undo = run.binding->abort("the gang failed");
  REQUIRE(undo.size() == 1);
  CHECK(std::get<ReleaseClaim>(undo[0].write).fence);
  run.serve(undo, t0 + 70ms);
  CHECK_FALSE(run.server.write(allocate[0].write));  // it arrives now
  CHECK_FALSE(run.holds("c0"));
}

TEST_CASE("where every write was answered, a release that has nothing to do writes nothing") {
  ByHand run;
  run.serve(run.begin(Binding::Pace::when_told));
  const auto undo = run.binding->abort("the gang failed");
  for (const auto& command : undo) CHECK_FALSE(std::get<ReleaseClaim>(command.write).fence);
}

TEST_CASE("a binding that got no answer cannot land after its devices were given up") {
  ByHand run;
  run.server.pod.meta.resource_version = ResourceVersion("900");
  run.server.version = 901;
  Write bind;
  run.server.faults[4] = {{ErrorCode::unavailable, "cut"}, false};
  auto commands = run.begin();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (std::holds_alternative<BindPod>(commands[i].write)) bind = commands[i].write;
    for (const auto& more :
         run.binding->step(commands[i].token, run.server.write(commands[i].write), t0)) {
      commands.push_back(more);
    }
  }
  REQUIRE(std::holds_alternative<BindPod>(bind));
  CHECK(std::get<BindPod>(bind).expected == ResourceVersion("900"));
  const auto now = t0 + Binding::deadline;
  const auto read = run.binding->tick(now);
  REQUIRE(read.size() == 1);
  const auto fence = run.binding->step(pod_token, run.server.write(read[0].write), now);
  REQUIRE(fence.size() == 1);
  CHECK(std::holds_alternative<AnnotatePod>(fence[0].write));
  CHECK(run.all_held());
  SECTION("it lands after the pod's version was moved") {
    run.serve(fence, now);
    CHECK(run.binding->result() == Binding::Result::failed);
    CHECK(run.none_held());
    CHECK_FALSE(run.server.write(bind));
    CHECK_FALSE(run.server.pod.node_name);
  }
  SECTION("it lands before") {
    CHECK(run.server.write(bind));
    run.serve(fence, now);
    CHECK(run.binding->result() == Binding::Result::bound);
    CHECK(run.all_held());
  }
  SECTION("the fence gets no answer either") {
    CHECK(run.binding->step(pod_token, no_answer, now).empty());
    CHECK(run.all_held());
    run.serve(run.binding->tick(*run.binding->next_tick()), *run.binding->next_tick());
    CHECK(run.none_held());
  }
}

TEST_CASE("a claim that was made anew under its name needs no release") {
  ByHand run;
  run.serve(run.begin(Binding::Pace::when_told));
  run.server.claims[{"default", "c0"}].meta.uid = Uid("another");
  run.server.claims[{"default", "c0"}].allocation.reset();
  run.serve(run.binding->abort("the gang failed"));
  CHECK(run.binding->result() == Binding::Result::failed);
  CHECK_FALSE(run.binding->keeps_claims());
  CHECK(run.server.log.back() == "read c0");
  CHECK_FALSE(run.holds("c1"));
}

TEST_CASE("a release that met a conflict is tried again while the claim is the same") {
  ByHand run;
  run.server.faults[4] = {{ErrorCode::invalid, "422"}, false};
  run.server.faults[5] = {{ErrorCode::conflict, "409"}, false};
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::failed);
  CHECK(run.none_held());
}

TEST_CASE("a release that stays refused ends, and the claim keeps what is written") {
  const auto code = GENERATE(ErrorCode::denied, ErrorCode::invalid);
  ByHand run;
  run.server.faults[4] = {{ErrorCode::invalid, "422"}, false};
  for (std::size_t n = 6; n < 100; ++n) run.server.faults[n] = {{code, "no"}, false};
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::failed);
  CHECK(binding.keeps_claims());
  CHECK_FALSE(run.holds("c0"));
  CHECK(run.holds("c1"));
  CHECK(binding.claim_versions()[1] ==
        run.server.claims.at({"default", "c1"}).meta.resource_version);
}

TEST_CASE(
    "while a write without an answer may land, its devices stay, though their release is refused") {
  ByHand run;
  run.server.faults[2] = {{ErrorCode::unavailable, "no answer"}, false};  // the allocation of c0
  for (std::size_t n = 3; n < 400; ++n) run.server.faults[n] = {{ErrorCode::denied, "no"}, false};
  const auto binding = run.to_the_end();
  CHECK(binding.result() == Binding::Result::failed);
  CHECK(binding.keeps_claims());
  CHECK(run.ended >= t0 + Binding::request_life);
}

TEST_CASE("a release that is refused for a moment is tried again") {
  ByHand run;  // the admission policy has not heard of our epoch yet
  run.server.faults[4] = {{ErrorCode::invalid, "422"}, false};
  for (std::size_t n = 6; n < 9; ++n) run.server.faults[n] = {{ErrorCode::denied, "no"}, false};
  const auto binding = run.to_the_end();
  CHECK_FALSE(binding.keeps_claims());
  CHECK(run.none_held());
}

TEST_CASE("a claim that is gone needs no release") {
  ByHand run;
  run.serve(run.begin(Binding::Pace::when_told));
  REQUIRE(run.binding->waits());
  auto undo = run.binding->abort("the gang failed");
  REQUIRE(undo.size() == 2);
  CHECK(run.binding->step(0, fail(ErrorCode::not_found, "404"), t0).empty());
  CHECK(run.binding->step(1, done, t0).empty());
  CHECK(run.binding->result() == Binding::Result::failed);
  CHECK(run.binding->error() == "the gang failed");
  CHECK(run.binding->abort("again").empty());
}

TEST_CASE("what a group uses is not given back when one of its pods fails") {
  ByHand run;
  const ClaimConsumer group{.api_group = "scheduling.k8s.io",
                            .resource = group_consumer_resource,
                            .name = "g",
                            .uid = Uid("uid-g")};
  run.serve(run.begin(Binding::Pace::when_told,
                      {group, consumer_of(run.placement.pod, run.placement.pod_uid)}));
  const auto undo = run.binding->abort("the gang failed");
  REQUIRE(undo.size() == 1);
  CHECK(std::get<ReleaseClaim>(undo[0].write).claim.name == "c1");
  run.serve(undo);
  CHECK(run.binding->result() == Binding::Result::failed);
  CHECK(run.holds("c0"));
  CHECK_FALSE(run.holds("c1"));
}

TEST_CASE("the first failure is the one that is told") {
  ByHand run;
  auto commands = run.begin();
  CHECK(run.binding->step(0, fail(ErrorCode::invalid, "first"), t0).empty());
  CHECK(run.binding->step(1, fail(ErrorCode::not_found, "second"), t0).empty());
  CHECK(run.binding->result() == Binding::Result::failed);
  CHECK(run.binding->error() == "claim default/c0: first");
}

TEST_CASE("a bind that takes too long is undone at the deadline, not before") {
  ByHand run;
  static_cast<void>(run.begin());
  CHECK(run.binding->next_tick() == t0 + Binding::deadline);
  CHECK(run.binding->tick(t0 + Binding::deadline - 1us).empty());
  CHECK(run.binding->error().empty());
  static_cast<void>(run.binding->tick(t0 + Binding::deadline));
  CHECK(run.binding->error() == "the API server did not answer in time");
  CHECK_FALSE(run.binding->next_tick());
}

}  // namespace
}  // namespace dray::engine::binding_undo_test
