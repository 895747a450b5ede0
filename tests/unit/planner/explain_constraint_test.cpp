#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/planner/explanation.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::explain_constraint_test {

using namespace worlds;
namespace {

Explanation explained(World& world, const std::string& job) {
  Question question;
  question.input = world.make_input();
  question.input.budget = PlanBudget::unbounded();
  const auto& asked = world.job(job);
  question.job = asked.uid;
  question.pod = asked.members.front().pod;
  question.scheduler_name = "dray-scheduler";
  question.gate = "dray.dev/admission";
  return explain(question, world.options);
}

bool says(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const auto& line) { return line.contains(text); });
}

TEST_CASE("a constraint: who is in the way, or that nobody's end can help") {
  World world;
  const auto put = [&](const std::string& node, const std::vector<std::string>& roots) {
    world.node(node, 0);
    std::vector<Device> devices;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      devices.push_back(testing::device("gpu-" + std::to_string(i),
                                        {{"resource.kubernetes.io/pcieRoot", roots[i]}}));
    }
    world.tell(testing::make_slice(node, std::move(devices)));
  };
  put("apart", {"r0", "r1"});
  const bool together = GENERATE(true, false);
  if (together) {
    put("used", {"r0", "r0", "r1"});
    world.running("r", "used", 0, 1, "a");
  }
  world.waiting("p", 2, "a");
  auto claim = make_claim("c-p", 2, "p");
  claim.spec.constraints.push_back(testing::match("resource.kubernetes.io/pcieRoot"));
  world.tell(claim);
  const auto made = explained(world, "p");
  const std::string wants =
      "wants 2 devices of class gpu that share one resource.kubernetes.io/pcieRoot on one node; ";
  CHECK(made.reason == Reason::constraint);
  CHECK(says(made.helps, "nobody's end helps, because no node has enough devices") != together);
  CHECK(says(made.helps, "drop the claim's constraint that devices share one"));
  if (together) {
    CHECK(made.summary == wants + "the most that a node has left is 1 of 2 (used)");
    CHECK(made.nearest.starts_with("used: it would fit there if default/r ended"));
  } else {
    CHECK(made.summary == wants + "the most that a node has is 1 (apart)");
  }
}

}  // namespace
}  // namespace dray::planner::explain_constraint_test
