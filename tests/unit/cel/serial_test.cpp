#include "cel/value/serial.h"

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::cel::serial_test {
namespace {

TEST_CASE("no number is given out twice, whoever asks") {
  constexpr std::size_t threads = 4;
  constexpr std::size_t each = 1000;
  std::vector<std::vector<std::uint64_t>> taken(threads);
  {
    std::vector<std::jthread> running;
    for (auto& own : taken) {
      running.emplace_back([&own] {
        for (std::size_t i = 0; i < each; ++i) own.push_back(next_serial());
      });
    }
  }
  std::set<std::uint64_t> all;
  for (const auto& own : taken) all.insert(own.begin(), own.end());
  CHECK(all.size() == threads * each);
  CHECK_FALSE(all.contains(0));
}

}  // namespace
}  // namespace dray::cel::serial_test
