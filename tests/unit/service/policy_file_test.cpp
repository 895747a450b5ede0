#include "service/policy_file.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/unit/net/support.h"

namespace dray::service::policy_file_test {
namespace {

constexpr const char* good =
    "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueues:\n  - {name: a}\n";
constexpr const char* better =
    "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueues:\n  - {name: a}\n  - {name: b}\n";
constexpr const char* bad =
    "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueues:\n  - {name: a, weight: 2}\n";

struct Bench {
  net::testing::TempFolder folder;
  std::string path = folder.path() + "/policy.yaml";
  boost::asio::io_context io;
  std::vector<std::size_t> queues;  ///< of each policy that came into force
  std::string problem = "none told";
  std::string unfit;  ///< why this dray cannot follow any policy
  PolicyFile file{io,
                  path,
                  {[this](const auto& config) { queues.push_back(config->queues.size()); },
                   [this](std::string why) { problem = std::move(why); },
                   [this](const auto&) { return unfit; }},
                  std::chrono::milliseconds(1),
                  std::chrono::milliseconds(1)};

  void write(const std::string& text) const { std::ofstream(path) << text; }
  void reload() {
    file.reload();
    io.restart();
    io.run();
  }
  /// Looks by itself until it has told that there is a problem, or that there is none.
  void look_until_told() {
    problem = "none told";
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    io.restart();
    while (problem == "none told" && io.run_one_until(end) > 0) continue;
  }
};

TEST_CASE("the first reading must succeed") {
  Bench bench;
  CHECK(!bench.file.open());
  bench.write(bad);
  const auto read = bench.file.open();
  REQUIRE(!read);
  CHECK(read.error().message.find("policy.yaml:4:") != std::string::npos);
  CHECK(bench.queues.empty());
  bench.write(good);
  CHECK(bench.file.open());
  CHECK(bench.queues == std::vector<std::size_t>{1});
}

TEST_CASE("a file with an error changes nothing and says why") {
  Bench bench;
  bench.write(good);
  REQUIRE(bench.file.open());
  bench.write(bad);
  bench.reload();
  CHECK(bench.queues.size() == 1);
  CHECK(bench.problem.find("weight") != std::string::npos);
  bench.write(better);
  bench.reload();
  CHECK(bench.queues == std::vector<std::size_t>{1, 2});
  CHECK(bench.problem.empty());
  std::filesystem::remove(bench.path);
  bench.reload();
  CHECK(bench.queues.size() == 2);
  CHECK(!bench.problem.empty());
}

TEST_CASE("a file that is written in place counts when all of it is there") {
  Bench bench;
  bench.write(better);
  REQUIRE(bench.file.open());
  const std::string whole =
      "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueues:\n  - {name: a}\n  - {name: b}\n  - "
      "{name: c}\n";
  bench.write(good);  // a valid policy, and the first half of the next one
  bench.file.reload();
  bench.io.restart();
  CHECK(bench.io.run_one() == 1);
  CHECK(bench.queues == std::vector<std::size_t>{2});
  bench.write(whole);
  bench.io.run();
  CHECK(bench.queues == std::vector<std::size_t>{2, 3});
  CHECK(bench.problem.empty());
}

TEST_CASE("a policy that this dray cannot follow is as one with an error") {
  Bench bench;
  bench.write(good);
  REQUIRE(bench.file.open());
  bench.unfit = "not in this mode";
  bench.write(better);
  bench.reload();
  CHECK(bench.queues.size() == 1);
  CHECK_THAT(bench.problem, Catch::EndsWith("policy.yaml: not in this mode"));
}

TEST_CASE("a file that was away for a while is in force again, changed or not") {
  Bench bench;
  bench.write(good);
  REQUIRE(bench.file.open());
  bench.file.start();
  std::filesystem::remove(bench.path);
  bench.look_until_told();
  CHECK_THAT(bench.problem, Catch::Contains("policy.yaml"));
  bench.write(good);
  bench.look_until_told();
  CHECK(bench.problem.empty());
}

}  // namespace
}  // namespace dray::service::policy_file_test
