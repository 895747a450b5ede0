#include "engine/books/running_minimum.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/engine/shelf.h"

namespace dray::engine::running_minimum_test {
namespace {

using planner::MemberState;

/// A gang of one part with these members, which its owner wants so many of.
planner::Job job_of(std::int32_t wanted, const std::vector<MemberState>& states,
                    bool gated = true) {
  planner::Job job;
  job.gang = planner::plain_gang(states.size(), wanted);
  for (const auto state : states) {
    auto pod = make_pod("p" + std::to_string(job.members.size()), "");
    if (!gated) pod.scheduling_gates.clear();
    if (gated && pod.scheduling_gates.empty()) pod.scheduling_gates = {"dray.dev/admission"};
    job.members.push_back({std::make_shared<const Pod>(pod), state, {}});
  }
  return job;
}

std::int32_t settled(RunningMinimum& minimum, planner::Job job) {
  minimum.settle(job);
  return job.gang.pod_sets.at(0).min_member;
}

constexpr auto placed = MemberState::placed;
constexpr auto waiting = MemberState::waiting;

TEST_CASE("before it runs a gang needs what its owner wants") {
  RunningMinimum minimum;
  CHECK(settled(minimum, job_of(2, {waiting, waiting})) == 2);
  CHECK(settled(minimum, job_of(3, {waiting, waiting, waiting})) == 3);
  CHECK(settled(minimum, job_of(1, {waiting})) == 1);
}

TEST_CASE("while it runs, more that is wanted is not needed, and less is all that is") {
  RunningMinimum minimum;
  settled(minimum, job_of(2, {waiting, waiting}));
  CHECK(settled(minimum, job_of(2, {placed, placed})) == 2);
  CHECK(settled(minimum, job_of(4, {placed, placed, waiting, waiting})) == 2);
  CHECK(settled(minimum, job_of(4, {placed, placed, placed, placed})) == 2);
  CHECK(settled(minimum, job_of(1, {placed})) == 1);
  CHECK(settled(minimum, job_of(4, {placed, waiting, waiting, waiting})) == 1);
}

TEST_CASE("a member that is gone is missed") {
  RunningMinimum minimum;
  settled(minimum, job_of(3, {waiting, waiting, waiting}));
  settled(minimum, job_of(3, {placed, placed, placed}));
  CHECK(settled(minimum, job_of(3, {placed, placed, waiting})) == 3);
}

TEST_CASE("once nothing of it runs it begins anew") {
  RunningMinimum minimum;
  settled(minimum, job_of(2, {waiting, waiting}));
  settled(minimum, job_of(4, {placed, placed, waiting, waiting}));
  CHECK(settled(minimum,
                job_of(4, {MemberState::leaving, MemberState::leaving, waiting, waiting})) == 4);
}

TEST_CASE("after a start of dray what runs is enough, and what was lifted to run with it") {
  RunningMinimum gated;
  CHECK(settled(gated, job_of(4, {placed, placed, waiting, waiting})) == 2);
  RunningMinimum lifted;
  CHECK(settled(lifted, job_of(4, {placed, placed, waiting, waiting}, false)) == 4);
}

TEST_CASE("a part that is added while others run is not waited for") {
  RunningMinimum minimum;
  settled(minimum, job_of(1, {waiting}));
  auto job = job_of(1, {placed, waiting});
  job.gang.pod_sets.front().tasks.pop_back();
  job.gang.pod_sets.push_back(
      {.name = "new", .min_member = 1, .topology = {}, .tasks = {{.id = 1}}});
  minimum.settle(job);
  CHECK(job.gang.pod_sets.at(0).min_member == 1);
  CHECK(job.gang.pod_sets.at(1).min_member == 0);
}

}  // namespace
}  // namespace dray::engine::running_minimum_test
