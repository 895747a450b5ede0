#include "simulate/pods/job_turns.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "dray/sim/owned_pods.h"
#include "tests/objects/pods.h"

namespace dray::simulate::job_turns_test {
namespace {

using namespace dray::testing;

Pod of_job(const std::string& name, const std::string& job, const char* at_once = "2") {
  auto pod = make_pod(name);
  pod.meta.uid = Uid(name);
  pod.meta.owners = {{"batch/v1", "Job", job, Uid(job), true}};
  pod.meta.annotations[sim::at_once_annotation] = at_once;
  return pod;
}

sim::WatchEvent event(Pod pod, sim::WatchEvent::Type type) {
  return {.type = type,
          .kind = Kind::pod,
          .revision = 1,
          .object = std::make_shared<const KubeObject>(std::move(pod))};
}

}  // namespace

TEST_CASE("of each Job so many pods come at once") {
  JobTurns turns;
  CHECK_FALSE(turns.is_later(of_job("a0", "a")));
  CHECK_FALSE(turns.is_later(of_job("b0", "b")));
  CHECK_FALSE(turns.is_later(of_job("a1", "a")));
  CHECK(turns.is_later(of_job("a2", "a")));
  CHECK_FALSE(turns.is_later(of_job("b1", "b")));
  CHECK_FALSE(turns.is_later(make_pod("alone")));
}

TEST_CASE("the next one comes once for each that has ended") {
  using Type = sim::WatchEvent::Type;
  const PodWorkload::Arrival third{.pod = of_job("a2", "a"), .later = true};
  const PodWorkload::Arrival fourth{.pod = of_job("a3", "a"), .later = true};
  LaterPods later;
  later.add(third);
  later.add(fourth);
  CHECK(later.count() == 2);
  auto first = of_job("a0", "a");
  CHECK(later.next_after(event(first, Type::modified)) == nullptr);
  CHECK(later.next_after(event(of_job("b0", "b"), Type::deleted)) == nullptr);
  first.phase = "Succeeded";
  CHECK(later.next_after(event(first, Type::modified)) == &third);
  CHECK(later.next_after(event(first, Type::deleted)) == nullptr);
  CHECK(later.next_after(event(of_job("a1", "a"), Type::deleted)) == &fourth);
  CHECK(later.count() == 0);
}

}  // namespace dray::simulate::job_turns_test
