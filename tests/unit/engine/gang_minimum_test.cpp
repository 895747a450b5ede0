#include "engine/protocol/gang_minimum.h"

#include <catch2/catch.hpp>

#include <memory>

namespace dray::engine::gang_minimum_test {
namespace {

const std::vector<Uid> abc{Uid("a"), Uid("b"), Uid("c")};

TEST_CASE("exactly the members that are there count") {
  struct Row {
    std::string name;
    std::int32_t minimum;
    std::set<Uid> there;
    bool want;
  };
  const auto row = GENERATE(Row{"nobody", 1, {}, false}, Row{"one of one", 1, {Uid("b")}, true},
                            Row{"one below the minimum", 3, {Uid("a"), Uid("c")}, false},
                            Row{"just the minimum", 2, {Uid("a"), Uid("c")}, true},
                            Row{"a stranger does not count", 1, {Uid("x")}, false});
  DYNAMIC_SECTION(row.name) {
    CHECK(may_run_with(planner::plain_gang(3, row.minimum), abc, {}, row.there) == row.want);
  }
}

TEST_CASE("what the gang's tasks say of themselves does not count") {
  auto gang = planner::plain_gang(3, 2);
  for (auto& task : gang.pod_sets[0].tasks) task.state = policy::TaskState::placed;
  CHECK(!may_run_with(gang, abc, {}, {Uid("a")}));
}

TEST_CASE("parts below the root count by themselves") {
  policy::SubGroup root;
  policy::SubGroup part;
  part.name = "part";
  part.pod_sets.push_back(
      {.name = "x", .min_member = 1, .topology = {}, .tasks = {{.id = 0}, {.id = 1}}});
  root.sub_groups.push_back(part);
  root.pod_sets.push_back({.name = "y", .min_member = 1, .topology = {}, .tasks = {{.id = 2}}});
  CHECK(!may_run_with(root, abc, {}, {Uid("a"), Uid("b")}));
  CHECK(!may_run_with(root, abc, {}, {Uid("c")}));
  CHECK(may_run_with(root, abc, {}, {Uid("b"), Uid("c")}));
}

TEST_CASE("where some groups are enough, none starts with a part of what it needs") {
  policy::SubGroup root;
  root.pod_sets.push_back({.name = "x", .min_member = 1, .topology = {}, .tasks = {{.id = 0}}});
  root.pod_sets.push_back(
      {.name = "y", .min_member = 2, .topology = {}, .tasks = {{.id = 1}, {.id = 2}}});
  struct Row {
    std::string name;
    std::int32_t needed;
    std::set<Uid> bound;
    std::set<Uid> there;
    bool want;
  };
  const Uid a("a");
  const Uid b("b");
  const Uid c("c");
  const auto row = GENERATE_COPY(
      Row{"the first group", 1, {}, {a}, true}, Row{"a part of the second", 1, {}, {a, b}, false},
      Row{"a part of the second, none needed", 0, {}, {b}, false},
      Row{"all of the second", 0, {}, {b, c}, true},
      Row{"the second beside the first", 1, {a}, {a, b, c}, true},
      Row{"a part of it that runs already stays out of it", 1, {b}, {a, b}, true},
      Row{"the rest of what runs", 1, {a, b}, {a, b, c}, true},
      Row{"too few groups", 2, {}, {a}, false});
  root.min_sub_group = row.needed;
  DYNAMIC_SECTION(row.name) {
    CHECK(may_run_with(root, abc, row.bound, row.there) == row.want);
  }
}

TEST_CASE("members are named in the order of the tasks") {
  planner::Job job;
  for (const auto* name : {"z", "a"}) {
    Pod pod;
    pod.meta.uid = Uid(name);
    job.members.push_back({std::make_shared<const Pod>(pod), planner::MemberState::placed, {}});
  }
  CHECK(member_uids(job) == std::vector{Uid("z"), Uid("a")});
}

}  // namespace
}  // namespace dray::engine::gang_minimum_test
