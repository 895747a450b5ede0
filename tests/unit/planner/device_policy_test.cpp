#include "planner/device_policy.h"

#include <catch2/catch.hpp>

namespace dray::planner::device_policy_test {

using alloc::AlignmentLevel;

TEST_CASE("a policy that says nothing leaves the allocator as it is") {
  const alloc::AllocatorOptions options;
  const auto made = with_policy(options, {});
  CHECK(made.alignment == options.alignment);
  CHECK(made.shares == options.shares);
}

TEST_CASE("levels stand for their aliases' attributes, required ones first") {
  policy::PolicyConfig config;
  config.alignment.aliases["numa"] = {"a.example.com/numa", "b.example.com/node"};
  config.alignment.prefer = {"x.example.com/root", "numa"};
  config.alignment.require = {"numa"};
  config.shares = policy::PlacementStrategy::spread;
  const auto made = with_policy({}, config);
  const std::vector<std::string> numa{"a.example.com/numa", "b.example.com/node"};
  CHECK(made.alignment == std::vector<AlignmentLevel>{{.attributes = numa, .required = true},
                                                      {.attributes = {"x.example.com/root"}},
                                                      {.attributes = numa}});
  CHECK(made.shares == alloc::SharePlacement::spread);
  config.alignment.prefer.emplace();
  CHECK(with_policy({}, config).alignment.size() == 1);
}

}  // namespace dray::planner::device_policy_test
