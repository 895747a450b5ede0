#include "dray/cluster/chunked.h"

#include <catch2/catch.hpp>

namespace dray::chunked_test {

TEST_CASE("a copy stays as it was, whatever is written afterwards") {
  cluster::Chunked<int> all;
  CHECK(all.empty());
  for (int i = 0; i < 600; ++i) CHECK(all.push_back(i) == static_cast<std::size_t>(i));
  const auto before = all.freeze();
  all.at_for_write(0) = -1;
  all.at_for_write(599) = -2;
  all.push_back(600);
  CHECK(before.size() == 600);
  CHECK(before[0] == 0);
  CHECK(before[599] == 599);
  CHECK(all[0] == -1);
  CHECK(all[599] == -2);
  CHECK(all[600] == 600);
  CHECK(all.size() == 601);
}

TEST_CASE("chunks that nobody wrote to are shared") {
  cluster::Chunked<int> all;
  for (int i = 0; i < 600; ++i) all.push_back(i);
  const auto before = all.freeze();
  all.at_for_write(0) = -1;
  CHECK(&before[0] != &all[0]);
  CHECK(&before[300] == &all[300]);
  const auto* written = &all[0];
  all.at_for_write(1) = -2;
  CHECK(&all[0] == written);
}

}  // namespace dray::chunked_test
