#include "planner/place/node_ranking.h"

#include <catch2/catch.hpp>

#include <random>

#include "planner/plan_memory.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::node_ranking_test {

using namespace worlds;
namespace {

constexpr int node_count = 12;

/// Nodes of one to eight GPUs, two of which run a job of one GPU on each but the smallest.
World uneven_nodes() {
  World world;
  world.queue("a", 0);
  world.queue("wide", 0).placement["gpu"] = policy::PlacementStrategy::spread;
  for (int i = 0; i < node_count; ++i) {
    const auto name = "n" + std::to_string(i);
    world.node(name, 1 + i * 5 % 8);
    if (i * 5 % 8 > 0) world.running("r" + std::to_string(i), name, 0, 1, "a");
  }
  for (int i = 0; i < 24; ++i) {
    world.waiting("w" + std::to_string(i), 1 + i % 3, i % 4 == 0 ? "wide" : "a");
  }
  return world;
}

/// A choice that remembers beside one that never did, while the plan goes on and back.
class Walk {
 public:
  explicit Walk(World& world, unsigned seed) : parts_(world), random_(seed) {}

  /// Both choices for one of the waiting jobs, as text.
  std::pair<std::string, std::string> compare() {
    auto& job = parts_.job("w" + std::to_string(random_() % 24));
    const auto room = random_() % 2 == 0 ? Room::idle : Room::releasing;
    BarredNodes barred;
    if (random_() % 3 == 0) barred.emplace(any_node(), Reason::no_devices);
    NodeRankings nothing;
    NodeChoice anew(parts_.input, parts_.context.policy, parts_.overlay, parts_.placer.fit(),
                    nothing);
    return {text(parts_.placer.choice(), job, barred, room), text(anew, job, barred, room)};
  }

  /// A job starts, one is evicted, or some of that is taken back.
  void go_on() {
    const auto dice = random_() % 4;
    if (dice == 0 && !marks_.empty()) {
      marks_.resize(1 + random_() % marks_.size());
      parts_.overlay.undo(marks_.back());
      marks_.pop_back();
      return;
    }
    marks_.push_back(parts_.overlay.mark());
    auto& job = parts_.job((dice == 1 ? "r" : "w") + std::to_string(1 + random_() % 7));
    auto& task = job.tasks.front();
    if (dice == 1 && task.state == policy::TaskState::placed) {
      parts_.overlay.evict(job, task);
    } else if (dice != 1 && task.state == policy::TaskState::pending) {
      const std::uint32_t chunk[] = {0};
      static_cast<void>(
          parts_.placer.place(job, chunk, parts_.placer.fit().everywhere(), Room::releasing));
    }
  }

 private:
  cluster::NodeIndex any_node() {
    return parts_.node("n" + std::to_string(random_() % node_count));
  }
  std::string text(NodeChoice& choice, PlanJob& job, const BarredNodes& barred, Room room) {
    const auto made = choice.best(job, job.tasks.front(),
                                  choice.rankings(parts_.placer.fit().everywhere()), barred, room);
    if (!made) return "-";
    return parts_.name(made->node) + (made->room == Room::idle ? " idle" : " releasing");
  }

