#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::node_codec_test {
namespace {

TEST_CASE("a node, all fields") {
  const std::string json =
      R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n0"},)"
      R"("spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]},)"
      R"("status":{"allocatable":{"cpu":"4","memory":"1Gi"},)"
      R"("conditions":[{"type":"Ready","status":"True"}],"declaredFeatures":["F"]}})";
  CHECK(rewritten<Node>(json) == json);
}

TEST_CASE("amounts may be numbers, as in hand-written files") {
  CHECK(rewritten<Node>(R"({"status":{"allocatable":{"cpu": 4 ,"x":1.5,"y":" 2 "}}})")
            .find(R"({"cpu":"4","x":"1500m","y":"2"})") != std::string::npos);
}

TEST_CASE("a namespace") {
  const std::string json =
      R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a","labels":{"l":"1"}}})";
  CHECK(rewritten<Namespace>(json) == json);
}
}  // namespace
}  // namespace dray::wire::node_codec_test
