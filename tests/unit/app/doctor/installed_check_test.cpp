#include "app/doctor/installed_check.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace dray::app::installed_check_test {
namespace {

constexpr auto exclusion = "/api/v1/namespaces/dray-system/configmaps/dray-exclusion";

/// A cluster where all of manifests/ is as it was applied.
InstalledThere as_applied() {
  InstalledThere there;
  for (const auto& object : installed_objects()) there.found[object.path()] = object.tree;
  return there;
}

Findings check(const InstalledThere& there) {
  return check_installed(installed_objects(), there, "dray-scheduler");
}

/// The path of the object that describe() calls so.
std::string path_of(const std::string& name) {
  const auto objects = installed_objects();
  const auto found = std::ranges::find(objects, name, &Installed::describe);
  INFO(name);
  REQUIRE(found != objects.end());
  return found->path();
}

Tree* member(Tree& tree, std::string_view key) {
  const auto found = std::ranges::find(tree.members, key, &Tree::Member::key);
  return found == tree.members.end() ? nullptr : &found->value;
}

}  // namespace

TEST_CASE("what was applied has no fault") {
  CHECK(check(as_applied()).empty());
}

TEST_CASE("each object that is missing is named") {
  struct Row {
    std::string object;
    Fault fault;
  };
  const auto row = GENERATE(values<Row>({
      {"ServiceAccount dray-system/dray", Fault::account_missing},
      {"Lease dray-system/dray", Fault::lease_missing},
      {"ConfigMap dray-system/dray-exclusion", Fault::exclusion_missing},
      {"MutatingAdmissionPolicy dray-gate", Fault::policy_missing},
      {"ValidatingAdmissionPolicy dray-epoch", Fault::policy_missing},
      {"ValidatingAdmissionPolicyBinding dray-allocator", Fault::policy_unbound},
      {"FlowSchema dray", Fault::flow_missing},
      {"PriorityLevelConfiguration dray", Fault::flow_missing},
  }));
  DYNAMIC_SECTION(row.object) {
    auto there = as_applied();
    there.found.erase(path_of(row.object));
    const auto found = check(there);
    REQUIRE(found.size() == 1);
    CHECK(found[0].fault == row.fault);
    CHECK(found[0].object == row.object);
  }
}

TEST_CASE("what may not be read is not judged") {
  auto there = as_applied();
  const auto path = path_of("ValidatingAdmissionPolicy dray-epoch");
  there.found.erase(path);
  there.unknown.insert(path);
  CHECK(check(there).empty());
}

TEST_CASE("each object that was altered is named, with what is other") {
  struct Row {
    std::string object;
    std::string field;
    Fault fault;
  };
  const auto row = GENERATE(values<Row>({
      {"ValidatingAdmissionPolicy dray-epoch", "failurePolicy", Fault::policy_altered},
      {"ValidatingAdmissionPolicyBinding dray-epoch", "policyName", Fault::policy_unbound},
      {"FlowSchema dray", "matchingPrecedence", Fault::flow_altered},
  }));
  DYNAMIC_SECTION(row.object) {
    auto there = as_applied();
    auto* spec = member(there.found[path_of(row.object)], "spec");
    REQUIRE(spec);
    member(*spec, row.field)->text = "7";
    const auto found = check(there);
    REQUIRE(found.size() == 1);
    CHECK(found[0].fault == row.fault);
    CHECK(found[0].what.starts_with("spec." + row.field + " is "));
  }
}

TEST_CASE("what an operator says in the ConfigMap and the Lease's holder is no fault") {
  auto there = as_applied();
  there.found[exclusion] =
      *read_tree(R"({"data":{"drivers":"a.example\nb.example","schedulers":"x\ndray-scheduler"}})");
  there.found[path_of("Lease dray-system/dray")] = *read_tree(R"({"spec":{"holderIdentity":"d"}})");
  CHECK(check(there).empty());
  CHECK(exclusive_drivers(there) == std::vector<std::string>{"a.example", "b.example"});
}

TEST_CASE("a ConfigMap that does not name our scheduler") {
  auto there = as_applied();
  there.found[exclusion] = *read_tree(R"({"data":{"schedulers":"dray-scheduler-2"}})");
  const auto found = check(there);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == Fault::schedulers_unlisted);
  CHECK(exclusive_drivers(there)->empty());
  there.found.clear();
  CHECK(!exclusive_drivers(there));
}

TEST_CASE("in mode advise no driver may be dray's alone") {
  InstalledThere there;
  CHECK(check_plugin_may_allocate(there).empty());
  there.found[exclusion] = *read_tree(R"({"data":{"drivers":""}})");
  CHECK(check_plugin_may_allocate(there).empty());
  there.found[exclusion] = *read_tree(R"({"data":{"drivers":"a.example\nb.example"}})");
  const auto found = check_plugin_may_allocate(there);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == Fault::plugin_refused);
  CHECK(found[0].what == "data.drivers names a.example");
}

}  // namespace dray::app::installed_check_test
