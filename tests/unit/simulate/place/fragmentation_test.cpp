#include "simulate/place/fragmentation.h"

#include <catch2/catch.hpp>

#include "tests/unit/simulate/place/nodes.h"

namespace dray::simulate::fragmentation_test {

using namespace testing;
namespace {

/// Half of the pods want half a GPU and 4 cores, a quarter 2 GPUs, a quarter none.
std::vector<TypicalShape> typical() {
  return {{shape(4000, 1, 500), 0.5}, {shape(8000, 2, 1000), 0.25}, {shape(2000, 0, 0), 0.25}};
}

}  // namespace

TEST_CASE("what the typical pod cannot use of a node is fragmented") {
  const Fragmentation measure(typical());
  // Halves use all but the 300; pairs of GPUs find one only; pods without GPUs use none.
  CHECK(measure.measure(node(9000, {1000, 300})) == 0.5 * 300 + 0.25 * 1300 + 0.25 * 1300);
  // Pairs fit, and leave what is no whole GPU.
  CHECK(measure.measure(node(9000, {1000, 1000})) == 0.25 * 2000);
  // CPU for nobody.
  CHECK(measure.measure(node(1000, {1000, 1000})) == 2000);
}

TEST_CASE("a model that is refused counts as fragmented") {
  auto picky = typical();
  picky[0].shape.models = 2;
  CHECK(Fragmentation(picky).measure(node(9000, {1000, 1000})) == 0.5 * 2000 + 0.25 * 2000);
}

TEST_CASE("what is remembered is what is measured") {
  Fragmentation measure(typical());
  for (std::int64_t cpu = 0; cpu < 10'000; cpu += 1000) {
    for (std::uint16_t left = 0; left <= 1000; left = static_cast<std::uint16_t>(left + 50)) {
      const auto one = node(cpu, {left, 1000});
      const auto turned = node(cpu, {1000, left});
      CHECK(measure.of(one) == measure.measure(one));
      CHECK(measure.of(turned) == measure.measure(turned));
    }
  }
  const auto before = node(9000, {1000, 300});
  auto then = before;
  then.take(shape(6000, 1, 500), 1);
  CHECK(measure.after(before, shape(6000, 1, 500), 1) == measure.measure(then));
}

TEST_CASE("the most frequent asks are typical, until there are 95 % of the pods") {
  std::vector<PodAsk> pods(90, PodAsk{4000, 1, 1, 500, {}});
  pods.insert(pods.end(), 5, PodAsk{1000, 1, 1, 1000, {}});
  pods.insert(pods.end(), 5, PodAsk{2000, 1, 1, 1000, {}});
  pods[0].memory_mib = 7;  // does not count
  std::vector<Shape> shapes;
  shapes.reserve(pods.size());
  for (const auto& pod : pods) shapes.push_back(shape(pod.milli_cpu, pod.gpus, pod.gpu_milli));
  const auto found = typical_shapes(pods, shapes);
  REQUIRE(found.size() == 2);
  CHECK(found[0].shape == shape(4000, 1, 500));
  CHECK(found[0].weight == Approx(90.0 / 95));
  CHECK(found[1].shape == shape(2000, 1, 1000));  // of equally frequent ones the one with more CPU
  CHECK(found[1].weight == Approx(5.0 / 95));
}

}  // namespace dray::simulate::fragmentation_test
