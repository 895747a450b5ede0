#include "engine/protocol/gang_commit.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/planner/job.h"

namespace dray::engine::gang_commit_test {
namespace {

using namespace std::chrono_literals;

constexpr Time begin = Time(std::chrono::hours(24 * 365 * 50));

std::string words(const std::vector<Uid>& pods) {
  std::string text;
  for (const auto& pod : pods) text += " " + pod.get();
  return text;
}

std::string words(const GangCommit::Commands& commands) {
  std::string text;
  for (const auto& command : commands) {
    if (!text.empty()) text += "; ";
    if (const auto* c = std::get_if<GangCommit::WriteClaims>(&command)) {
      text += "claims" + words(c->pods);
    } else if (const auto* b = std::get_if<GangCommit::BindPods>(&command)) {
      text += "bind" + words(b->pods);
    } else if (const auto* u = std::get_if<GangCommit::Undo>(&command)) {
      text += "undo" + words(u->pods) + ": " + u->error;
    } else if (const auto* r = std::get_if<GangCommit::Refuse>(&command)) {
      text += "refuse" + words(r->pods) + ": " + r->error;
    } else if (const auto* s = std::get_if<GangCommit::BindSingly>(&command)) {
      text += "singly" + words(s->pods);
    }
  }
  return text;
}

GangCommit gang_of(std::int32_t minimum, std::vector<std::string> names, std::set<Uid> bound = {}) {
  std::vector<Uid> pods;
  for (auto& name : names) pods.emplace_back(std::move(name));
  return {planner::plain_gang(pods.size(), minimum), std::move(pods), std::move(bound), begin};
}

TEST_CASE("nothing is written before the minimum has come; then claims; then bindings") {
  auto commit = gang_of(3, {"a", "b", "c", "d"});
  CHECK(words(commit.arrived(Uid("a"))).empty());
  CHECK(words(commit.arrived(Uid("c"))).empty());
  CHECK(words(commit.arrived(Uid("b"))) == "claims a b c");
  CHECK(words(commit.claims_written(Uid("b"))).empty());
  CHECK(words(commit.claims_written(Uid("a"))).empty());
  CHECK(words(commit.claims_written(Uid("c"))) == "bind a b c");
  CHECK(!commit.next_tick());
  CHECK(words(commit.ended(Uid("a"), true, "")).empty());
  CHECK(words(commit.ended(Uid("b"), true, "")).empty());
  CHECK(!commit.finished());
  CHECK(words(commit.ended(Uid("c"), true, "")).empty());
  CHECK(commit.finished());
  CHECK(commit.error().empty());
}

TEST_CASE("a member beyond the minimum waits for it, then goes by itself") {
  auto commit = gang_of(1, {"a", "b"});
  CHECK(words(commit.arrived(Uid("a"))) == "claims a");
  CHECK(words(commit.arrived(Uid("b"))).empty());
  CHECK(words(commit.claims_written(Uid("a"))) == "bind a");
  CHECK(words(commit.ended(Uid("a"), true, "")) == "singly b");
  CHECK(commit.finished());
}

TEST_CASE("members that are bound already count") {
  auto commit = gang_of(3, {"a", "b", "c"}, {Uid("a"), Uid("b")});
  CHECK(words(commit.arrived(Uid("c"))) == "claims c");
}

TEST_CASE("a claim that fails undoes it for all, and every call hears why") {
  auto commit = gang_of(2, {"a", "b", "c"});
  CHECK(words(commit.arrived(Uid("a"))).empty());
  CHECK(words(commit.arrived(Uid("b"))) == "claims a b");
  CHECK(words(commit.arrived(Uid("c"))).empty());
  CHECK(words(commit.claims_written(Uid("a"))).empty());
  CHECK(words(commit.ended(Uid("b"), false, "denied")) == "undo a: denied");
  CHECK(!commit.finished());
  CHECK(words(commit.ended(Uid("a"), false, "denied")) == "refuse c: denied");
  CHECK(commit.finished());
  CHECK(commit.error() == "denied");
}

TEST_CASE("a binding that fails is undone by itself; the others stay") {
  auto commit = gang_of(2, {"a", "b"});
  CHECK(words(commit.arrived(Uid("a"))).empty());
  CHECK(words(commit.arrived(Uid("b"))) == "claims a b");
  CHECK(words(commit.claims_written(Uid("a"))).empty());
  CHECK(words(commit.claims_written(Uid("b"))) == "bind a b");
  CHECK(words(commit.ended(Uid("a"), false, "gone")).empty());
  CHECK(!commit.finished());
  CHECK(words(commit.ended(Uid("b"), true, "")).empty());
  CHECK(commit.finished());
}

TEST_CASE("who waits is told when patience runs out") {
  auto commit = gang_of(3, {"a", "b", "c"});
  CHECK(words(commit.arrived(Uid("a"))).empty());
  const auto deadline = begin + 5s + 150ms;
  CHECK(commit.next_tick() == deadline);
  CHECK(words(commit.tick(deadline - 1ms)).empty());
  CHECK(words(commit.tick(deadline)) ==
        "refuse a: dray: too few pods of the gang came to be bound in time");
  CHECK(commit.finished());
}

TEST_CASE("a pod that goes while the others gather is not waited for") {
  auto commit = gang_of(2, {"a", "b", "c"});
  CHECK(words(commit.arrived(Uid("a"))).empty());
  CHECK(words(commit.left(Uid("a"))).empty());
  CHECK(commit.finished());
  auto other = gang_of(2, {"a", "b", "c"});
  CHECK(words(other.arrived(Uid("a"))).empty());
  CHECK(words(other.arrived(Uid("b"))) == "claims a b");
  CHECK(words(other.left(Uid("a"))) == "undo b: a pod of the gang is gone");
}

TEST_CASE("a tree of parts: each needs its own minimum") {
  policy::SubGroup root;
  root.pod_sets.push_back(
      {.name = "prefill", .min_member = 1, .topology = {}, .tasks = {{.id = 0}, {.id = 1}}});
  root.pod_sets.push_back(
      {.name = "decode", .min_member = 1, .topology = {}, .tasks = {{.id = 2}}});
  GangCommit commit(root, {Uid("p0"), Uid("p1"), Uid("d0")}, {}, begin);
  CHECK(words(commit.arrived(Uid("p0"))).empty());
  CHECK(words(commit.arrived(Uid("p1"))).empty());
  CHECK(words(commit.arrived(Uid("d0"))) == "claims d0 p0 p1");
}

}  // namespace
}  // namespace dray::engine::gang_commit_test
