#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dray/simulate/trace.h"
#include "report/fair_shares.h"
#include "report/page_data.h"

namespace dray::report::jobs_page_data_test {
namespace {

using nlohmann::json;

struct Played {
  simulate::Setting setting;
  std::vector<simulate::Scheduler> schedulers;
  std::vector<MeasuredRun> runs;

  [[nodiscard]] json data() const {
    return json::parse(jobs_page_data({"0", "nodes:2x8", "csv:x"}, setting, runs));
  }
};

Played play(const std::string& rows, const std::vector<std::string>& policies,
            std::uint64_t seeds = 1) {
  auto jobs = simulate::read_jobs_csv("name,submit,run_time,gpus,queue\n" + rows).value().value;
  std::vector<simulate::Scheduler> schedulers;
  for (const auto& name : policies) {
    schedulers.push_back({name, simulate::Strategy::best_fit});
    if (name != "bestfit")
      schedulers.back().how = simulate::policy_of(jobs, name == "fair").value();
  }
  const std::vector<simulate::GpuNode> nodes{{"a", 64'000, 64'000, 8, "m"},
                                             {"b", 64'000, 64'000, 8, "m"}};
  Played played{simulate::Setting::make(nodes, std::move(jobs)).value(), schedulers, {}};
  for (const auto& scheduler : played.schedulers) {
    for (std::uint64_t seed = 5; seed < 5 + seeds; ++seed) {
      auto& run = played.runs.emplace_back();
      simulate::JobsOptions options;
      options.keep_stays = seed == 5;
      run.run = simulate::run_jobs(played.setting, scheduler, seed, options);
      run.measures = simulate::measure(played.setting.workload(), run.run);
    }
  }
  add_shares(played.runs, played.schedulers);
  return played;
}

const std::string two_queues =
    "a1,100,1000,8,a\na2,100,1000,8,a\nb1,200,10,8,b\ngang,300,50,16,b\n";

}  // namespace

TEST_CASE("the page is told what -o json says, and no other numbers for it") {
  const auto played = play(two_queues, {"fcfs", "fair", "bestfit"});
  const auto page = played.data();
  const auto wanted = json::parse(jobs_json(played.runs));
  CHECK(page["kind"] == "jobs");
  CHECK(page["about"]["gpus"] == 16);
  REQUIRE(page["runs"].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& run = page["runs"][i];
    for (const auto& [key, value] : wanted["runs"][i].items()) {
      if (key != "curves") CHECK(run[key] == value);
    }
    for (std::size_t at = 0; at < run["held"].size(); ++at) {
      double held = 0;
      for (std::size_t queue = 0; queue < 2; ++queue) {
        CHECK(run["curves"][queue]["held"][at] == wanted["runs"][i]["curves"][queue]["held"][at]);
        CHECK(run["curves"][queue]["share"][at] == wanted["runs"][i]["curves"][queue]["share"][at]);
        held += wanted["runs"][i]["curves"][queue]["held"][at].get<double>();
      }
      CHECK(std::abs(run["held"][at].get<double>() - held) < 0.011);
    }
  }
}

TEST_CASE("jobs that fared worse than under the first policy are named") {
  const auto page = play(two_queues, {"fcfs", "fair"}).data();
  CHECK_FALSE(page["runs"][0].contains("fared"));
  const auto& fared = page["runs"][1]["fared"];
  CHECK(fared["later"].get<int>() + fared["sooner"].get<int>() + fared["same"].get<int>() == 4);
  REQUIRE(fared["later"] == 2);
  const auto& worst = fared["worst"][0];
  CHECK(worst["queue"] == "a");
  CHECK(worst["submitted"] == 0);
  CHECK(worst["evictionsBefore"] == 0);
  CHECK(worst["evictions"] == 1);
}

TEST_CASE("the map has pictures of all GPUs at the same moments for every policy") {
  const auto page = play(two_queues, {"fcfs", "bestfit"}).data();
  CHECK(page["map"]["moments"].size() == 48);
  CHECK(page["map"]["ofNodes"] == 2);
  CHECK(page["map"]["queues"] == json({"a", "b"}));
  for (const auto& run : page["runs"]) {
    REQUIRE(run["pictures"].size() == 48);
    CHECK(run["pictures"][0] == "aaaaaaaaaaaaaaaa");
    CHECK(run["pictures"][47] == "bbbbbbbbbbbbbbbb");
  }
}

TEST_CASE("policies are compared by the first seed; other seeds are there by their measures") {
  const auto page = play(two_queues, {"fcfs", "bestfit"}, 3).data();
  CHECK(page["about"]["seeds"] == 3);
  CHECK(page["runs"].size() == 2);
  CHECK(page["runs"][1]["seed"] == 5);
  REQUIRE(page["otherSeeds"].size() == 4);
  CHECK(page["otherSeeds"][3]["seed"] == 7);
  CHECK_FALSE(page["otherSeeds"][3].contains("queues"));
}

TEST_CASE("many queues: those that ask for the most have curves, and the rest are counted") {
  std::string rows;
  for (int i = 0; i < 30; ++i) {
    const auto number = std::to_string(i);
    rows += "j" + number + ",0," + std::to_string(10 + (i * 7) % 30) + ",8,q" + number + "\n";
  }
  const auto page = play(rows, {"bestfit"}).data();
  CHECK(page["queuesLeftOut"] == 6);
  CHECK(page["runs"][0]["curves"].size() == 24);
  CHECK(page["runs"][0]["queues"].size() == 30);
}

}  // namespace dray::report::jobs_page_data_test
