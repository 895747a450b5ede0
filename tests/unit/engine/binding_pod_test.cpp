#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/protocol/binding.h"
#include "tests/unit/engine/binding_server.h"

// src/engine/protocol/binding_pod.cpp: what each answer to the pod's writes and reads makes of a
// binding. Nothing may be undone while the pod may be bound, and nothing kept where it is not.

namespace dray::engine::binding_pod_test {
namespace {

using namespace std::chrono_literals;

std::string shown(const Binding::Commands& commands) {
  std::string out;
  for (const auto& command : commands) {
    out += out.empty() ? "" : ", ";
    if (std::holds_alternative<BindPod>(command.write)) {
      out += "bind at " + std::get<BindPod>(command.write).expected.get();
    } else if (std::holds_alternative<ReadPod>(command.write)) {
      out += "read";
    } else if (std::holds_alternative<AnnotatePod>(command.write)) {
      out += "fence";
    } else if (std::holds_alternative<ReleaseClaim>(command.write)) {
      out += "release";
    } else {
      out += "?";
    }
  }
  return out;
}

/// A binding of one claim that is held already, up to the pod's first bind.
struct Bound : Run {
  Binding binding;
  Binding::Commands first;

  /// `meanwhile` is what the watch shows of the pod while the claims are written.
  explicit Bound(const std::optional<Pod>& meanwhile = std::nullopt) : binding(prepared()) {
    std::vector<std::shared_ptr<const ResourceClaim>> claims;
    claims.push_back(
        std::make_shared<const ResourceClaim>(server.claims.at(placement.claims[0].claim)));
    first = binding.start(claims, t0);
    while (!first.empty() && first[0].token != Binding::pod_token) {
      if (meanwhile) binding.see(*meanwhile);
      first = binding.step(first[0].token, server.write(first[0].write), t0);
    }
  }
  Binding::Commands answer(const WriteOutcome& outcome, Time now = t0) {
    return binding.step(Binding::pod_token, outcome, now);
  }
  [[nodiscard]] std::string result() const {
    if (!binding.result()) return "under way";
    constexpr std::array names{"bound", "failed", "refused", "waiting"};
    return names[static_cast<std::size_t>(*binding.result())];
  }

