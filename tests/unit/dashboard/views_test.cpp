#include "dashboard/views.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

namespace dray::dashboard::views_test {
namespace {

using Catch::Contains;
using namespace dray::testing;

/// Two nodes with two GPUs each; `runs` has one of n0, `big` wants more than a node has.
struct World {
  World() {
    bench.add_nodes(2, 2);
    bench.tell(make_claim("c-runs", 1, "runs"));
    bench.tell(make_claim("c-big", 3, "big"));
    auto runs = with_claim(make_pod("runs"), "c-runs");
    auto big = with_claim(make_pod("big"), "c-big");
    bench.tell(runs);
    bench.tell(big);
  }
  [[nodiscard]] Picture picture() {
    Picture made;
    made.revision = 7;
    made.at = bench.now;
    made.engine = bench.engine.picture();
    made.jobs = bench.engine.jobs_after({}, 100, bench.now);
    made.unformed = bench.engine.unformed(std::nullopt, 100);
    return made;
  }
  engine::Bench bench;
};

Viewer sees_nothing() {
  Viewer viewer;
  viewer.everything = false;
  return viewer;
}

const Viewer nobody = sees_nothing();
const Viewer everybody;
const Page all{0, 100};

}  // namespace

TEST_CASE("jobs are listed page by page, and what waits says why") {
  World world;
  auto& engine = world.bench.engine;
  const auto first = engine.jobs_after({}, 1, world.bench.now);
  REQUIRE(first.size() == 1);
  CHECK(first[0].job->name == "default/big");
  CHECK(first[0].pod == PodKey{"default", "big"});
  CHECK(first[0].reason != Reason::none);
  const auto second = engine.jobs_after(first[0].job->uid, 5, world.bench.now);
  REQUIRE(second.size() == 1);
  CHECK(second[0].job->name == "default/runs");
  CHECK(second[0].pod.name.empty());
  CHECK(engine.jobs_after(second[0].job->uid, 5, world.bench.now).empty());
}

TEST_CASE("a partition that others in use block is no free one, and says by which") {
  World world;
  auto slice = make_slice("card", {});
  for (const auto* name : {"half-0", "half-1", "whole"}) {
    auto part = device(name);
    const auto* memory = slice.devices.size() < 2 ? "2Gi" : "4Gi";
    part.consumes_counters.push_back({"card", {{"memory", quantity(memory)}}, {}});
    slice.devices.push_back(part);
  }
  slice.shared_counters.push_back({"card", {{"memory", quantity("4Gi")}}});
  world.bench.tell(make_node("card"));
  world.bench.tell(slice);
  auto claim = make_claim("c-half");
  claim.allocation = allocation({device_id("card", "half-1")});
  world.bench.tell(claim);
  CHECK_THAT(nodes_json(world.picture(), all, everybody),
             Contains(R"({"name":"card","devices":".-%",)"));
  CHECK_THAT(node_json(world.picture(), "card", everybody),
             Contains(R"("name":"whole","state":"%","blockedBy":"half-1",)"));
}

TEST_CASE("the map has a letter for each device") {
  World world;
  const auto json = nodes_json(world.picture(), all, everybody);
  CHECK_THAT(json, Contains(R"("queues":["default"])"));
  CHECK_THAT(json, Contains(R"({"name":"n0","devices":"a.",)") ||
                       Contains(R"({"name":"n0","devices":".a",)"));
  CHECK_THAT(json, Contains(R"({"name":"n1","devices":"..",)"));
}

TEST_CASE("the map is paged, and searched by name") {
  World world;
  const auto second = nodes_json(world.picture(), {1, 1}, everybody);
  CHECK_THAT(second, Contains(R"("from":1,"found":2,"total":2)") && Contains(R"("name":"n1")") &&
                         !Contains(R"("name":"n0")"));
  const auto found = nodes_json(world.picture(), {0, 9, "1"}, everybody);
  CHECK_THAT(found, Contains(R"("found":1,"total":2)") && !Contains(R"("name":"n0")"));
}

TEST_CASE("a node shows who has its devices, and others only that they are held") {
  World world;
  const auto json = node_json(world.picture(), "n0", everybody);
  CHECK_THAT(json,
             Contains(R"("holders":[{"queue":"default","claim":"default/c-runs","pods":["runs"])"));
  CHECK_THAT(json, Contains(R"("reserved":true)"));
  const auto hidden = node_json(world.picture(), "n0", nobody);
  CHECK_THAT(hidden, Contains(R"("hidden":true)") && !Contains("runs"));
  CHECK(node_json(world.picture(), "n9", everybody).empty());
}

TEST_CASE("what waits is grouped by reason; who may not see it gets the number") {
  World world;
  const auto json = waiting_json(world.picture(), "", all, everybody);
  CHECK_THAT(json, Contains(R"("jobs":1,"pods":1,"groups":[{"reason":)") &&
                       Contains(R"("hidden":0,"from":0,"rows":[{"job":"default/big")"));
  const auto hidden = waiting_json(world.picture(), "", all, nobody);
  CHECK_THAT(hidden, Contains(R"("hidden":1,"from":0,"rows":[])") && !Contains("big"));
  CHECK_THAT(waiting_json(world.picture(), "NoSuchReason", all, everybody),
             Contains(R"("groups":[])"));
}

TEST_CASE("the ledger has each claim with its devices and its state") {
  World world;
  const auto json = ledger_json(world.picture(), all, everybody);
  CHECK_THAT(json, Contains(R"("total":2,"found":2,"hidden":0)"));
  CHECK_THAT(json, Contains(R"("claim":"default/c-big","pods":["big"],"state":"waiting")"));
  CHECK_THAT(json, Contains(R"("claim":"default/c-runs","pods":["runs"],"state":"reserved")"));
  CHECK_THAT(ledger_json(world.picture(), {0, 9, "runs"}, everybody),
             Contains(R"("found":1)") && !Contains("c-big"));
  const auto hidden = ledger_json(world.picture(), all, nobody);
  CHECK_THAT(hidden, Contains(R"("found":0,"hidden":2)") && !Contains("c-"));
}

TEST_CASE("the overview counts, and names what is wrong") {
  World world;
  Standing standing;
  CHECK_THAT(overview_json(world.picture(), standing, everybody),
             Contains(R"("nodes":2,"devices":4,"devicesInUse":1,"claims":2,"jobs":2)") &&
                 Contains(R"("waitingJobs":1,"waitingPods":1,"placedPods":1)") &&
                 Contains(R"("problems":[])") && Contains(R"("devices":4,"inUse":1)"));
  standing.trouble = "pods: refused";
  CHECK_THAT(overview_json(world.picture(), standing, everybody),
             Contains(R"("problems":["watch: pods: refused"])"));
}

TEST_CASE("queues have their jobs; the policy is shown as it is read") {
  World world;
  CHECK_THAT(queues_json(world.picture(), everybody),
             Contains(R"("name":"default","priority":100,"leaf":true,"waiting":1,"running":1)"));
  Standing standing;
  standing.policy = "7:12: no such key";
  standing.policy_generation = 4;
  CHECK_THAT(policy_json(world.picture(), standing),
             Contains(R"("generation":4,"problem":"7:12: no such key")") &&
                 Contains("apiVersion: dray.dev"));
}

TEST_CASE("a tenant knows his own queues and those above; others' go by their place") {
  World world;
  auto config = policy::Policy::open().config;
  const auto add = [&](const std::string& name, const std::string& parent,
                       std::vector<std::string> namespaces) {
    auto& queue = config.queues.emplace_back();
    queue.name = policy::QueueName(name);
    if (!parent.empty()) queue.parent = policy::QueueName(parent);
    queue.namespaces = std::move(namespaces);
  };
  config.queues.clear();
  add("above", "", {});
  add("mine", "above", {"default"});
  add("theirs", "above", {"other"});
  auto picture = world.picture();
  picture.engine.policy =
      std::make_shared<const policy::Policy>(policy::compile(std::move(config)).value());
  Viewer viewer = sees_nothing();
  CHECK(queues_of({"nowhere"}, picture).empty());
  viewer.namespaces = {"default"};
  viewer.queues = queues_of(viewer.namespaces, picture);
  // The jobs were made under the policy before, whose one queue was `default`.
  CHECK(viewer.queues == std::set<std::string, std::less<>>{"above", "default", "mine"});
  const auto json = queues_json(picture, viewer);
  CHECK_THAT(json, Contains(R"("name":"mine","parent":"above")") &&
                       Contains(R"q("name":"(queue 3)","parent":"above")q") && !Contains("theirs"));
  CHECK_THAT(nodes_json(picture, all, viewer),
             Contains(R"q("queues":["above","mine","(queue 3)"])q"));
  CHECK_THAT(queues_json(picture, everybody), Contains("theirs"));
}

TEST_CASE("a tenant hears that something is wrong, and not what it says of others") {
  World world;
  auto picture = world.picture();
  picture.engine.status.policy_problem = "queue theirs: no such parent";
  Standing standing;
  standing.policy = "7:12: queue theirs";
  standing.policy_warnings = {"queues[1]: theirs", "queues[2]: theirs"};
  const auto json = overview_json(picture, without_names(standing), nobody);
  CHECK_THAT(json, Contains(R"("problems":["policy file: its text is for who sees)") &&
                       Contains(R"("policy: its text is for who sees)") && !Contains("theirs") &&
                       Contains(R"("everything":false,"namespaces":0)"));
  CHECK_THAT(overview_json(picture, standing, everybody),
             Contains("queue theirs: no such parent") && Contains("policy: queues[1]: theirs"));
}

TEST_CASE("a picture knows the namespaces of its claims and pods") {
  World world;
  auto other = make_claim("c", 1, "nobody");
  other.meta.namespace_name = "other";
  world.bench.tell(other);
  CHECK(world.picture().namespaces() == std::vector<std::string>{"default", "other"});
}

TEST_CASE("pictures of one state show the same, and of another state not") {
  World world;
  const auto before = world.picture();
  CHECK(world.picture().shows_the_same(before));
  world.bench.tell(make_node("n2"));
  CHECK_FALSE(world.picture().shows_the_same(before));
}

}  // namespace dray::dashboard::views_test
