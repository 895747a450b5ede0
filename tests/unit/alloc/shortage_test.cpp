#include "dray/alloc/shortage.h"

#include <catch2/catch.hpp>

namespace dray::alloc::shortage_test {
namespace {

Shortage gpus(std::int64_t wanted, std::size_t of_class, std::size_t suitable, std::size_t left) {
  Shortage shortage;
  shortage.device_class = "gpu";
  shortage.wanted = wanted;
  shortage.of_class = of_class;
  shortage.suitable = suitable;
  shortage.left = left;
  return shortage;
}

TEST_CASE("a shortage is told by the number that decides") {
  CHECK(text(gpus(1, 0, 0, 0)) == "wants 1 device of class gpu; the node has none");
  CHECK(text(gpus(9, 8, 8, 8)) == "wants 9 devices of class gpu; the node has 8");
  auto refused = gpus(2, 8, 1, 1);
  refused.selector = 1;
  CHECK(
      text(refused) ==
      "wants 2 devices of class gpu; the node has 8 of the class, 1 that the request accepts (see "
      "its selector #1)");
  auto used = gpus(4, 8, 8, 2);
  used.kept_out = {{5, "in use"}, {1, "tainted"}};
  CHECK(text(used) == "wants 4 devices of class gpu; the node has 8: 5 in use, 1 tainted, 2 left");
}

TEST_CASE("one of several requests is named, and so are pools that do not count") {
  auto shortage = gpus(1, 0, 0, 0);
  shortage.request = "nic";
  shortage.incomplete_pools = 1;
  shortage.invalid_pools = 2;
  CHECK(
      text(shortage) ==
      "request nic wants 1 device of class gpu; the node has none; 1 of its pools incomplete; 2 of "
      "its pools invalid");
}

TEST_CASE("all of a class is no number") {
  auto shortage = gpus(1, 0, 0, 0);
  shortage.all = true;
  CHECK(terms(shortage) == "all devices of class gpu");
}

TEST_CASE("what is no single request's speaks for itself") {
  Shortage shortage;
  shortage.because = "each request has devices, but not all of them together";
  CHECK(text(shortage) == shortage.because);
}

}  // namespace
}  // namespace dray::alloc::shortage_test
