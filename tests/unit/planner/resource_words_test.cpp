#include "planner/place/resource_words.h"

#include <catch2/catch.hpp>

namespace dray::planner::resource_words_test {
namespace {

TEST_CASE("amounts are in the units that people write") {
  CHECK(amount_text("cpu", 8000) == "8");
  CHECK(amount_text("cpu", 500) == "500m");
  CHECK(amount_text("cpu", -500) == "0");
  CHECK(amount_text("memory", 3LL << 29) == "1.5Gi");
  CHECK(amount_text("memory", 64LL << 20) == "64Mi");
  CHECK(amount_text("hugepages-2Mi", 4) == "4");
}

TEST_CASE("what devices take of a node is told beside what the pod wants in all") {
  const cluster::NodeAllocatableLack lack{
      .resource = "cpu", .wanted = 17000, .devices = 16000, .left = 15500};
  CHECK(text(lack) == "wants 17 of cpu, 16 of it for its devices; the node has 15500m left");
  CHECK(wants_text({.resource = "cpu", .wanted = 17000}) == "wants 17 of cpu");
}

TEST_CASE("a pod's own budget is no node's matter") {
  CHECK(text({.resource = "cpu", .wanted = 6000, .devices = 4000, .left = 2000, .of_pod = true}) ==
        "the pod's own budget (spec.resources) is 2 of cpu; its containers want 6, 4 of it for "
        "their devices");
}

}  // namespace
}  // namespace dray::planner::resource_words_test
