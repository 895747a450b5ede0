#include "service/policy_file.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
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
  PolicyFile file{io,
                  path,
                  {[this](const auto& config) { queues.push_back(config->queues.size()); },
                   [this](std::string why) { problem = std::move(why); }}};

  void write(const std::string& text) const { std::ofstream(path) << text; }
  void reload() {
    file.reload();
    io.restart();
    io.run();
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

}  // namespace
}  // namespace dray::service::policy_file_test
