#include "dray/base/sparse_vector.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::base::sparse_vector_test {
namespace {

TEST_CASE("entries are where they were put, and memory is held for their blocks only") {
  SparseVector<std::string, 4> vector;
  CHECK(vector.find(0) == nullptr);
  vector[4'000'003] = "far";
  CHECK(vector.held() == 4);
  REQUIRE(vector.find(4'000'003) != nullptr);
  CHECK(*vector.find(4'000'003) == "far");
  // Its neighbours in the block are as made; the next block is not there.
  REQUIRE(vector.find(4'000'000) != nullptr);
  CHECK(vector.find(4'000'000)->empty());
  CHECK(vector.find(3'999'999) == nullptr);
  CHECK(vector.find(4'000'004) == nullptr);
}

TEST_CASE("a reference holds while other entries come") {
  SparseVector<int, 2> vector;
  auto& first = vector[0];
  for (std::size_t i = 1; i < 100; ++i) vector[i] = 7;
  first = 3;
  CHECK(*vector.find(0) == 3);
  CHECK(vector.held() == 100);
}

TEST_CASE("after clear() nothing is known") {
  SparseVector<int> vector;
  vector[9] = 1;
  vector.clear();
  CHECK(vector.find(9) == nullptr);
  CHECK(vector.held() == 0);
  CHECK(vector[9] == 0);
}

}  // namespace
}  // namespace dray::base::sparse_vector_test
