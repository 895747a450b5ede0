#include "app/doctor/finding.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>

namespace dray::app::finding_test {

TEST_CASE("faults have names of their own, and one sentence why") {
  std::set<std::string_view> names;
  for (const auto& info : fault_table()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
    CHECK(info.why.size() > 20);
    CHECK(!info.why.ends_with('.'));
    CHECK(&fault_info(info.fault) == &info);
  }
}

TEST_CASE("the manual has every fault by name") {
  std::ifstream in("docs/doctor.md");
  REQUIRE(in);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const auto& info : fault_table()) {
    INFO(info.name);
    CHECK(text.contains("| `" + std::string(info.name) + "` |"));
  }
}

TEST_CASE("findings stand in the order of the table, those of one fault by object") {
  Findings findings{{Fault::gate_foreign, "b", "", ""},
                    {Fault::gate_foreign, "a", "", ""},
                    {Fault::node_sample, "c", "", ""}};
  sort_findings(findings);
  CHECK(findings[0].object == "c");
  CHECK(findings[1].object == "a");
  CHECK(findings[2].object == "b");
}

}  // namespace dray::app::finding_test
