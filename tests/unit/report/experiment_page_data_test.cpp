#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "dray/simulate/trace.h"
#include "report/page_data.h"

namespace dray::report::experiment_page_data_test {
namespace {

using nlohmann::json;

json experiment(std::uint64_t seeds) {
  simulate::Workload workload;
  for (int i = 0; i < 40; ++i) {
    simulate::TraceJob job;
    job.name = "p" + std::to_string(i);
    job.queue = i % 2 == 0 ? "a" : "b";
    job.ask = {1000, 1000, i % 4 == 0 ? 4 : 1, i % 4 == 1 ? 500 : 1000, {}};
    workload.jobs.push_back(job);
  }
  const std::vector<simulate::GpuNode> nodes(6, {"n", 64'000, 64'000, 8, "m"});
  const auto setting = simulate::Setting::make(nodes, workload).value();
  std::vector<simulate::ArrivalOrder> drawn;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    drawn.push_back(simulate::draw_order(workload, nodes, 1.3, seed));
  }
  ExperimentRuns runs;
  std::vector<const simulate::ArrivalOrder*> orders;
  for (const auto strategy : {simulate::Strategy::fgd, simulate::Strategy::best_fit}) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      orders.push_back(&drawn[seed]);
      runs.push_back(simulate::run_experiment(setting, drawn[seed], strategy, seed));
    }
  }
  auto page = json::parse(experiment_page_data({"0", "c", "w"}, setting, runs, orders));
  page["json"] = json::parse(experiment_json(runs));
  return page;
}

}  // namespace

TEST_CASE("with one seed the points are those of -o json") {
  const auto page = experiment(1);
  CHECK(page["kind"] == "experiment");
  REQUIRE(page["policies"].size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& policy = page["policies"][i];
    const auto& run = page["json"]["runs"][i];
    CHECK(policy["policy"] == run["policy"]);
    CHECK(policy["refused"]["mean"] == run["refused"]);
    REQUIRE(policy["points"].size() == run["points"].size());
    for (std::size_t at = 0; at < policy["points"].size(); ++at) {
      for (const auto* key : {"demand", "allocated", "fragmented", "fragmentedIdle"}) {
        CHECK(policy["points"][at][key] == run["points"][at][key]);
      }
    }
  }
}

TEST_CASE("pods of all seeds are counted by size, and the refused of them add up") {
  const auto page = experiment(3);
  for (std::size_t i = 0; i < 2; ++i) {
    std::size_t pods = 0;
    std::size_t refused = 0;
    for (const auto& size : page["policies"][i]["sizes"]) {
      pods += size["pods"].get<std::size_t>();
      refused += size["refused"].get<std::size_t>();
    }
    std::size_t wanted_pods = 0;
    std::size_t wanted_refused = 0;
    for (std::size_t seed = 0; seed < 3; ++seed) {
      wanted_pods += page["json"]["runs"][i * 3 + seed]["pods"].get<std::size_t>();
      wanted_refused += page["json"]["runs"][i * 3 + seed]["refused"].get<std::size_t>();
    }
    CHECK(pods == wanted_pods);
    CHECK(refused == wanted_refused);
    CHECK(page["policies"][i]["seeds"] == 3);
  }
}

TEST_CASE("the map goes by demand, and fills up") {
  const auto page = experiment(1);
  const auto& demands = page["map"]["moments"];
  CHECK(page["map"]["unit"] == "demand");
  CHECK(demands.size() <= 48);
  CHECK(demands.back() > 100);
  const auto& pictures = page["policies"][0]["pictures"];
  REQUIRE(pictures.size() == demands.size());
  const auto free = [](const std::string& picture) { return std::ranges::count(picture, '.'); };
  CHECK(pictures[0].get<std::string>().size() == 48);
  CHECK(free(pictures[0]) > 40);
  CHECK(free(pictures.back()) < 5);
}

}  // namespace dray::report::experiment_page_data_test
