#include "app/serve/serve_configuration.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/net/support.h"

namespace dray::app::serve_configuration_test {
namespace {

using Catch::Contains;

constexpr const char* base =
    "apiVersion: dray.dev/v1alpha1\nkind: DrayConfiguration\n"
    "insecureExtender: true\nextenderAddress: 127.0.0.1:9443\nidentity: us\n";

/// dray as it was started with a file, and the file as it is then changed.
struct Started {
  explicit Started(const std::string& text, std::vector<std::string> arguments = {}) {
    add_serve_flags(command, flags);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    command.parse(arguments);
    command_line = given_flags(command);
    REQUIRE(
        apply_config_file(command, folder.write("dray.yaml", base + text), dray_configuration()));
    running = given_flags(command);
  }
  Result<Reread> with(const std::string& text) {
    return read_again(folder.write("dray.yaml", base + text), command_line, running);
  }

  net::testing::TempFolder folder;
  CLI::App command;
  ServeFlags flags;
  GivenFlags command_line;
  GivenFlags running;
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a file that is as it was changes nothing") {
  Started started("verbosity: 2\ncluster: [a, b]\n");
  const auto again = started.with("verbosity: 2\ncluster: [a, b]\n");
  REQUIRE(again);
  CHECK(again->reloads.empty());
  CHECK(again->restart.empty());
}

TEST_CASE("verbosity is taken over, all else is named") {
  Started started("verbosity: 2\ndrain: 3s\ncluster: [a]\n");
  const auto again = started.with("verbosity: 4\ncluster: [a, b]\nmode: advise\nplanPause: 10ms\n");
  REQUIRE_FALSE(again);  // mode advise has no cluster in memory: it would not start so
  const auto other = started.with("verbosity: 4\ncluster: [a, b]\nplanPause: 10ms\n");
  REQUIRE(other);
  CHECK(other->reloads == Words{"verbosity"});
  CHECK(other->flags.verbosity == 4);
  CHECK(other->given.at("verbosity") == Words{"4"});
  CHECK(other->restart == Words{"cluster", "drain", "planPause"});
}

TEST_CASE("what is not said any more stands at its default") {
  Started started("verbosity: 3\n");
  const auto again = started.with("");
  REQUIRE(again);
  CHECK(again->reloads == Words{"verbosity"});
  CHECK(again->flags.verbosity == 0);
  CHECK_FALSE(again->given.contains("verbosity"));
}

TEST_CASE("a default that is written down is no change") {
  Started started("");
  const auto again = started.with("drain: 15s\nleaderElect: true\nverbosity: 0\nmode: allocate\n");
  REQUIRE(again);
  CHECK(again->reloads.empty());
  CHECK(again->restart.empty());
  CHECK(started.with("leaderElect: false\n")->restart == Words{"leaderElect"});
}

TEST_CASE("the command line wins at a reload as it did at the start") {
  Started started("verbosity: 1\n", {"-v", "5", "--drain", "2s"});
  CHECK(started.flags.verbosity == 5);
  const auto again = started.with("verbosity: 7\ndrain: 9s\n");
  REQUIRE(again);
  CHECK(again->reloads.empty());
  CHECK(again->restart.empty());
  CHECK(again->flags.verbosity == 5);
}

TEST_CASE("a file with an error, or that would not start, is told") {
  Started started("");
  CHECK_THAT(started.with("verbositi: 1\n").error().message,
             Contains("dray.yaml:6:1: no field \"verbositi\""));
  CHECK_THAT(started.with("drain: soon\n").error().message,
             Contains("dray.yaml: --drain: \"soon\" is no time"));
}

}  // namespace dray::app::serve_configuration_test
