#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/commands/child.h"
#include "tests/temp_folder.h"

namespace dray::commands_test::simulate_checkpoint_test {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<fs::path> runs_in(const std::string& folder) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".run") runs.push_back(entry.path());
  }
  return runs;
}

/// Twelve runs, each long enough to be interrupted.
const Words sweep{
    "simulate", "--cluster", "nodes:8x8", "--workload", "synthetic:jobs=6000,per-hour=60",
    "--policy", "fcfs",      "--repeat",  "12",         "--threads",
    "1"};

/// What a command shows on a terminal of its own.
std::string on_terminal(Words words) {
  words.insert(words.begin(), DRAY_PROGRAM);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int terminal = -1;
  const auto child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    execv(arguments.front(), arguments.data());
    _exit(127);
  }
  REQUIRE(child > 0);
  std::string shown;
  std::array<char, 4096> part{};
  // Its end is an error (EIO): nobody has the other side open.
  for (auto count = read(terminal, part.data(), part.size()); count > 0;
       count = read(terminal, part.data(), part.size())) {
    shown.append(part.data(), static_cast<std::size_t>(count));
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  close(terminal);
  CHECK(WEXITSTATUS(status) == 0);
  return shown;
}

}  // namespace

TEST_CASE("a comparison that is interrupted goes on, and ends as one that was not") {
  const auto number = GENERATE(SIGINT, SIGTERM);
  const testing::TempFolder temp;
  const auto folder = temp.path() + "/kept";
  const auto with = sweep + Words{"-o", "json", "--checkpoint", folder};
  Child child(with);
  while (runs_in(folder).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  child.send(number);
  const auto ended = child.wait();
  CHECK(ended.status == 128 + number);
  CHECK(ended.out.empty());
  const auto kept = runs_in(folder);
  CHECK(kept.size() < 12);
  CHECK(ended.err == "dray simulate: ended by a signal: " + std::to_string(kept.size()) +
                         " of 12 runs are kept in " + folder +
                         "; the same command goes on from there\n");
  // One of those is damaged meanwhile, and made again; the others are not touched.
  fs::resize_file(kept.front(), fs::file_size(kept.front()) / 2);
  const auto rest = dray(with);
  CHECK(rest.status == 0);
  CHECK(rest.err == "dray simulate: warning: " + kept.front().string() +
                        ": damaged, or not written to its end: this run is made again\n");
  const auto whole = dray(sweep + Words{"-o", "json"});
  CHECK(rest.out == whole.out);
  CHECK(runs_in(folder).size() == 12);
  // All are there now, for every form of output.
  CHECK(dray(with).out == whole.out);
  const auto csv = Words{"-o", "csv"};
  CHECK(dray(sweep + csv + Words{"--checkpoint", folder}).out == dray(sweep + csv).out);
}

TEST_CASE("a checkpoint serves every kind of workload, more policies and other shards") {
  struct Row {
    std::string name;
    Words words;
    Words more;
    std::size_t runs;
  };
  const auto row =
      GENERATE(Row{"FGD's experiment",
                   {"--cluster", "openb:config/simulate/openb-nodes.csv", "--workload",
                    "openb:config/simulate/openb-pods.csv", "--repeat", "2", "--policy", "fgd"},
                   {"--policy", "random"},
                   4},
               Row{"jobs in time, a policy file among them",
                   {"--cluster", "nodes:2x8", "--workload", "synthetic:jobs=30", "--repeat", "2",
                    "--policy", "config/simulate/today.yaml", "-o", "json"},
                   {"--policy", "random"},
                   4},
               Row{"pods",
                   {"--cluster", "config/demo/cluster", "--workload",
                    "pods:config/demo/workload.yaml", "--policy", "none", "-o", "csv"},
                   {"--policy", "config/demo/policy.yaml"},
                   2});
  DYNAMIC_SECTION(row.name) {
    const testing::TempFolder temp;
    const Words kept{"--checkpoint", temp.path()};
    const auto words = Words{"simulate"} + row.words;
    CHECK(dray(words + kept).out == dray(words).out);
    const auto before = runs_in(temp.path());
    CHECK(before.size() == row.runs / 2);
    std::vector<fs::file_time_type> times;
    for (const auto& run : before) times.push_back(fs::last_write_time(run));
    const auto more = dray(words + row.more + kept);
    CHECK(more.out == dray(words + row.more).out);
    CHECK(runs_in(temp.path()).size() == row.runs);
    std::vector<fs::file_time_type> now;
    for (const auto& run : before) now.push_back(fs::last_write_time(run));
    CHECK(now == times);
  }
}

TEST_CASE("shards that share a checkpoint leave all that one process needs") {
  const testing::TempFolder temp;
  const Words words{"simulate", "--cluster", "nodes:2x8", "--workload", "synthetic:jobs=30",
                    "--policy", "fcfs",      "--policy",  "random",     "--repeat",
                    "3",        "-o",        "json"};
  const Words kept{"--checkpoint", temp.path()};
  for (const auto* shard : {"0/2", "1/2"}) {
    CHECK(dray(words + kept + Words{"--shard", shard}).status == 0);
  }
  CHECK(runs_in(temp.path()).size() == 6);
  CHECK(dray(words + kept).out == dray(words).out);
}

TEST_CASE("a checkpoint of other inputs is refused with what is another") {
  struct Row {
    std::string name;
    std::string text;  ///< of the trace
    Words more;
    std::string other;
  };
  const std::string trace = "name,submit,run_time,gpus\na,0,60,1\nb,10,60,8\n";
  const auto row = GENERATE_COPY(
      Row{"the trace", trace + "c,20,60,1\n", {"--cluster", "nodes:1x8"}, "the workload is"},
      Row{"the nodes", trace, {"--cluster", "nodes:2x8"}, "the cluster is"},
      Row{"nodes of a kind", trace, {"--cluster", "nodes:1xdgxh100"}, "the cluster is"},
      Row{"a flag", trace, {"--cluster", "nodes:1x8", "--until", "5m"}, "flags is"},
      Row{"what fails",
          trace,
          {"--cluster", "nodes:1x8", "--churn", "5s fails node-000000"},
          "--churn is"},
      Row{"two things",
          trace,
          {"--cluster", "nodes:2x8", "--until", "5m"},
          "the cluster, flags are"});
  DYNAMIC_SECTION(row.name) {
    const testing::TempFolder temp;
    const auto folder = temp.path() + "/kept";
    const auto file = temp.write("jobs.csv", trace);
    const Words words{"simulate", "--workload", "csv:" + file,  "--policy", "fcfs",
                      "-o",       "json",       "--checkpoint", folder};
    REQUIRE(dray(words + Words{"--cluster", "nodes:1x8"}).status == 0);
    temp.write("jobs.csv", row.text);
    const auto refused = dray(words + row.more);
    CHECK(refused.status == 2);
    CHECK(refused.err == "dray simulate: --checkpoint " + folder +
                             ": its runs were made with other inputs (" + row.other +
                             " not the same): name another folder, or remove this one\n");
  }
}

TEST_CASE("what comes from the standard input is not kept, and a folder that cannot be is told") {
  const testing::TempFolder temp;
  const Words words{"simulate", "--cluster", "nodes:1x8", "--policy", "fcfs"};
  const std::string trace = "name,submit,run_time,gpus\na,0,60,1\n";
  CHECK(dray(words + Words{"--workload", "csv:-", "--checkpoint", temp.path()}, trace)
            .err.find("standard input is not there a second time") != std::string::npos);
  const auto file = temp.write("jobs.csv", trace);
  const auto refused = dray(words + Words{"--workload", "csv:" + file, "--checkpoint", file});
  CHECK(refused.status == 2);
  CHECK(refused.err.starts_with("dray simulate: --checkpoint " + file + ": "));
}

TEST_CASE("on a terminal a bar says how far a comparison is, and elsewhere nothing does") {
  const auto shown = on_terminal(sweep);
  CHECK(shown.find("/12 runs, ") != std::string::npos);
  CHECK(shown.find('#') != std::string::npos);
  CHECK(shown.find(", about ") != std::string::npos);
  // It is taken away before the results come.
  const auto bar = shown.rfind("/12 runs");
  CHECK(shown.find("\r\x1b[K", bar) < shown.find("POLICY"));
  CHECK(dray(sweep).err.empty());
}

}  // namespace dray::commands_test::simulate_checkpoint_test
