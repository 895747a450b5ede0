#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "dray/simulate/trace.h"

namespace dray::simulate::order_test {
namespace {

Workload gpu_jobs(std::size_t count) {
  Workload workload;
  for (std::size_t i = 0; i < count; ++i) {
    auto& job = workload.jobs.emplace_back();
    job.ask = {.milli_cpu = 1, .gpus = 1, .gpu_milli = whole_gpu};
  }
  return workload;
}

}  // namespace

TEST_CASE("the order of a seed is read") {
  const std::string_view csv = "7,pods,0,2,2\n7,nodes,1,0\n8,pods,1\n8,nodes,0,1\n";
  CHECK(seeds_of(csv).value() == std::vector<std::uint64_t>{7, 8});
  CHECK(read_order(csv, 7, 3, 2).value() == ArrivalOrder{{0, 2, 2}, {1, 0}});
  CHECK(read_order(csv, 8, 3, 2).value() == ArrivalOrder{{1}, {0, 1}});
  CHECK(read_order(csv, 9, 3, 2).error().message == "no order of seed 9");
}

TEST_CASE("an order that does not go with the trace is an error at its place") {
  CHECK(read_order("7,pods,0,3\n7,nodes,1,0\n", 7, 3, 2).error().message ==
        "1:10: row: expected a whole number below 3, found \"3\"");
  CHECK(read_order("7,pods,0\n7,nodes,1,1\n", 7, 3, 2).error().message ==
        "2:1: expected the ranks of 2 nodes, all different");
  CHECK(read_order("7,jobs,0\n", 7, 3, 2).error().message ==
        "1:3: kind: expected pods or nodes, found \"jobs\"");
}

TEST_CASE("a drawn order asks for as much as it should, and is the same for the same seed") {
  const std::vector<GpuNode> nodes{{"a", 1, 1, 8, "m"}, {"b", 1, 1, 2, "m"}};
  const auto more = draw_order(gpu_jobs(4), nodes, 1.3, 5);
  CHECK(more.jobs.size() == 13);
  CHECK(more == draw_order(gpu_jobs(4), nodes, 1.3, 5));
  CHECK_FALSE(more == draw_order(gpu_jobs(4), nodes, 1.3, 6));
  CHECK(draw_order(gpu_jobs(40), nodes, 1.3, 5).jobs.size() == 13);
  auto ranks = more.ranks;
  std::ranges::sort(ranks);
  CHECK(ranks == std::vector<std::uint32_t>{0, 1});
  std::vector<std::uint32_t> first(more.jobs.begin(), more.jobs.begin() + 4);
  std::ranges::sort(first);
  CHECK(first == std::vector<std::uint32_t>{0, 1, 2, 3});  // all once before any comes again
}

}  // namespace dray::simulate::order_test
