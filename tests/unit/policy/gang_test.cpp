#include "dray/policy/gang.h"

#include <catch2/catch.hpp>
#include <functional>

namespace dray::policy::gang_test {

namespace {

using Ids = std::vector<std::uint32_t>;

/// A pod set whose tasks' states are letters: pending, running (placed), yielding, other.
PodSet set(std::string name, std::int32_t minimum, std::uint32_t first_id,
           std::string_view states) {
  PodSet set{std::move(name), minimum, {}, {}};
  for (const char c : states) {
    const auto state = c == 'p'   ? TaskState::pending
                       : c == 'r' ? TaskState::placed
                       : c == 'y' ? TaskState::yielding
                                  : TaskState::other;
    set.tasks.push_back({first_id++, state});
  }
  return set;
}

SubGroup group(std::string name, std::vector<PodSet> sets, std::vector<SubGroup> groups = {},
               std::optional<std::int32_t> minimum = std::nullopt) {
  return {std::move(name), minimum, {}, std::move(groups), std::move(sets)};
}

std::weak_ordering by_name(const MemberProgress& a, const MemberProgress& b) {
  return a.name <=> b.name;
}

}  // namespace

TEST_CASE("the next tasks to place: what is missing to the minimum, then one step more") {
  struct Row {
    std::string name;
    SubGroup root;
    Ids want;
  };
  const auto row = GENERATE(values<Row>({
      {"all of a gang", group("", {set("a", 2, 1, "pp")}), {1, 2}},
      {"no more than its minimum", group("", {set("a", 2, 1, "ppp")}), {1, 2}},
      {"the rest of it", group("", {set("a", 3, 1, "rpp")}), {2, 3}},
      {"then one by one", group("", {set("a", 1, 1, "rppp")}), {2}},
      {"gated and finished ones are not for now", group("", {set("a", 2, 1, "oprp")}), {2}},
      {"every set that is below its minimum",
       group("", {set("a", 1, 1, "r"), set("b", 1, 2, "p"), set("c", 1, 3, "p")}),
       {2, 3}},
      {"one more of the first set that has some",
       group("", {set("a", 1, 1, "r"), set("b", 1, 2, "rp"), set("c", 1, 4, "rp")}),
       {3}},
      {"all of as many members as are needed",
       group("", {set("a", 2, 1, "pp"), set("b", 2, 3, "pp"), set("c", 2, 5, "pp")}, {}, 2),
       {1, 2, 3, 4}},
      {"those furthest from ready last: a ready one does not count again",
       group("", {set("a", 1, 1, "rp"), set("b", 1, 3, "p")}, {}, 2),
       {3}},
      {"without a minimum one member at a time",
       group("", {set("a", 2, 1, "pp"), set("b", 1, 3, "p")}, {}, 0),
       {1, 2}},
      {"a group within a group",
       group("", {set("z", 1, 1, "p")},
             {group("inner", {set("a", 1, 2, "p"), set("b", 1, 3, "p")}, {}, 1)}),
       {2, 1}},
      {"nothing is left", group("", {set("a", 1, 1, "r")}), {}},
      {"a member that lacks pods does not hold up another",
       group("", {set("a", 2, 1, "p"), set("b", 1, 2, "p")}, {}, 1),
       {2}},
      {"where too few have all their pods, those that lack some are asked for as well",
       group("", {set("a", 2, 1, "p"), set("b", 1, 2, "p")}, {}, 2),
       {2, 1}},
      {"nor does it hold up the growth of the gang",
       group("", {set("a", 1, 1, "r"), set("b", 2, 2, "p"), set("c", 1, 3, "p")}, {}, 1),
       {3}},
      {"no member starts with a part of its minimum",
       group("", {set("a", 2, 1, "p")}, {group("inner", {set("b", 1, 2, "p")}, {}, 2)}, 0),
       {}},
      {"a member that is ready already counts before one that lacks pods",
       group("", {set("a", 1, 1, "r"), set("b", 2, 2, "p"), set("c", 1, 3, "p")}, {}, 2),
       {3}},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK(next_to_place(row.root, by_name, false) == row.want);
  }
}

TEST_CASE("tasks that yielded in a simulation are placed again in it only") {
  const auto root = group("", {set("a", 2, 1, "yp")});
  CHECK(next_to_place(root, by_need, false) == Ids{2});
  CHECK(next_to_place(root, by_need, true) == Ids{1, 2});
}

TEST_CASE("the next tasks to evict: surplus first, whole members next, then all") {
  struct Row {
    std::string name;
    SubGroup root;
    Eviction want;
  };
  const auto row = GENERATE(values<Row>({
      {"one above the minimum", group("", {set("a", 1, 1, "rrr")}), {{3}, true}},
      {"what runs of a member below its minimum, where others are enough",
       group("", {set("a", 1, 1, "rr"), set("b", 2, 3, "rp")}, {}, 1),
       {{3}, true}},
      {"the whole gang at its minimum", group("", {set("a", 2, 1, "rr")}), {{2, 1}, false}},
      {"nothing", group("", {set("a", 1, 1, "")}), {{}, false}},
      {"from the last set that has more",
       group("", {set("a", 1, 1, "rr"), set("b", 1, 3, "r")}),
       {{2}, true}},
      {"deep in the tree",
       group("", {}, {group("inner", {set("a", 1, 1, "r"), set("b", 1, 2, "rr")})}),
       {{3}, true}},
      {"the last member above the group's minimum",
       group("", {set("a", 1, 1, "r"), set("b", 1, 2, "r")}, {}, 1),
       {{2}, true}},
      {"a member group of one within",
       group("", {}, {group("inner", {set("a", 2, 1, "rr"), set("b", 2, 3, "rr")}, {}, 1)}),
       {{4, 3}, true}},
      {"a whole group above the minimum",
       group("", {},
             {group("a", {set("a1", 1, 1, "r"), set("a2", 1, 2, "r")}),
              group("b", {set("b1", 1, 3, "r"), set("b2", 1, 4, "r")})},
             1),
       {{3, 4}, true}},
      {"what is below its minimum goes as a whole",
       group("", {set("a", 1, 1, "r"), set("b", 1, 2, "")}),
       {{1}, false}},
      {"a group without a minimum gives all, its sibling nothing",
       group("", {set("keep", 1, 1, "r")}, {group("inner", {set("a", 1, 2, "r")}, {}, 0)}),
       {{2}, true}},
      {"a root without a minimum", group("", {set("a", 1, 1, "r")}, {}, 0), {{1}, false}},
      {"a mixed tree",
       group("", {set("own", 1, 1, "rr")}, {group("inner", {set("a", 1, 3, "r")})}),
       {{2}, true}},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK(next_to_evict(row.root, by_name) == row.want);
  }
}

TEST_CASE("members in need come first") {
  struct Row {
    std::string name;
    MemberProgress first, second;
  };
  const auto row = GENERATE(values<Row>({
      {"below the minimum before ready", {"z", 0, 1}, {"a", 1, 1}},
      {"both below: by name, however far", {"a", 1, 3}, {"b", 0, 3}},
      {"the smaller part of the minimum", {"z", 3, 2}, {"a", 2, 1}},
      {"equal parts by name", {"a", 4, 2}, {"b", 2, 1}},
      {"optional ones last", {"z", 9, 1}, {"a", 0, 0}},
      {"of two optional ones the smaller", {"z", 1, 0}, {"a", 2, 0}},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK((by_need(row.first, row.second) < 0));
    CHECK((by_need(row.second, row.first) > 0));
  }
}

TEST_CASE("a gang grows and shrinks through the same steps") {
  auto root = group("", {set("a", 2, 0, "pppp")});
  auto& tasks = root.pod_sets[0].tasks;
  std::vector<std::size_t> sizes;
  for (auto next = next_to_place(root, by_need, false); !next.empty();
       next = next_to_place(root, by_need, false)) {
    sizes.push_back(next.size());
    for (const auto id : next) tasks[id].state = TaskState::placed;
  }
  CHECK(sizes == std::vector<std::size_t>{2, 1, 1});
  CHECK(has_minimum(root));
  sizes.clear();
  for (bool more = true; more;) {
    const auto eviction = next_to_evict(root, by_need);
    sizes.push_back(eviction.tasks.size());
    for (const auto id : eviction.tasks) tasks[id].state = TaskState::other;
    more = eviction.more;
  }
  CHECK(sizes == std::vector<std::size_t>{1, 1, 2});
  CHECK(placed_tasks(root) == 0);
}

TEST_CASE("a gang's phase is that of its pod sets") {
  CHECK(phase_of(group("", {set("a", 1, 1, "r"), set("b", 1, 2, "rr")})) ==
        GangPhase::above_minimum);
  CHECK(phase_of(group("", {set("a", 1, 1, "rr"), set("b", 2, 3, "rp")})) ==
        GangPhase::below_minimum);
  CHECK(phase_of(group("", {}, {group("g", {set("a", 1, 1, "r")})})) == GangPhase::at_minimum);
}

}  // namespace dray::policy::gang_test
