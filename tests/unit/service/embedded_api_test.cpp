#include "service/embedded_api.h"

#include <catch2/catch.hpp>
#include <utility>

#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::embedded_api_test {
namespace {

using dray::testing::make_claim;
using dray::testing::make_node;
using dray::testing::make_pod;
using testing::Watched;

/// `pods/p` for a change, `-pods/p` for an end, `synced`.
std::string line_of(const kube::WatchEvent& event) {
  if (const auto* change = std::get_if<cluster::ObjectChanged>(&event)) {
    const auto kind = kind_of(change->object);
    return std::string(kind_info(kind).plural) + "/" + meta_of(change->object).name;
  }
  if (const auto* gone = std::get_if<cluster::ObjectGone>(&event)) {
    return "-" + std::string(kind_info(gone->kind).plural) + "/" + gone->name;
  }
  return "synced";
}

struct Bench {
  explicit Bench(sim::ApiServerOptions options = {}) : api(loop.io, clock, std::move(options)) {}
  ~Bench() {
    api.stop();
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void watch() {
    api.watch([this](const kube::WatchEvent& event) {
      told.change([&](auto& all) { all.push_back(line_of(event)); });
    });
  }
  bool hears(const std::string& line, std::ptrdiff_t times = 1) {
    return told.wait([&](const auto& all) { return std::ranges::count(all, line) >= times; });
  }
  engine::WriteOutcome write(engine::Write write, kube::Permit permit = {}) {
    return loop.run(api.write(std::move(write), {std::move(permit)}));
  }
  Pod pod(const std::string& name) {
    const auto read = write(engine::ReadPod{{"default", name}});
    return read ? std::get<Pod>(*read) : Pod{};
  }

  Clock clock;
  Watched<std::vector<std::string>> told;
  net::testing::Loop loop;
  EmbeddedApi api;
};

Pod bound_pod() {
  auto pod = make_pod("p", "", false);
  pod.node_name = NodeName("n0");
  return pod;
}

TEST_CASE("what was loaded is told first, then that this was all, then what changes") {
  Bench bench;
  bench.api.load(make_node("n0"));
  bench.api.load(make_pod("p", ""));
  bench.watch();
  REQUIRE(bench.hears("synced"));
  CHECK(bench.told.get() == std::vector<std::string>{"nodes/n0", "pods/p", "synced"});
  const auto created = bench.loop.run(bench.api.create(make_node("n1")));
  REQUIRE(created);
  CHECK_FALSE(meta_of(*created).uid.get().empty());
  CHECK(bench.told.get().back() == "nodes/n1");
  CHECK_FALSE(bench.loop.run(bench.api.create(make_node("n1"))));
}

TEST_CASE("a write is made and told before its outcome comes") {
  Bench bench;
  bench.api.load(make_pod("p", ""));
  bench.watch();
  REQUIRE(bench.hears("synced"));
  CHECK(bench.write(engine::LiftGate{{"default", "p"}, Uid("uid-p"), {{"a", "b"}}}));
  CHECK(bench.told.get().back() == "pods/p");
  CHECK(bench.pod("p").scheduling_gates.empty());
  const auto other = bench.write(engine::LiftGate{{"default", "p"}, Uid("uid-x"), {}});
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::conflict);
}

TEST_CASE("a write that may not go any more is not made") {
  Bench bench;
  bench.api.load(make_pod("p", ""));
  bench.watch();
  REQUIRE(bench.hears("synced"));
  const auto outcome =
      bench.write(engine::LiftGate{{"default", "p"}, Uid("uid-p"), {}}, [] { return false; });
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::unavailable);
  CHECK(bench.pod("p").scheduling_gates.size() == 1);
  CHECK(bench.write(engine::LiftGate{{"default", "p"}, Uid("uid-p"), {}}, [] { return true; }));
  CHECK(bench.pod("p").scheduling_gates.empty());
}

TEST_CASE("the controllers work, at once and by their time: a bound pod gets to run") {
  Bench bench;
  bench.api.load(make_node("n0"));
  bench.api.load(bound_pod());
  bench.watch();
  REQUIRE(bench.hears("pods/p", 2));
  CHECK(testing::eventually([&] { return bench.pod("p").phase == "Running"; }));
}

TEST_CASE("a claim is made from a pod's template, and told") {
  Bench bench;
  ResourceClaimTemplate claim_template;
  claim_template.meta.namespace_name = "default";
  claim_template.meta.name = "t";
  claim_template.spec = make_claim("c", 1).spec;
  auto pod = make_pod("p", "");
  pod.resource_claims.push_back({.name = "gpus", .claim_name = {}, .template_name = "t"});
  bench.api.load(claim_template);
  bench.api.load(pod);
  bench.watch();
  CHECK(bench.told.wait([](const auto& all) {
    return std::ranges::any_of(
        all, [](const std::string& line) { return line.starts_with("resourceclaims/p-gpus-"); });
  }));
}

TEST_CASE(
    "observers hear everything, in the order of the commits; what is deleted is told as gone") {
  Bench bench;
  Watched<std::vector<std::string>> observed;
  bench.api.add_observer([&](const sim::WatchEvent& event) {
    observed.change([&](auto& all) {
      all.push_back((event.type == sim::WatchEvent::Type::deleted ? "-" : "") +
                    meta_of(*event.object).name);
    });
  });
  bench.api.load(make_node("n0"));
  bench.watch();
  bench.api.post([](sim::ApiServer& server, Time now) {
    [[maybe_unused]] const auto removed = server.remove(Kind::node, "", "n0", {}, now);
    [[maybe_unused]] const auto created = server.create(make_node("n1"), now);
  });
  REQUIRE(bench.hears("nodes/n1"));
  CHECK(bench.told.get() ==
        std::vector<std::string>{"nodes/n0", "synced", "-nodes/n0", "nodes/n1"});
  CHECK(observed.get() == std::vector<std::string>{"n0", "-n0", "n1"});
}

TEST_CASE("after stop nothing is told") {
  Bench bench;
  bench.watch();
  REQUIRE(bench.hears("synced"));
  bench.api.stop();
  CHECK(bench.loop.run(bench.api.create(make_node("n1"))));
  CHECK(bench.told.get() == std::vector<std::string>{"synced"});
}

TEST_CASE("an embedded cluster is never in trouble and never behind") {
  Bench bench;
  CHECK(bench.api.trouble().empty());
  CHECK(bench.loop.run(bench.api.refresh_claims(std::chrono::milliseconds(1))));
}

}  // namespace
}  // namespace dray::service::embedded_api_test
