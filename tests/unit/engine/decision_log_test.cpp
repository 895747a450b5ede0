#include "engine/books/decision_log.h"

#include <catch2/catch.hpp>

#include <string>

namespace dray::engine::decision_log_test {
namespace {

Decision decision(const std::string& pod, const std::string& node) {
  Decision made;
  made.placement.pod = {"default", pod};
  made.placement.node = NodeName(node);
  return made;
}

TEST_CASE("the latest decision for a name is found") {
  DecisionLog log;
  CHECK(log.find({"default", "a"}) == nullptr);
  log.add(decision("a", "n0"));
  log.add(decision("b", "n1"));
  log.add(decision("a", "n2"));
  REQUIRE(log.find({"default", "a"}) != nullptr);
  CHECK(log.find({"default", "a"})->placement.node == NodeName("n2"));
  CHECK(log.find({"default", "b"})->placement.node == NodeName("n1"));
  CHECK(log.find({"other", "a"}) == nullptr);
}

TEST_CASE("only the last decisions are kept") {
  DecisionLog log;
  for (std::size_t i = 0; i < DecisionLog::kept; ++i) log.add(decision(std::to_string(i), "n"));
  CHECK(log.find({"default", "0"}) != nullptr);
  log.add(decision("one more", "n"));
  CHECK(log.find({"default", "0"}) == nullptr);
  CHECK(log.find({"default", "1"}) != nullptr);
}

}  // namespace
}  // namespace dray::engine::decision_log_test
