#include "simulate/place/scores.h"

#include <catch2/catch.hpp>

#include "tests/unit/simulate/place/nodes.h"

namespace dray::simulate::scores_test {

using namespace testing;
namespace {

std::uint32_t score(Strategy strategy, const NodeState& state, const Shape& asked) {
  Fragmentation measure({{shape(4000, 1, 500), 0.5}, {shape(4000, 1, 1000), 0.5}});
  return score_of(strategy, measure, SharePrices(measure.typical()), state, asked).score;
}

}  // namespace

TEST_CASE("best fit counts what is left of CPU and GPU, half each") {
  // 64 of 128 cores and 4 of 8 GPUs are left: (1 - 0.25 - 0.25) of 100.
  CHECK(score(Strategy::best_fit, node(68'000, {1000, 1000, 1000, 1000, 500}),
              shape(4000, 1, 500)) == 50);
  CHECK(score(Strategy::best_fit, node(4000, {500}), shape(4000, 1, 500)) == 100);
}

TEST_CASE("the dot product counts what is free by what is asked") {
  // 0.5 * (0.5 * 0.5) for CPU, 0.5 * (0.25 * 0.125) for GPU: 1 - 0.140625.
  CHECK(score(Strategy::dot_product, node(64'000, {1000, 1000}), shape(64'000, 1, 1000)) == 85);
}

TEST_CASE("packing prefers GPUs in use, then idle GPUs of used nodes, then idle nodes") {
  const auto half = shape(1, 1, 400);
  CHECK(score(Strategy::packing, node(9000, {460, 1000}), half) == 96);
  CHECK(score(Strategy::packing, node(9000, {100, 1000}), half) == 49);
  CHECK(score(Strategy::packing, node(9000, {1000, 1000}), half) == 31);
  CHECK(score(Strategy::packing, node(9000, {460, 1000}), shape(1, 0, 0)) == 0);
}

TEST_CASE("clustering prefers nodes that hold only pods of the same kind") {
  const auto half = shape(1, 1, 400);
  auto state = node(9000, {1000, 1000, 1000, 1000});
  CHECK(score(Strategy::clustering, state, half) == 25 + 12);
  state.take(half, 1);
  CHECK(score(Strategy::clustering, state, half) == 75 + 13);
  CHECK(score(Strategy::clustering, state, shape(1, 1, 1000)) == 13);
  state.take(shape(1, 1, 1000), 2);
  CHECK(score(Strategy::clustering, state, half) == 50 + 16);
}

TEST_CASE("FGD fills the rest of a GPU before it breaks a whole one") {
  Fragmentation measure({{shape(4000, 1, 500), 0.5}, {shape(4000, 1, 1000), 0.5}});
  const auto half = shape(4000, 1, 500);
  const auto chosen = score_of(Strategy::fgd, measure, {}, node(64'000, {1000, 500}), half);
  CHECK(chosen.gpus == 0b10);
  // The 500 were lost to the half of the pods that want a whole GPU: 250 less is 1 / (1 + e^-0.25).
  CHECK(chosen.score == 56);
  CHECK(score(Strategy::fgd, node(64'000, {1000, 1000}), half) == 43);
}

TEST_CASE("dray puts a part of a GPU where what is left is worth the least") {
  // Two of 400 fill a GPU as well as can be, and 600 has room beside it for one of them. The
  // fewest GPUs: each 600 with a 400, the other 400 by twos; so 600 and 400 cost half a GPU each.
  Fragmentation measure({{shape(1, 1, 400), 0.75}, {shape(1, 1, 600), 0.25}});
  const SharePrices prices(measure.typical());
  const auto chosen = [&](const NodeState& state, std::int32_t asked) {
    return score_of(Strategy::dray, measure, prices, state, shape(1, 1, asked)).gpus;
  };
  // Of 600 the 400 leave 200, which nobody wants, and of 800 a place for another.
  CHECK(chosen(node(64'000, {1000, 600, 400}), 600) == 0b010);
  CHECK(chosen(node(64'000, {1000, 1000}), 400) == 0b01);
  // As much is lost on each: FGD decides.
  CHECK(chosen(node(64'000, {1000, 400}), 400) == 0b10);
  // Beside 200 two of 400 still fit into the idle GPU; elsewhere one fewer does.
  CHECK(chosen(node(64'000, {800, 1000, 500, 400}), 200) == 0b0010);
}

TEST_CASE("dray puts pods without GPUs where the least GPU is idle") {
  const auto cpu_only = shape(4000, 0, 0);
  CHECK(score(Strategy::dray, node(64'000, {0, 0}), cpu_only) >
        score(Strategy::dray, node(8000, {100, 0}), cpu_only));
  CHECK(score(Strategy::dray, node(8000, {100, 0}), cpu_only) >
        score(Strategy::dray, node(64'000, {100, 0}), cpu_only));
}

}  // namespace dray::simulate::scores_test
