#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/commands/child.h"
#include "tests/temp_folder.h"

namespace dray::commands_test::simulate_test {
namespace {

std::vector<std::string> sample(std::vector<std::string> more) {
  std::vector<std::string> arguments{"simulate", "--cluster",
                                     "openb:config/simulate/openb-nodes.csv", "--workload",
                                     "openb:config/simulate/openb-pods.csv"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("simulate compares policies, the same on any number of threads") {
  const std::vector<std::string> policies{"--policy", "fgd",    "--policy", "dray",
                                          "--policy", "random", "--repeat", "6"};
  auto arguments = sample(policies);
  arguments.insert(arguments.end(), {"-o", "csv", "--threads", "1"});
  const auto alone = dray(arguments);
  CHECK(alone.status == 0);
  CHECK(alone.out.starts_with("policy,seed,demand,pods,allocated,fragmented,fragmented_idle\n"));
  CHECK(alone.out.find("\nrandom,47,") != std::string::npos);
  arguments.back() = "5";
  CHECK(dray(arguments).out == alone.out);
  const auto table = dray(sample(policies));
  CHECK(table.out.starts_with("POLICY  SEEDS"));
  CHECK(table.out.find("\ndray        6 ") != std::string::npos);
}

TEST_CASE("simulate says what is wrong with its input") {
  struct Row {
    std::string name;
    std::string workload;
    std::vector<std::string> arguments;
    std::string err;
  };
  const auto row =
      GENERATE(Row{"a policy that there is not", "", {"--policy", "best"}, "--policy best: "},
               Row{"a file that is no order",
                   "",
                   {"--policy", "fgd", "--order", "config/simulate/openb-pods.csv"},
                   "config/simulate/openb-pods.csv:1:1: seed: expected a whole number"},
               Row{"a bad row",
                   "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,1000\nb,x,1,0,0\n",
                   {"--policy", "fgd"},
                   "pods.csv:3:3: cpu_milli: expected a whole number from 0 to "});
  DYNAMIC_SECTION(row.name) {
    const TempFile pods("pods.csv", row.workload);
    auto arguments = sample(row.arguments);
    if (!row.workload.empty()) arguments[4] = "openb:" + pods.path();
    const auto ended = dray(arguments);
    CHECK(ended.status == 2);
    CHECK(ended.err.find(row.err) != std::string::npos);
  }
}

TEST_CASE("simulate --report writes one page, or says how it is built") {
  testing::TempFolder folder;
  const auto path = folder.path() + "/report.html";
  const auto ended = dray(sample({"--policy", "fgd", "--report", path, "-o", "csv"}));
  if (ended.err.find("build it with ./dev web: report.html") != std::string::npos) {
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    WARN("skipped: no page of reports; ./dev web builds it");
    return;
  }
  CHECK(ended.status == 0);
  CHECK(ended.out == dray(sample({"--policy", "fgd", "-o", "csv"})).out);
  const auto page = read(path);
  CHECK(page.find(R"(type="application/json">{"kind":"experiment")") != std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("unsafe") == std::string::npos);
  CHECK(dray(sample({"--policy", "fgd", "--report", path, "--threads", "3"})).status == 0);
  CHECK(read(path) == page);
  const auto nowhere = dray(sample({"--policy", "fgd", "--report", folder.path() + "/no/r.html"}));
  CHECK(nowhere.status == 2);
  CHECK(nowhere.err.find("no/r.html: cannot be written") != std::string::npos);
}

TEST_CASE("simulate --lenient skips what cannot be read, and says so") {
  const TempFile pods("pods.csv",
                      "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1,1,1,1000\nb,x,1,0,0\n");
  const auto ended = dray({"simulate", "--cluster", "openb:config/simulate/openb-nodes.csv",
                           "--workload", "openb:" + pods.path(), "--policy", "fgd", "--lenient"});
  CHECK(ended.status == 0);
  CHECK(ended.err.find("1 row skipped, the first: 3:3: cpu_milli") != std::string::npos);
}

TEST_CASE("simulate plays the sample scenario, one policy file beside the other") {
  const auto ended = dray({"simulate", "-f", "config/simulate/scenario.yaml"});
  CHECK(ended.err.empty());
  CHECK(ended.status == 0);
  CHECK(ended.out.find("\ntoday ") != std::string::npos);
  CHECK(ended.out.find("\ntomorrow ") != std::string::npos);
  CHECK(ended.out.find("4000/4000") != std::string::npos);
}

TEST_CASE("simulate names file and line of what is wrong in a scenario, and a flag wins over it") {
  const testing::TempFolder folder;
  const std::string good =
      "apiVersion: dray.dev/v1alpha1\nkind: Scenario\ncluster: nodes:1x8\n"
      "workload: csv:jobs.csv\npolicy: [bestfit, first-fit]\noutput: csv\n";
  folder.write("jobs.csv", "name,submit,run_time,gpus\na,0,60,8\n");
  const auto bad = folder.write("bad.yaml", good + "planPuase: 5\n");
  const auto refused = dray({"simulate", "-f", bad});
  CHECK(refused.status == 2);
  CHECK(refused.err ==
        "dray simulate: " + bad + ":7:1: no field \"planPuase\"; did you mean planPause?\n");
  const auto file = folder.write("good.yaml", good);
  CHECK(dray({"simulate", "-f", file}).out.find("\nfirst-fit,42,") != std::string::npos);
  const auto other = dray({"simulate", "-f", file, "--policy", "random", "--seed", "3"}).out;
  CHECK(other.find("\nrandom,3,") != std::string::npos);
  CHECK(other.find("bestfit") == std::string::npos);
  const auto none = dray({"simulate", "--cluster", "nodes:1x8"});
  CHECK(none.status == 2);
  CHECK(none.err == "dray simulate: no --workload: give it, or a Scenario with -f\n");
}

TEST_CASE("simulate draws queues for a trace that names none, and not for what has no queues") {
  const testing::TempFolder folder;
  std::string trace = "job_id,arrival_s,service_sec,gpu_count\n";
  for (int i = 0; i < 200; ++i) trace += "j" + std::to_string(i) + ",0,60,1\n";
  const auto jobs = folder.write("helios.csv", trace);
  const std::vector<std::string> run{"simulate",       "--cluster",    "nodes:4x8", "--workload",
                                     "helios:" + jobs, "--policy",     "fair",      "-o",
                                     "json",           "--draw-queues"};
  const auto with = [&](const char* queues) {
    auto arguments = run;
    arguments.emplace_back(queues);
    return dray(arguments);
  };
  const auto ended = with("big*3+small");
  CHECK(ended.status == 0);
  CHECK(ended.out.find("\"big\"") != std::string::npos);
  CHECK(ended.out.find("\"small\"") != std::string::npos);
  CHECK(ended.out.find("\"default\"") == std::string::npos);
  CHECK(with("big*3+small").out == ended.out);
  const auto bad = with("big*x");
  CHECK(bad.status == 2);
  CHECK(bad.err.find("--draw-queues: queues: expected NAME or NAME*WEIGHT") != std::string::npos);
  const auto pods = dray(sample({"--policy", "fgd", "--draw-queues", "a+b"}));
  CHECK(pods.status == 2);
  CHECK(pods.err.find("--draw-queues: not with openb:") != std::string::npos);
}

TEST_CASE("simulate takes kinds of nodes, and a snapshot of a cluster as match does") {
  const testing::TempFolder folder;
  const auto jobs = folder.write("jobs.csv", "name,submit,run_time,gpus,queue\na,0,60,8,team\n");
  const auto policy = folder.write("p.yaml",
                                   "apiVersion: dray.dev/v1alpha1\nkind: Policy\n"
                                   "resources: {gpu: [{deviceClass: gpu.nvidia.com}]}\n"
                                   "queues: [{name: team, quota: {gpu: 8}}]\n");
  const std::vector<std::string> load{"--workload", "csv:" + jobs, "--policy", policy,
                                      "--policy",   "fair",        "-o",       "csv"};
  const auto play = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    arguments.insert(arguments.end(), load.begin(), load.end());
    return dray(arguments);
  };
  const auto made = play({"--cluster", "nodes:2xdgxh100"});
  CHECK(made.err.empty());
  CHECK(made.out.find("\np,42,team,*,1,1,1,") != std::string::npos);
  CHECK(made.out.find("\nfair,42,team,*,1,1,1,") != std::string::npos);
  const auto metrics = dray({"simulate", "--cluster", "nodes:2xdgxh100", "--workload",
                             "csv:" + jobs, "--policy", policy, "-o", "prometheus"});
  CHECK(metrics.out.find("\ndray_simulation_jobs{policy=\"p\",seed=\"42\",queue=\"team\","
                         "state=\"ended\"} 1\n") != std::string::npos);
  CHECK(metrics.out.find("\ndray_simulation_aligned_percent{policy=\"p\",seed=\"42\"} 0\n") !=
        std::string::npos);
  const auto document = read("docs/simulator.md");
  const std::regex name("dray_simulation_[a-z_]+");
  const std::sregex_iterator named(document.begin(), document.end(), name);
  REQUIRE(named != std::sregex_iterator());
  for (auto each = named; each != std::sregex_iterator(); ++each) {
    INFO(each->str());
    CHECK(metrics.out.find("# TYPE " + each->str() + " gauge\n") != std::string::npos);
  }
  const auto snapshot = dray({"snapshot", "--cluster", "config/demo/cluster"});
  const auto file = folder.write("cluster.json", snapshot.out);
  CHECK(play({"--cluster", file}).out.find("\np,42,team,*,1,1,1,") != std::string::npos);
  const auto uncounted = play({"--cluster", "nodes:2x8"});
  CHECK(uncounted.status == 0);
  CHECK(uncounted.err.find(policy +
                           " counts no nodeResource nvidia.com/gpu, which the jobs ask for") !=
        std::string::npos);
}

TEST_CASE("simulate says what is wrong with a cluster") {
  struct Row {
    std::string name;
    std::vector<std::string> arguments;
    std::string err;
  };
  const auto row =
      GENERATE(Row{"a kind that there is not",
                   {"--cluster", "nodes:2xdgxh900"},
                   "--cluster nodes:2xdgxh900: no kind of node dgxh900; there are "},
               Row{"no file",
                   {"--cluster", "nowhere.json"},
                   "nowhere.json: cannot be read: no such file or directory"},
               Row{"neither kind nor number", {"--cluster", "nodes:2"}, "expected COUNTxGPUS"},
               Row{"two of a kind",
                   {"--cluster", "nodes:2x8", "--cluster", "nodes:2x4"},
                   "several may be given of manifests alone"},
               Row{"GPUs of nodes that are made",
                   {"--cluster", "nodes:2x8", "--gpus", "gpu.nvidia.com"},
                   "--gpus gpu.nvidia.com: only of manifests and kinds of nodes"},
               Row{"no such devices",
                   {"--cluster", "nodes:1xdgxh100", "--gpus", "gpu.amd.com"},
                   "no node has gpu.amd.com; --gpus takes what there is: "});
  DYNAMIC_SECTION(row.name) {
    std::vector<std::string> arguments{"simulate", "--workload", "synthetic:jobs=1", "--policy",
                                       "fcfs"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    const auto ended = dray(arguments);
    CHECK(ended.status == 2);
    CHECK(ended.err.find(row.err) != std::string::npos);
  }
}

TEST_CASE("simulate shows two teams that take turns where the past counts") {
  const auto ended = dray({"simulate", "-f", "config/simulate/oscillation.yaml", "-o", "json"});
  CHECK(ended.err.empty());
  CHECK(ended.out.find("\"cycles\":1024,") != std::string::npos);
  CHECK(ended.out.find("\"queue\":\"team-b\"") != std::string::npos);
}

TEST_CASE("simulate says what is wrong with its times") {
  struct Row {
    std::vector<std::string> arguments;
    std::string err;
  };
  const auto row =
      GENERATE(Row{{"--until", "soon"}, "--until soon: expected a time, as 90, 90s, 5m or 7d"},
               Row{{"--plan-every", "0"}, "--plan-every 0: expected a time above 0"},
               Row{{"--plan-every", "1m", "--plan-pause", "5"},
                   "--plan-every and --plan-pause exclude each other"});
  DYNAMIC_SECTION(row.err) {
    std::vector<std::string> arguments{"simulate",         "--cluster", "nodes:1x8", "--workload",
                                       "synthetic:jobs=1", "--policy",  "fcfs"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    const auto ended = dray(arguments);
    CHECK(ended.status == 2);
    CHECK(ended.err == "dray simulate: " + row.err + "\n");
  }
}

TEST_CASE("simulate plays Kubernetes' own pods, and says which flags are not for them") {
  const std::vector<std::string> pods{"simulate",
                                      "--cluster",
                                      "config/demo/cluster",
                                      "--workload",
                                      "pods:config/demo/workload.yaml",
                                      "--policy"};
  const auto with = [&](std::vector<std::string> more) {
    auto all = pods;
    all.insert(all.end(), more.begin(), more.end());
    return dray(all);
  };
  const auto once = with({"config/demo/policy.yaml", "--policy", "none", "-o", "json"});
  CHECK(once.status == 0);
  CHECK(once.out.find(R"("policy":"policy","seed":42,"bound":)") != std::string::npos);
  CHECK(once.out.find("gpu.nvidia.com/") != std::string::npos);
  CHECK(with({"config/demo/policy.yaml", "--policy", "none", "-o", "json", "--threads", "1"}).out ==
        once.out);
  const auto strategy = with({"fgd"});
  CHECK(strategy.status == 2);
  CHECK(strategy.err.find("expected a policy FILE.yaml, or none") != std::string::npos);
  CHECK(once.out.find(R"("classes":[{"class":)") != std::string::npos);
  CHECK(with({"none", "--order", "x.csv"}).err ==
        "dray simulate: --order: not with a workload of pods:FILE (docs/simulator.md)\n");
  const auto curves = with({"none", "-o", "curves"});
  CHECK(curves.out.starts_with("policy,seed,queue,seconds,held,waiting,fairShare,jain,"));
  CHECK(with({"none", "-o", "json", "--gpus", "no-such"}).err.find("no node has no-such") !=
        std::string::npos);
}

TEST_CASE("simulate plays the pods of other schedulers' snapshots, where it is told to") {
  struct Row {
    std::string name;
    std::string file;
    std::string scheduler;
    std::string waits;
    std::string bound;
  };
  const auto row =
      GENERATE(Row{"KAI-Scheduler", "tests/data/snapshots/kai.zip", "kai-scheduler", "3 of 3 pods",
                   R"("bound":3,)"},
               Row{"kube-scheduler-simulator", "tests/data/snapshots/kube-scheduler-simulator.json",
                   "default-scheduler", "1 of 1 pods", R"("bound":1,)"});
  DYNAMIC_SECTION(row.name) {
    const std::vector<std::string> words{
        "simulate", "--cluster", row.file, "--workload", "pods:" + row.file,
        "--policy", "none",      "-o",     "json"};
    const auto waits = dray(words);
    CHECK(waits.status == 0);
    CHECK(waits.err == "dray simulate: warning: pods:" + row.file + ": " + row.waits +
                           " name the scheduler " + row.scheduler +
                           " and wait for it: --scheduler " + row.scheduler +
                           " makes them dray's\n");
    CHECK(waits.out.find(R"("bound":0,)") != std::string::npos);
    auto taken = words;
    taken.insert(taken.end(), {"--scheduler", row.scheduler});
    const auto played = dray(taken);
    CHECK(played.err.empty());
    CHECK(played.out.find(row.bound) != std::string::npos);
  }
}

TEST_CASE("simulate has nodes fail under pods, and knows which there are") {
  const std::vector<std::string> words{"simulate",
                                       "--cluster",
                                       "tests/data/snapshots/kai.zip",
                                       "--workload",
                                       "pods:tests/data/snapshots/kai.zip",
                                       "--scheduler",
                                       "kai-scheduler",
                                       "--policy",
                                       "none",
                                       "-o",
                                       "json",
                                       "--churn"};
  const auto with = [&](const std::string& churn) {
    auto all = words;
    all.push_back(churn);
    return dray(all);
  };
  CHECK(with("1h fails n0").out.find(R"("evicted":1,"failed":1,)") != std::string::npos);
  CHECK(with("0 fails n1").out.find(R"("bound":1,)") != std::string::npos);
  CHECK(with("1h fails n7").err ==
        "dray simulate: --churn 1h fails n7: no node n7 in the cluster\n");
}

TEST_CASE("simulate has nodes fail, the same on any number of threads, and knows which there are") {
  const auto with = [](std::vector<std::string> more) {
    std::vector<std::string> all{
        "simulate", "--cluster", "nodes:2x8", "--workload", "synthetic:jobs=50,per-hour=60",
        "--policy", "fcfs",      "--policy",  "bestfit",    "-o",
        "csv"};
    all.insert(all.end(), more.begin(), more.end());
    return dray(all);
  };
  const std::vector<std::string> churn{"--churn", "20m fails node-000000", "--churn",
                                       "30m returns node-000000"};
  auto single = churn;
  single.insert(single.end(), {"--threads", "1"});
  const auto once = with(churn);
  CHECK(once.status == 0);
  CHECK(once.out != with({}).out);
  CHECK(once.out == with(single).out);
  CHECK(with({"--churn", "20m fails nowhere"}).err ==
        "dray simulate: --churn 20m fails nowhere: no node nowhere in the cluster\n");
  CHECK(with({"--churn", "soon fails node-000000"}).err.find("--churn soon") != std::string::npos);
  CHECK(with({"--churn", "20m"}).err.find("expected TIME and fails") != std::string::npos);
  CHECK(with({"--decisions", "x.csv"}).err ==
        "dray simulate: --decisions: of openb:FILE alone (docs/simulator.md)\n");
}

TEST_CASE("shards that are merged are what one process prints") {
  const std::vector<std::string> all{
      "simulate", "--cluster", "nodes:2x8", "--workload", "synthetic:jobs=30",
      "--policy", "fcfs",      "--policy",  "random",     "--repeat",
      "3",        "-o",        "json"};
  const testing::TempFolder folder;
  std::vector<std::string> merge{"simulate", "merge"};
  for (const auto* shard : {"1/4", "0/4", "3/4", "2/4"}) {
    auto part = all;
    part.insert(part.end(), {"--shard", shard});
    merge.push_back(folder.write(std::string(1, *shard) + ".json", dray(part).out));
  }
  const auto merged = dray(merge);
  CHECK(merged.status == 0);
  CHECK(merged.out == dray(all).out);
  merge.pop_back();
  CHECK(dray(merge).err == "dray simulate: shard 2/4 is missing\n");
}

}  // namespace dray::commands_test::simulate_test