  Parts parts_;
  std::mt19937 random_;
  std::vector<Overlay::Mark> marks_;
};

TEST_CASE("what is remembered of nodes chooses as if nothing were") {
  auto world = uneven_nodes();
  for (unsigned seed = 0; seed < 40; ++seed) {
    Walk walk(world, seed);
    for (int step = 0; step < 60; ++step) {
      CAPTURE(seed, step);
      const auto [remembered, anew] = walk.compare();
      REQUIRE(remembered == anew);
      walk.go_on();
    }
  }
}

TEST_CASE("a gang judges its nodes once, and those again that its members change") {
  World world;
  constexpr std::size_t nodes = 50;
  constexpr int members = 100;
  for (std::size_t i = 0; i < nodes; ++i) world.node("n" + std::to_string(i), 4);
  world.queue("a", 0);
  auto& gang = world.gang("g", "a", members);
  world.members(gang, members, 1);
  Parts parts(world);
  auto& job = parts.job("g");
  const auto placed =
      parts.placer.place(job, job.next_chunk(), parts.placer.fit().everywhere(), Room::idle);
  REQUIRE(placed);
  // Once before a look and once after it: not nodes times members, which is 5,000.
  CHECK(parts.placer.choice().judged() <= 2 * (nodes + members));
}

TEST_CASE("a plan judges the nodes again that changed since the one before") {
  World world;
  constexpr std::size_t nodes = 400;
  for (std::size_t i = 0; i < nodes; ++i) world.node("n" + std::to_string(1000 + i), 4);
  world.queue("a", 0);
  world.waiting("w", 1, "a");
  PlanMemory memory({});
  const auto policy = world.make_input().policy;
  const auto plan = [&](const std::vector<NodeName>* only = nullptr) {
    auto input = world.make_input();
    input.policy = policy;
    if (only != nullptr) input.only = *only;
    auto start = memory.start(input);
    const PlanContext context{input, memory.policy_of(input), start.total};
    Overlay overlay(input.snapshot, memory.nodes(), start.queues);
    Placer placer(context, memory.jobs(), overlay, memory.allocator(), memory.verdicts(),
                  memory.rankings());
    auto& job = *memory.jobs().find(Uid("uid-w"));
    const auto chunk = job.next_chunk();
    const auto placed = placer.place(job, chunk, placer.fit().everywhere(), Room::idle);
    REQUIRE(placed);
    std::pair made(placed->front().placement.node.get(), placer.choice().judged());
    overlay.undo(0);
    return made;
  };
  CHECK(plan().second >= nodes);
  const auto [node, judged] = plan();
  CHECK(node == "n1000");
  CHECK(judged <= 3);
  // Better than all others: one of its devices is taken already.
  world.running("r", "n1300", 0, 1, "a");
  const auto [fuller, judged_again] = plan();
  CHECK(fuller == "n1300");
  CHECK(judged_again <= 4);
  const std::vector some{NodeName("n1001"), NodeName("n1002")};
  CHECK(plan(&some).first == "n1001");
  CHECK(plan().first == "n1300");
  // Ranks are others now.
  world.state.apply(cluster::ObjectGone{Kind::node, "", "n1300", Uid("uid-n1300")});
  world.node("n0999", 4);
  CHECK(plan().first == "n0999");
}

TEST_CASE("a set that is not every node is judged by itself, whatever was judged before") {
  World world;
  for (const auto* name : {"a", "b"}) world.node(name, 2);
  world.queue("q", 0);
  world.waiting("one", 1, "q");
  Parts parts(world);
  auto& choice = parts.placer.choice();
  const auto best = [&](const NodeSet& among) {
    const auto made =
        choice.best(parts.job("one"), parts.task("one"), choice.rankings(among), {}, Room::idle);
    return made ? parts.name(made->node) : "-";
  };
  auto set = parts.nodes({"b"});
  CHECK(best(set) == "b");
  set = parts.nodes({"a", "b"});
  CHECK(best(set) == "a");
  set.nodes.clear();
  CHECK(best(set) == "-");
  CHECK(best(parts.placer.fit().everywhere()) == "a");
}

TEST_CASE("the head of a ranking is never what a node was") {
  World world;
  for (const auto* name : {"a", "b"}) world.node(name, 2);
  Parts parts(world);
  auto& nodes = parts.overlay.nodes();
  const auto& among = parts.placer.fit().everywhere();
  const std::vector<bool> members(nodes.size(), true);
  NodeRanking ranking;
  std::vector<std::string> judged;
  const auto judge = [&](cluster::NodeIndex node, NodeCandidate& made) {
    judged.push_back(parts.name(node));
    made.rules = nodes.stamp(node) > 100 ? 0 : 1;
    made.rank = nodes.rank(node);
    made.node = node;
    made.stamp = nodes.stamp(node);
    return true;
  };
  ranking.refresh(nodes, among, members, judge);
  CHECK(parts.name(ranking.best(nodes)->node) == "a");
  nodes.set_stamp(parts.node("a"), 101);
  ranking.refresh(nodes, among, members, judge);
  CHECK(judged == Names{"a", "b", "a"});
  CHECK(parts.name(ranking.best(nodes)->node) == "b");
  static_cast<void>(ranking.take_best());
  CHECK(parts.name(ranking.best(nodes)->node) == "a");
  static_cast<void>(ranking.take_best());
  CHECK(ranking.best(nodes) == nullptr);
}

}  // namespace
}  // namespace dray::planner::node_ranking_test
