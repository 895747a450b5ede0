#include "simulate/place/fleet.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <set>

namespace dray::simulate::fleet_test {
namespace {

std::vector<GpuNode> some_nodes() {
  std::vector<GpuNode> nodes;
  for (int i = 0; i < 12; ++i) {
    nodes.push_back(
        {"n", 16'000 + 8000 * (i % 3), 64'000, 2 + 2 * (i % 2), i % 4 == 0 ? "A" : "B"});
  }
  return nodes;
}

Workload some_jobs() {
  Workload workload;
  const std::vector<PodAsk> asks{{2000, 10, 1, 400, {}},
                                 {4000, 10, 1, 1000, {"A", "C"}},
                                 {8000, 10, 2, 1000, {}},
                                 {4000, 10, 0, 0, {}},
                                 {1000, 10, 1, 700, {"B"}}};
  for (const auto& ask : asks) workload.jobs.emplace_back().ask = ask;
  return workload;
}

/// Every node scored anew: what the fleet has to choose.
std::optional<std::uint32_t> best_of_all(const Fleet& fleet, std::size_t nodes, Strategy strategy,
                                         const ShapeTable& shapes, const Shape& shape,
                                         const std::vector<std::uint32_t>& ranks) {
  Fragmentation measure(shapes.typical);
  std::optional<std::uint32_t> best;
  std::uint32_t best_score = 0;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    if (!fleet.node(i).fits(shape)) continue;
    const auto score = score_of(strategy, measure, shapes.prices, fleet.node(i), shape).score;
    if (!best || score > best_score || (score == best_score && ranks[i] < ranks[*best])) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("shapes are the different asks; a model that no node has fits none") {
  auto jobs = some_jobs();
  jobs.jobs.push_back(jobs.jobs[1]);
  jobs.jobs.emplace_back().ask = {1, 1, 1, 100, {"C"}};
  const auto shapes = make_shapes(jobs, some_nodes()).value();
  CHECK(shapes.of_jobs == std::vector<ShapeIndex>{0, 1, 2, 3, 4, 1, 5});
  CHECK(shapes.shapes[1].models == 0b01);
  CHECK(shapes.shapes[5].models == 0);
  CHECK(shapes.shapes[0].models == ~std::uint64_t{0});
}

TEST_CASE("the fleet chooses what scoring every node anew would choose") {
  const auto strategy =
      GENERATE(Strategy::first_fit, Strategy::best_fit, Strategy::dot_product, Strategy::packing,
               Strategy::clustering, Strategy::fgd, Strategy::dray);
  const auto nodes = some_nodes();
  const auto jobs = some_jobs();
  const auto shapes = make_shapes(jobs, nodes).value();
  std::vector<std::uint32_t> ranks(nodes.size());
  std::iota(ranks.rbegin(), ranks.rend(), 0U);
  Fleet fleet(nodes, ranks, shapes, strategy, 1);
  Random random(3);
  std::vector<std::pair<ShapeIndex, Spot>> placed;
  std::size_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    if (!placed.empty() && random.below(3) == 0) {
      const auto at = random.below(placed.size());
      fleet.give_back(placed[at].first, placed[at].second);
      placed.erase(placed.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const auto index = static_cast<ShapeIndex>(random.below(shapes.shapes.size()));
    const auto& shape = shapes.shapes[index];
    const auto wanted = best_of_all(fleet, nodes.size(), strategy, shapes, shape, ranks);
    const auto spot = fleet.place(index);
    REQUIRE(spot.has_value() == wanted.has_value());
    if (!spot) {
      ++refused;
      continue;
    }
    CHECK(spot->node == *wanted);
    placed.emplace_back(index, *spot);
  }
  CHECK(refused > 0);
  double fragmented = 0;
  std::int64_t used = 0;
  Fragmentation measure(shapes.typical);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    fragmented += measure.of(fleet.node(i));
    used += std::int64_t{whole_gpu} * nodes[i].gpus - fleet.node(i).gpu_milli;
  }
  CHECK(fleet.fragmentation() == Approx(fragmented));
  CHECK(fleet.used_gpu_milli() == used);
}

TEST_CASE("random uses every node and GPU with room, and the same ones for the same seed") {
  const std::vector<GpuNode> nodes{{"a", 100'000, 1000, 2, "A"}, {"b", 100'000, 1000, 2, "A"}};
  Workload jobs;
  jobs.jobs.emplace_back().ask = {1, 1, 1, 10, {}};
  const auto shapes = make_shapes(jobs, nodes).value();
  const std::vector<std::uint32_t> ranks{0, 1};
  Fleet fleet(nodes, ranks, shapes, Strategy::random, 9);
  Fleet again(nodes, ranks, shapes, Strategy::random, 9);
  std::set<std::pair<std::uint32_t, GpuBits>> seen;
  for (int i = 0; i < 60; ++i) {
    const auto spot = fleet.place(0);
    CHECK(spot == again.place(0));
    seen.emplace(spot->node, spot->gpus);
  }
  CHECK(seen.size() == 4);
}

}  // namespace dray::simulate::fleet_test
