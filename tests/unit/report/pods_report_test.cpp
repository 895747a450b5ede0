#include "report/pods_report.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace dray::report::pods_report_test {
namespace {

using std::chrono::seconds;

std::vector<PodsRunOfSeed> one_run() {
  simulate::PodsRun run;
  run.policy = "today";
  run.span = seconds(70);
  run.plans = 2;
  auto& ran = run.pods.emplace_back();
  ran.pod = {"default", "ran"};
  ran.queue = "q";
  ran.created = seconds(1);
  ran.bound = seconds(11);
  ran.ended = seconds(70);
  ran.node = NodeName("n0");
  auto& device = ran.devices.emplace_back();
  device.device = {DriverName("gpu"), PoolName("n0"), DeviceName("gpu-0")};
  auto& waits = run.pods.emplace_back();
  waits.pod = {"default", "waits"};
  waits.reason = Reason::devices_in_use;
  auto& evicted = run.pods.emplace_back();
  evicted.pod = {"default", "evicted"};
  evicted.bound = seconds(30);
  evicted.ended = seconds(40);
  evicted.evicted = true;
  auto& failed = run.pods.emplace_back();
  failed.pod = {"default", "failed"};
  failed.bound = seconds(30);
  failed.ended = seconds(50);
  failed.failed = true;
  return {{7, run}};
}

}  // namespace

TEST_CASE("a table counts pods by what became of them, and says what others wait for") {
  const auto text = pods_table(one_run());
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::vector<std::string> words;
  for (std::string word; lines >> word && words.size() < 10;) words.push_back(word);
  CHECK(words ==
        std::vector<std::string>{"today", "7", "3/4", "1", "1", "1", "30s", "30s", "30s", "1m10s"});
  CHECK(text.find(std::string(plain_text(Reason::devices_in_use))) != std::string::npos);
}

TEST_CASE("CSV has a line for each pod, with its devices or why it waits") {
  CHECK(pods_csv(one_run()) ==
        "policy,seed,namespace,name,queue,created,bound,ended,evicted,failed,node,devices,reason\n"
        "today,7,default,ran,q,1,11,70,0,0,n0,gpu/n0/gpu-0,\n"
        "today,7,default,waits,,0,,,0,0,,," +
            std::string(name(Reason::devices_in_use)) +
            "\n"
            "today,7,default,evicted,,0,30,40,1,0,,,\n"
            "today,7,default,failed,,0,30,50,0,1,,,\n");
}

TEST_CASE("JSON leaves out what a pod does not have") {
  const auto text = pods_json(one_run());
  CHECK(text.find(R"({"namespace":"default","name":"evicted","created":0,"bound":30,"ended":40,)"
                  R"("evicted":true})") != std::string::npos);
  CHECK(text.find(R"("devices":["gpu/n0/gpu-0"])") != std::string::npos);
  CHECK(text.find(R"("evicted":1,"failed":1,"waitP50":30,"waitP95":30)") != std::string::npos);
}

}  // namespace dray::report::pods_report_test
