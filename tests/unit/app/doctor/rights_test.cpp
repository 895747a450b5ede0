#include "app/doctor/rights.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace dray::app::rights_test {
namespace {

bool has(const std::vector<Right>& rights, const std::string& text) {
  return std::ranges::find(rights, text, &Right::to_string) != rights.end();
}

}  // namespace

TEST_CASE("what dray needs is what manifests/rbac.yaml gives it, right by right") {
  const auto rights = needed_rights(installed_objects());
  const auto text = GENERATE(
      as<std::string>{}, "get /metrics", "watch pods", "patch pods/status", "create pods/binding",
      "create pods/eviction", "patch resourceclaims/binding.resource.k8s.io",
      "list resourceslices.resource.k8s.io", "create events.events.k8s.io",
      "update leases.coordination.k8s.io dray in dray-system",
      "get configmaps dray-usage in dray-system", "create configmaps in dray-system");
  INFO(text);
  CHECK(has(rights, text));
}

TEST_CASE("rights of kube-scheduler's account are not dray's") {
  const auto rights = needed_rights(installed_objects());
  CHECK(!has(rights, "get leases.coordination.k8s.io dray-scheduler in dray-system"));
  CHECK(rights.size() > 70);
}

TEST_CASE("a review asks for one right, of ourselves or of an account") {
  Right status{.verb = "patch",
               .group = "g",
               .resource = "pods/status",
               .name = "",
               .namespace_name = "n",
               .path = ""};
  CHECK(access_review(status, nullptr) ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
        R"({"resourceAttributes":{"verb":"patch","group":"g","resource":"pods",)"
        R"("subresource":"status","namespace":"n"}}})");
  const Right page{.verb = "get",
                   .group = "",
                   .resource = "",
                   .name = "",
                   .namespace_name = "",
                   .path = "/metrics"};
  const Installation blue{.namespace_name = "dray-blue", .partition = "blue"};
  CHECK(access_review(page, &blue) ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)"
        R"({"user":"system:serviceaccount:dray-blue:dray",)"
        R"("groups":["system:serviceaccounts","system:serviceaccounts:dray-blue",)"
        R"("system:authenticated"],"nonResourceAttributes":{"path":"/metrics","verb":"get"}}})");
}

TEST_CASE("each missing right is a finding") {
  const auto found = missing_rights({{.verb = "patch",
                                      .group = "",
                                      .resource = "pods",
                                      .name = "",
                                      .namespace_name = "",
                                      .path = ""}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == Fault::right_missing);
  CHECK(found[0].object == "patch pods");
  CHECK(found[0].what == "system:serviceaccount:dray-system:dray may not patch pods");
}

TEST_CASE("of rights to standbys' Leases it is told what lacks without them") {
  const auto found = missing_rights({{.verb = "get",
                                      .group = "coordination.k8s.io",
                                      .resource = "leases",
                                      .name = "dray-standby-2",
                                      .namespace_name = "dray-system",
                                      .path = {}}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].what ==
        "system:serviceaccount:dray-system:dray may not get leases.coordination.k8s.io "
        "dray-standby-2 in dray-system; the dashboard cannot name who stands by");
}

TEST_CASE("under another name of the Lease its rights are to Leases of that name") {
  const auto rights = needed_rights(installed_objects(installation_of({}, {}, "gpu")));
  for (const auto* text : {"get leases.coordination.k8s.io gpu in dray-system",
                           "update leases.coordination.k8s.io gpu-standby-3 in dray-system",
                           "update configmaps dray-usage in dray-system"}) {
    CAPTURE(text);
    CHECK(has(rights, text));
  }
  CHECK(!has(rights, "get leases.coordination.k8s.io dray in dray-system"));
}

}  // namespace dray::app::rights_test
