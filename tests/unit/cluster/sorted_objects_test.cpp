#include "cluster/sorted_objects.h"

#include <catch2/catch.hpp>

#include "tests/objects/cluster.h"

namespace dray::sorted_objects_test {

using namespace dray::testing;

namespace {

std::shared_ptr<const DeviceTaintRule> rule(const char* name, const char* key = "k") {
  DeviceTaintRule made;
  made.meta.name = name;
  made.taint.key = key;
  return std::make_shared<const DeviceTaintRule>(std::move(made));
}

}  // namespace

TEST_CASE("objects stand by name; a list that was given out stays as it was") {
  cluster::SortedObjects<DeviceTaintRule> rules;
  for (const char* name : {"b", "c", "a"}) rules.put(name, rule(name));
  const auto before = rules.all();
  CHECK((*before)[0]->meta.name == "a");
  CHECK((*before)[2]->meta.name == "c");
  rules.put("b", rule("b", "other"));
  CHECK(rules.all()->size() == 3);
  CHECK(rules.find("b")->taint.key == "other");
  CHECK((*before)[1]->taint.key == "k");
  CHECK(rules.erase("b"));
  CHECK_FALSE(rules.erase("b"));
  CHECK(rules.find("b") == nullptr);
  CHECK(rules.find("aa") == nullptr);
  CHECK(before->size() == 3);
}

}  // namespace dray::sorted_objects_test
