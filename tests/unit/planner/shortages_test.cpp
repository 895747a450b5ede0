#include "planner/place/shortages.h"

#include <catch2/catch.hpp>

namespace dray::planner::shortages_test {
namespace {

alloc::Shortage gpus(std::int64_t wanted, std::size_t of_class, std::size_t suitable,
                     std::size_t left) {
  alloc::Shortage shortage;
  shortage.device_class = "gpu";
  shortage.wanted = wanted;
  shortage.of_class = of_class;
  shortage.suitable = suitable;
  shortage.left = left;
  return shortage;
}

alloc::Shortage used(alloc::Shortage shortage, std::size_t count, const char* how = "in use") {
  shortage.kept_out.push_back({count, how});
  return shortage;
}

/// Of nodes a, b, c, …
std::string said(const std::vector<alloc::Shortage>& of_nodes) {
  Shortages shortages;
  char name = 'a';
  for (const auto& one : of_nodes) {
    shortages.add(std::make_shared<const alloc::Shortage>(one), NodeName(std::string(1, name++)));
  }
  return shortages.text([](const NodeName& node) { return "pool d/" + node.get() + " is odd"; });
}

TEST_CASE("the node that is nearest is told, and how many are as near") {
  CHECK(said({}).empty());
  CHECK(said({gpus(9, 4, 4, 4), gpus(9, 8, 8, 8), gpus(9, 8, 8, 8), gpus(9, 0, 0, 0)}) ==
        "wants 9 devices of class gpu on one node; the most that a node has is 8 (b and 1 more)");
}

TEST_CASE("what is not free now is told before what is nowhere") {
  CHECK(
      said({gpus(4, 3, 3, 3), used(gpus(4, 8, 8, 1), 7), used(gpus(4, 8, 8, 2), 6),
            used(gpus(4, 8, 8, 2), 6, "tainted")}) ==
      "wants 4 devices of class gpu on one node; the most that a node has left is 2 of 8: 6 in use "
      "(c)");
}

TEST_CASE("nodes that differ in what does not count are as near") {
  CHECK(said({used(gpus(9, 8, 8, 1), 7), gpus(9, 8, 8, 8)}) ==
        "wants 9 devices of class gpu on one node; the most that a node has is 8 (a and 1 more)");
}

TEST_CASE("selectors that accept too few are said to") {
  auto some = gpus(2, 8, 1, 1);
  CHECK(
      said({some}) ==
      "wants 2 devices of class gpu on one node; the most that the request accepts that a node has "
      "is 1 (a)");
  auto none = gpus(2, 8, 0, 0);
  none.selector = 0;
  none.request = "big";
  CHECK(said({gpus(2, 0, 0, 0), none}) ==
        "request big: no node has a device of class gpu that the request accepts, see its selector "
        "#0; the most of the class on a node is 8 (b)");
}

TEST_CASE("a class that no node has, and a pool that is not published in full") {
  auto half = gpus(1, 0, 0, 0);
  CHECK(said({half}) == "no node has a device of class gpu");
  half.incomplete_pools = 1;
  CHECK(said({gpus(1, 0, 0, 0), half}) == "no node has a device of class gpu (b); pool d/b is odd");
}

TEST_CASE("of a pool that is published wrongly the fault is told, and on how many nodes one is") {
  alloc::Shortage wrong;
  wrong.because = "invalid resource pools were encountered";
  CHECK(said({wrong}) == wrong.because + " (a)");
  wrong.invalid_pools = 1;
  CHECK(said({gpus(2, 1, 1, 1), wrong, wrong}) == "pool d/b is odd (b and 1 more)");
}

TEST_CASE("devices that are there but not together come nearest") {
  auto together = gpus(2, 1, 1, 1);
  together.together = "share one root";
  CHECK(said({used(gpus(2, 2, 2, 1), 1), together}) ==
        "wants 2 devices of class gpu that share one root on one node; the most that a node has is "
        "1 (b)");
}

TEST_CASE("of nodes with too few devices together the one with most is told") {
  const auto sharing = [](std::size_t all, std::size_t left) {
    auto made = gpus(4, all, all, left);
    made.together = "share one root";
    return made;
  };
  CHECK(said({sharing(1, 1), sharing(3, 2), sharing(2, 2)}) ==
        "wants 4 devices of class gpu that share one root on one node; the most that a node has is "
        "3 (b)");
  CHECK(said({sharing(3, 3), sharing(4, 2), sharing(4, 3)}) ==
        "wants 4 devices of class gpu that share one root on one node; the most that a node has "
        "left is 3 of 4 (c)");
  auto several = sharing(2, 1);
  several.wanted = 2;
  several.device_class.clear();
  several.request = "1 gpu, 1 nic";
  CHECK(said({several}) ==
        "wants 2 devices (1 gpu, 1 nic) that share one root on one node; the most that a node has "
        "left is 1 of 2 (a)");
}

}  // namespace
}  // namespace dray::planner::shortages_test
