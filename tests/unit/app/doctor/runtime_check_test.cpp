#include "app/doctor/runtime_check.h"

#include <catch2/catch.hpp>

namespace dray::app::runtime_check_test {
namespace {

using std::chrono::seconds;
using Names = std::vector<std::string>;

constexpr Time now = Time(std::chrono::hours(500'000));

Names names(const Findings& findings) {
  Names all;
  for (const auto& finding : findings) all.emplace_back(fault_info(finding.fault).name);
  return all;
}

Lease lease(const std::string& name, const std::string& holder, Time renewed) {
  Lease made;
  made.meta.namespace_name = "dray-system";
  made.meta.name = name;
  made.holder = holder;
  made.duration_seconds = 15;
  made.renewed = renewed;
  return made;
}

Tree pod(const std::string& command) {
  auto read = read_tree(R"({"metadata":{"namespace":"kube-system","name":"kcm"},)"
                        R"("spec":{"containers":[{"command":["kube-controller-manager")" +
                        command + "]}]}}");
  REQUIRE(read);
  return *std::move(read);
}

}  // namespace

TEST_CASE("the Date header's time") {
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == *parse_time("1994-11-06T08:49:37Z"));
  CHECK(parse_http_date("Thu, 29 Feb 2024 23:59:59 GMT") == *parse_time("2024-02-29T23:59:59Z"));
  for (const auto* text : {"", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nop 1994 08:49:37 GMT",
                           "Sun, 31 Feb 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"}) {
    INFO(text);
    CHECK(!parse_http_date(text));
  }
}

TEST_CASE("dray's Lease says whether somebody leads") {
  struct Row {
    std::string name;
    std::vector<Lease> leases;
    std::string what;  ///< empty: somebody leads
  };
  const auto row =
      GENERATE(Row{"somebody does", {lease("dray", "d0", now - seconds(14))}, ""},
               Row{"another's Lease", {lease("other", "d0", now)}, "there is no such Lease"},
               Row{"given back", {lease("dray", "", now)}, "nobody holds it"},
               Row{"run out",
                   {lease("dray", "d0", now - seconds(16))},
                   "d0 renewed it 16 s ago, and it lasts 15 s"});
  DYNAMIC_SECTION(row.name) {
    const auto found = check_leases(row.leases, {.here = now, .api_server = now});
    CHECK(names(found) == (row.what.empty() ? Names{} : Names{"leader-missing"}));
    if (!row.what.empty()) CHECK(found[0].what == row.what);
  }
}

TEST_CASE("Leases that were read later are held against the clocks as they were then") {
  const Clocks first{.here = now + seconds(1), .api_server = now};
  const auto later = first.when(now + seconds(6));
  CHECK(later.here == now + seconds(6));
  CHECK(later.api_server == now + seconds(5));
  CHECK_FALSE(Clocks{.here = now, .api_server = {}}.when(now + seconds(6)).api_server);
}

TEST_CASE("the clocks of Lease holders are held against the API server's") {
  const auto ours = lease("dray", "d0", now);
  auto node = lease("n0", "n0", now + seconds(90));
  const Clocks clocks{.here = now, .api_server = now};
  const auto found = check_leases({ours, node}, clocks);
  REQUIRE(names(found) == Names{"clock-of-holder"});
  CHECK(found[0].what == "n0 renewed it 90 s ahead of the API server's clock");
  node.renewed = now + seconds(2);
  CHECK(check_leases({ours, node}, clocks).empty());
}

TEST_CASE("the clock here is held against the API server's") {
  const std::vector leases{lease("dray", "d0", now)};
  CHECK(check_leases(leases, {.here = now + seconds(2), .api_server = now}).empty());
  const auto ahead = check_leases(leases, {.here = now + seconds(9), .api_server = now});
  REQUIRE(names(ahead) == Names{"clock-local"});
  CHECK(ahead[0].what == "its clock is 9 s ahead of the API server's");
  const auto behind = check_leases(leases, {.here = now - seconds(9), .api_server = now});
  REQUIRE(names(behind) == Names{"clock-local"});
  CHECK(behind[0].what == "its clock is 9 s behind the API server's");
}

TEST_CASE("versions") {
  CHECK(minor_of("v1.37.0-rc.1+x") == 37);
  CHECK(minor_of("1.9.0") == 9);
  CHECK(!minor_of("latest"));
  struct Row {
    std::string server;
    std::string scheduler;
    Names want;
  };
  const auto row =
      GENERATE(Row{"v1.37.0", "v1.37.1", {}}, Row{"v1.37.0", "v1.36.0", {}}, Row{"v1.36.0", "", {}},
               Row{"", "v1.36.0", {}}, Row{"v1.35.4", "v1.35.4", {"api-server-old"}},
               Row{"v1.37.0", "v1.38.0", {"scheduler-version"}},
               Row{"v1.37.0", "v1.35.0", {"scheduler-version"}});
  DYNAMIC_SECTION(row.server << " with " << row.scheduler) {
    Versions versions;
    versions.api_server = row.server;
    versions.scheduler = row.scheduler;
    CHECK(names(check_versions(versions)) == row.want);
  }
}

TEST_CASE("kubelets that know no claims of v1") {
  Versions versions;
  versions.kubelets = {{"v1.33.9", {"n1", "n2"}}, {"v1.34.0", {"n0"}}, {"odd", {"n3"}}};
  const auto found = check_versions(versions);
  REQUIRE(names(found) == Names{"kubelet-old"});
  CHECK(found[0].object == "kubelet v1.33.9");
  CHECK(found[0].what == "2 nodes, n1 among them");
}

TEST_CASE("gates that stand otherwise in the API server") {
  CHECK(check_gates({{"DRAConsumableCapacity", true}}, {}).empty());
  const auto off = check_gates({{"DRAConsumableCapacity", false}}, {});
  REQUIRE(names(off) == Names{"feature-gate-differs"});
  CHECK(off[0].object == "DRAConsumableCapacity");
  CHECK(off[0].mend.ends_with("--feature-gates DRAConsumableCapacity=false"));
}

TEST_CASE("the controller manager's flags") {
  struct Row {
    std::string flags;
    Names want;
  };
  const auto row = GENERATE(values<Row>({
      {R"(,"--kube-api-qps=500")", {}},
      {R"(,"--kube-api-qps","500")", {}},
      {"", {"controller-manager-slow"}},
      {R"(,"--kube-api-qps=50")", {"controller-manager-slow"}},
      {R"(,"--kube-api-qps=500","--controllers=*,bootstrapsigner")", {}},
      {R"(,"--kube-api-qps=500","--controllers=resourceclaim-controller")", {}},
      {R"(,"--kube-api-qps=500","--controllers=*,-resourceclaim-controller")",
       {"claim-controller-off"}},
      {R"(,"--kube-api-qps=500","--controllers=namespace-controller")", {"claim-controller-off"}},
  }));
  DYNAMIC_SECTION(row.flags) {
    CHECK(names(check_controller_managers({pod(row.flags)})) == row.want);
  }
}

TEST_CASE("the policy file's errors, by their place") {
  CHECK(check_policy_file("apiVersion: dray.dev/v1alpha1\nkind: Policy\n", "p").empty());
  const auto found =
      check_policy_file("apiVersion: dray.dev/v1alpha1\nkind: Policy\nquees: []\n", "p");
  REQUIRE(names(found) == Names{"policy-file-invalid"});
  CHECK(found[0].what.starts_with("3:1: "));
}

}  // namespace dray::app::runtime_check_test
