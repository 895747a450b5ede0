#include "engine/books/gang_rules.h"

#include <catch2/catch.hpp>

namespace dray::engine::gang_rules_test {
namespace {

using policy::GangOwner;

policy::QueueConfig queue(const std::string& name, const std::string& parent,
                          std::optional<std::vector<GangOwner>> gangs) {
  policy::QueueConfig made;
  made.name = policy::QueueName(name);
  if (!parent.empty()) made.parent = policy::QueueName(parent);
  made.gangs = std::move(gangs);
  return made;
}

TEST_CASE("whose pods are gangs: the queue's list, else the nearest above, else all but Jobs'") {
  policy::PolicyConfig config;
  config.queues = {queue("team", "", std::vector{GangOwner::job}),
                   queue("below", "team", {}),
                   queue("nobody", "team", std::vector<GangOwner>{}),
                   queue("plain", "", {}),
                   queue("a", "b", {}),
                   queue("b", "a", {})};
  const GangRules rules(config);
  struct Row {
    std::string queue;
    bool job;
    bool job_set;
  };
  const auto row =
      GENERATE(Row{"team", true, false}, Row{"below", true, false}, Row{"nobody", false, false},
               Row{"plain", false, true}, Row{"a", false, true}, Row{"elsewhere", false, true});
  DYNAMIC_SECTION(row.queue) {
    CHECK(rules.allows(row.queue, GangOwner::job) == row.job);
    CHECK(rules.allows(row.queue, GangOwner::job_set) == row.job_set);
  }
}

}  // namespace
}  // namespace dray::engine::gang_rules_test
