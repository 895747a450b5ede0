#include "report/device_map.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dray::report::device_map_test {
namespace {

constexpr double for_ever = std::numeric_limits<double>::infinity();

std::vector<simulate::GpuNode> nodes_of(std::vector<std::int32_t> gpus) {
  std::vector<simulate::GpuNode> nodes;
  for (const auto count : gpus)
    nodes.push_back({"n" + std::to_string(nodes.size()), 1, 1, count, "m"});
  return nodes;
}

MapFrame all_of(const std::vector<simulate::GpuNode>& nodes, const std::vector<double>& moments) {
  return frame_map(nodes, moments, 100, 10'000);
}

}  // namespace

TEST_CASE("a picture has a letter for each GPU, by the queue that holds it") {
  const auto nodes = nodes_of({2, 0, 4});
  const auto frame = all_of(nodes, {0, 5, 10});
  CHECK(frame.nodes == std::vector<std::uint32_t>{0, 2});
  const std::vector<Hold> holds{{0, 0b10, 1, 1000, 0, 0, 10}, {2, 0b1001, 2, 1000, 1, 5, for_ever}};
  CHECK(draw_map(nodes, frame, holds) == std::vector<std::string>{".a....", ".ab..b", "..b..b"});
}

TEST_CASE("a GPU in use in part has a capital; of several queues the one with the most") {
  const auto nodes = nodes_of({2});
  const std::vector<Hold> holds{{0, 1, 1, 300, 0, 0, for_ever},
                                {0, 1, 1, 400, 1, 1, for_ever},
                                {0, 1, 1, 300, 0, 2, for_ever}};
  CHECK(draw_map(nodes, all_of(nodes, {0, 1, 2}), holds) ==
        std::vector<std::string>{"A.", "B.", "a."});
}

TEST_CASE("counted GPUs get squares that stay theirs") {
  const auto nodes = nodes_of({4});
  const std::vector<Hold> holds{
      {0, 0, 2, 1000, 0, 0, 4}, {0, 0, 1, 1000, 1, 2, 9}, {0, 0, 2, 1000, 2, 4, 9}};
  CHECK(draw_map(nodes, all_of(nodes, {1, 3, 5, 9}), holds) ==
        std::vector<std::string>{"aa..", "aab.", "ccb.", "...."});
}

TEST_CASE("later queues share the last letter") {
  const auto nodes = nodes_of({3});
  const std::vector<Hold> holds{
      {0, 1, 1, 1000, 24, 0, 1}, {0, 2, 1, 1000, 25, 0, 1}, {0, 4, 1, 1000, 77, 0, 1}};
  CHECK(draw_map(nodes, all_of(nodes, {0}), holds) == std::vector<std::string>{"yzz"});
}

TEST_CASE("a large cluster is thinned, evenly and to what there is room for") {
  const auto nodes = nodes_of(std::vector<std::int32_t>(100, 8));
  std::vector<double> moments(500);
  for (std::size_t i = 0; i < moments.size(); ++i) moments[i] = static_cast<double>(i);
  const auto frame = frame_map(nodes, moments, 50, std::size_t{50} * 80);
  CHECK(frame.moments.size() == 50);
  CHECK(frame.moments[1] == 10);
  REQUIRE(frame.nodes.size() == 10);
  CHECK(frame.nodes[9] == 90);
  CHECK(draw_map(nodes, frame, {})[0].size() == 80);
  CHECK(frame_map({}, {1}, 50, 100).nodes.empty());
  CHECK(frame_map(nodes, {1}, 50, 1).nodes.size() == 1);
}

}  // namespace dray::report::device_map_test