 private:
  Binding prepared() {
    claim("c0", "gpu-0");
    server.pod.meta.resource_version = ResourceVersion("9");
    return {placement, t0, Binding::Pace::at_once, ResourceVersion("9")};
  }
};

struct Answer {
  std::string name;
  ErrorCode code;
  std::string next;
  bool denied;
};

TEST_CASE("a bind that fails is undone where it surely did not land, else the pod is read") {
  const auto row =
      GENERATE(Answer{"invalid", ErrorCode::invalid, "release", true},
               Answer{"forbidden", ErrorCode::denied, "release", true},
               Answer{"gone, or assigned already", ErrorCode::not_found, "read", false},
               Answer{"changed", ErrorCode::conflict, "read", false},
               Answer{"no answer: the read waits", ErrorCode::unavailable, "", false},
               Answer{"a fault of the server", ErrorCode::internal, "read", false});
  DYNAMIC_SECTION(row.name) {
    Bound run;
    REQUIRE(shown(run.first) == "bind at 9");
    CHECK(shown(run.answer(fail(row.code, "why"))) == row.next);
    CHECK(run.binding.denied() == row.denied);
    CHECK(run.binding.error() == "binding: why");
    CHECK_FALSE(run.binding.finished());
    if (row.next.empty()) {
      REQUIRE(run.binding.next_tick() == t0 + 50ms);
      CHECK(run.binding.tick(t0 + 49ms).empty());
      CHECK(shown(run.binding.tick(t0 + 50ms)) == "read");
    }
  }
}

struct Seen {
  std::string name;
  std::string node;
  std::string uid;
  std::string version;
  bool deleted;
  std::string next;
  std::string error;
};

TEST_CASE("a pod that was read tells whether it is bound, can be, or never will") {
  const auto row = GENERATE(
      Seen{"bound as asked", "n0", "pod-uid", "10", false, "", ""},
      Seen{"bound elsewhere", "n1", "pod-uid", "10", false, "release",
           "pod default/p is bound elsewhere"},
      Seen{"another pod of that name", "", "other", "10", false, "release",
           "pod default/p is gone"},
      Seen{"another pod of that name on the node", "n0", "other", "10", false, "release",
           "pod default/p is gone"},
      Seen{"being deleted", "", "pod-uid", "10", true, "release", "pod default/p is being deleted"},
      Seen{"bound and being deleted", "n0", "pod-uid", "10", true, "", ""},
      Seen{"changed meanwhile", "", "pod-uid", "10", false, "bind at 10", "binding: why"},
      Seen{"as it was", "", "pod-uid", "9", false, "bind at 9", "binding: why"});
  DYNAMIC_SECTION(row.name) {
    Bound run;
    CHECK(shown(run.answer(fail(ErrorCode::conflict, "why"))) == "read");
    Pod pod = run.server.pod;
    if (!row.node.empty()) pod.node_name = NodeName(row.node);
    pod.meta.uid = Uid(row.uid);
    pod.meta.resource_version = ResourceVersion(row.version);
    if (row.deleted) pod.meta.deleted = t0;
    CHECK(shown(run.answer(WrittenObject{pod})) == row.next);
    CHECK(run.result() == (row.next.empty() ? "bound" : "under way"));
    CHECK(run.binding.error() == row.error);
  }
}

TEST_CASE("a pod that uses other claims by now is not bound with those it was placed with") {
  struct Row {
    std::string name;
    std::vector<PodResourceClaimStatus> made;
    std::string next;
  };
  const auto row =
      GENERATE(Row{"the same claim", {{.name = "gpus", .claim_name = "c0"}}, "bind at 10"},
               Row{"one made anew", {{.name = "gpus", .claim_name = "c0-again"}}, "release"},
               Row{"none yet", {}, "release"},
               Row{"none needed", {{.name = "gpus", .claim_name = std::nullopt}}, "bind at 10"});
  DYNAMIC_SECTION(row.name) {
    Bound run;
    static_cast<void>(run.answer(fail(ErrorCode::conflict, "changed")));
    auto pod = testing::with_template(run.server.pod, "one", "gpus");
    pod.meta.resource_version = ResourceVersion("10");
    pod.resource_claim_statuses = row.made;
    CHECK(shown(run.answer(WrittenObject{pod})) == row.next);
    if (row.next != "release") return;
    CHECK(run.binding.error() == "pod default/p uses other claims by now");
  }
}

TEST_CASE("the pod is bound at the version that the watch shows while its claims are written") {
  struct Row {
    std::string name;
    std::vector<PodResourceClaimStatus> made;
    std::string bound_at;
  };
  const auto row =
      GENERATE(Row{"the same claim", {{.name = "gpus", .claim_name = "c0"}}, "bind at 10"},
               Row{"one made anew", {{.name = "gpus", .claim_name = "c0-again"}}, "bind at 9"});
  DYNAMIC_SECTION(row.name) {
    auto pod = testing::with_template(Pod(), "one", "gpus");
    pod.meta.resource_version = ResourceVersion("10");
    pod.resource_claim_statuses = row.made;
    Bound run(pod);
    CHECK(shown(run.first) == row.bound_at);
  }
}

TEST_CASE("what the watch shows after the binding was sent is not the version that it named") {
  Bound run;
  static_cast<void>(run.answer(fail(ErrorCode::unavailable, "no answer")));
  auto pod = run.server.pod;
  pod.meta.resource_version = ResourceVersion("10");
  run.binding.see(pod);
  auto read = testing::with_template(run.server.pod, "one", "gpus");
  read.meta.resource_version = ResourceVersion("10");
  read.resource_claim_statuses = {};
  // It is another version than the binding named, which cannot land any more: no fence is needed.
  CHECK(shown(run.answer(WrittenObject{read})) == "release");
}

TEST_CASE("a binding without an answer is fenced before a pod with other claims is given up") {
  Bound run;
  static_cast<void>(run.answer(fail(ErrorCode::unavailable, "cut")));
  REQUIRE(shown(run.binding.tick(t0 + 1s)) == "read");
  const auto pod = testing::with_template(run.server.pod, "one", "gpus");
  CHECK(shown(run.answer(WrittenObject{pod}, t0 + 1s)) == "fence");
}

TEST_CASE("a pod that is not there is no pod to bind; one that cannot be read may be bound") {
  const auto code = GENERATE(ErrorCode::not_found, ErrorCode::unavailable, ErrorCode::internal,
                             ErrorCode::denied);
  INFO(name(code));
  Bound run;
  static_cast<void>(run.answer(fail(ErrorCode::conflict, "why")));
  const auto next = run.answer(fail(code, "no"));
  CHECK(shown(next) == (code == ErrorCode::not_found ? "release" : ""));
  if (code != ErrorCode::not_found) {
    REQUIRE(run.binding.next_tick());
    CHECK(shown(run.binding.tick(*run.binding.next_tick())) == "read");
  }
}

TEST_CASE("a bind without an answer is fenced before it is given up, unless the pod changed") {
  const bool changed = GENERATE(false, true);
  Bound run;
  static_cast<void>(run.answer(fail(ErrorCode::unavailable, "cut")));
  const auto now = t0 + Binding::deadline;
  CHECK(run.binding.abort("the gang failed").empty());
  REQUIRE(shown(run.binding.tick(now)) == "read");
  if (changed) run.server.pod.meta.resource_version = ResourceVersion("10");
  const auto next = run.answer(WrittenObject{run.server.pod}, now);
  CHECK(shown(next) == (changed ? "release" : "fence"));
}

TEST_CASE("a fence shows what landed before it") {
  Bound run;
  static_cast<void>(run.answer(fail(ErrorCode::unavailable, "cut")));
  const auto now = t0 + Binding::deadline;
  static_cast<void>(run.binding.tick(now));
  REQUIRE(shown(run.answer(WrittenObject{run.server.pod}, now)) == "fence");
  SECTION("the binding") {
    run.server.pod.node_name = NodeName("n0");
    CHECK(run.answer(WrittenObject{run.server.pod}, now).empty());
    CHECK(run.result() == "bound");
    CHECK(run.binding.error().empty());
  }
  SECTION("nothing") {
    CHECK(shown(run.answer(WrittenObject{run.server.pod}, now)) == "release");
    CHECK(run.binding.error() == "binding: cut");
  }
  SECTION("that the pod is gone") {
    CHECK(shown(run.answer(fail(ErrorCode::not_found, "gone"), now)) == "release");
  }
  SECTION("that another pod has its name") {
    CHECK(shown(run.answer(fail(ErrorCode::conflict, "uid"), now)) == "release");
  }
  SECTION("no answer: it is set again") {
    CHECK(run.answer(fail(ErrorCode::unavailable, "cut"), now).empty());
    REQUIRE(run.binding.next_tick());
    CHECK(shown(run.binding.tick(*run.binding.next_tick())) == "fence");
  }
}

TEST_CASE("a pod that is never bound ends the binding after eight attempts, or at its deadline") {
  Bound run;
  const bool late = GENERATE(false, true);
  const auto now = late ? t0 + Binding::deadline : t0;
  int binds = 1;
  auto next = run.answer(fail(ErrorCode::conflict, "why"), now);
  while (shown(next) == "read" && binds < 20) {
    next = run.answer(WrittenObject{run.server.pod}, now);
    if (shown(next) != "bind at 9") break;
    ++binds;
    next = run.answer(fail(ErrorCode::conflict, "why"), now);
  }
  CHECK(binds == (late ? 1 : 8));
  CHECK(shown(next) == "release");
  CHECK(run.binding.error() == "binding: why");
}

}  // namespace
}  // namespace dray::engine::binding_pod_test
