#include "app/doctor/installation.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "app/doctor/installed_check.h"

namespace dray::app::installation_test {
namespace {

const Installation blue{.namespace_name = "dray-blue", .partition = "blue"};
const OtherDray first{.where = {}, .schedulers = {"dray-scheduler"}};

void add_objects(InstalledThere& there, const std::string& path, const std::string& suffix) {
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto trees = read_trees(text);
  REQUIRE(trees);
  for (auto& tree : *trees) {
    Installed object;
    object.api_version = text_at(tree, {"apiVersion"});
    object.kind = text_at(tree, {"kind"});
    object.namespace_name = text_at(tree, {"metadata", "namespace"});
    object.name = text_at(tree, {"metadata", "name"}) + suffix;
    there.found[object.path()] = std::move(tree);
  }
}

/// overlays/partition, by path: what the chart makes, and the role that the overlay renames.
InstalledThere overlay() {
  InstalledThere there;
  there.where = blue;
  add_objects(there, "overlays/partition/blue.yaml", "");
  add_objects(there, "deploy/chart/reader/role.yaml", "-blue");
  return there;
}

}  // namespace

TEST_CASE("a partition's objects are those that the chart makes for it") {
  auto there = overlay();
  there.others = {first};
  const auto found = check_installed(installed_objects(blue), there, "dray-scheduler-blue");
  for (const auto& finding : found) FAIL_CHECK(finding.object << ": " << finding.what);
  CHECK(exclusive_drivers(there) == std::vector<std::string>{"blue.example.com"});
  for (const auto& object : installed_objects(blue)) {
    INFO(object.path());
    CHECK(there.found.contains(object.path()));
  }
}

TEST_CASE("accounts that nobody has are a fault, and so are drays that no policy names") {
  auto there = overlay();
  const auto alone = check_installed(installed_objects(blue), there, "dray-scheduler-blue");
  REQUIRE(alone.size() == 2);
  CHECK(alone[0].fault == Fault::policy_altered);

  OtherDray red{.where = {.namespace_name = "dray-red", .partition = ""}, .schedulers = {}};
  there.others = {first, red};
  const auto found = check_installed(installed_objects(blue), there, "dray-scheduler-blue");
  REQUIRE(found.size() == 2);
  for (const auto& finding : found) {
    CHECK(finding.fault == Fault::other_unlisted);
    CHECK(finding.what == "it does not name system:serviceaccount:dray-red:dray");
  }
}

TEST_CASE("a release in another namespace has that account and no other names") {
  const Installation where{.namespace_name = "accelerators", .partition = ""};
  bool fence = false;
  for (const auto& object : installed_objects(where)) {
    CHECK(object.namespace_name != "dray-system");
    if (object.kind != "ValidatingAdmissionPolicy" || object.name != "dray-epoch") continue;
    fence = names_account(object.tree, "system:serviceaccount:accelerators:dray");
  }
  CHECK(fence);
}

TEST_CASE("which dray the flags mean") {
  CHECK(installation_of("", "").namespace_name == "dray-system");
  CHECK(installation_of("blue", "").namespace_name == "dray-blue");
  CHECK(installation_of("blue", "teams").namespace_name == "teams");
  CHECK(installation_of("blue", "teams").named("dray-gate") == "dray-gate-blue");
  CHECK(installation_of("", "teams").named("dray-gate") == "dray-gate");
}

TEST_CASE("another name of the Lease is that of the object, and what the fence looks at") {
  std::map<std::string, Tree> objects;
  for (const auto& object : installed_objects(installation_of({}, {}, "gpu"))) {
    objects[object.kind + " " + object.name] = object.tree;
  }
  CHECK(objects.contains("Lease gpu"));
  CHECK(!objects.contains("Lease dray"));
  const auto param = [&](const std::string& name) {
    return text_at(objects.at("ValidatingAdmissionPolicyBinding " + name),
                   {"spec", "paramRef", "name"});
  };
  CHECK(param("dray-epoch") == "gpu");
  CHECK(param("dray-allocator") == "dray-exclusion");
}

}  // namespace dray::app::installation_test
