// The schema of Scenario files is made of the flags of `dray simulate`; DRAY_WRITE=1 writes it
// anew.
#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "app/simulate/simulate_flags.h"
#include "tests/unit/app/config_fields.h"
#include "tests/unit/wire/written_file.h"
#include "wire/yaml/config_node.h"

namespace dray::app::scenario_document_test {
namespace {

const Examples examples{
    {"cluster", "[nodes:32xdgxh100]"},
    {"gpus", "gpu.nvidia.com"},
    {"workload", "csv:jobs.csv"},
    {"policy", "[today.yaml]"},
    {"draw-queues", "team-a*3+team-b"},
    {"columns", "submit=queued_at,gpus=num_gpus"},
    {"order", "order.csv"},
    {"decisions", "decisions.csv"},
    {"report", "report.html"},
    {"plan-pause", "5s"},
    {"plan-every", "1m"},
    {"churn", "[3h fails n04]"},
    {"apart", "1s"},
    {"run-time", "2h"},
    {"scheduler", "[default-scheduler]"},
    {"until", "7d"},
    {"shard", "0/8"},
    {"checkpoint", "runs"},
    {"server", "http://localhost:8080"},
    {"token-file", "token"},
    {"kubeconfig", "/home/olga/.kube/config"},
    {"ca-file", "ca.crt"},
};

std::vector<Field> fields() {
  CLI::App command;
  SimulateFlags flags;
  add_simulate_flags(command, flags);
  auto all = fields_of(command, "filename");
  for (auto& field : all) {
    if (field.flag == "output") field.what = "How results are printed";
  }
  return all;
}

std::string schema() {
  return schema_of({.title = "dray simulate", .kind = "Scenario", .bare_numbers = true}, fields(),
                   examples);
}

}  // namespace

TEST_CASE("the schema of scenarios says what the flags of dray simulate say") {
  CHECK(wire::written_file("config/simulate/scenario.schema.json", schema()) == schema());
  REQUIRE(wire::parse_yaml(schema()));
}

TEST_CASE("every key of a scenario is described, and has a default or an example") {
  for (const auto& field : fields()) {
    CAPTURE(field.flag);
    CHECK_FALSE(field.what.empty());
    CHECK((!field.standing.empty() || examples.contains(field.flag)));
  }
}

}  // namespace dray::app::scenario_document_test
