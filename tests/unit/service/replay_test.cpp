#include "service/record/replay.h"

#include <catch2/catch.hpp>

#include "service/record/record_file.h"
#include "tests/unit/service/recorded_world.h"

namespace dray::service::replay_test {
namespace {

using testing::RecordedWorld;

std::vector<std::string> lines_of(const std::vector<std::string>& files) {
  std::vector<std::string> lines;
  for (const auto& file : files) {
    const auto read = read_record(file, [&](std::string_view line) -> Result<void> {
      lines.emplace_back(line);
      return {};
    });
    REQUIRE(read);
  }
  return lines;
}

ReplayReport replayed(const std::vector<std::string>& lines) {
  Replay replay;
  for (const auto& line : lines) {
    CAPTURE(line);
    const auto fed = replay.feed(line);
    REQUIRE(fed);
  }
  for (const auto& each : replay.report().first) {
    UNSCOPED_INFO("step " << each.step << "\n" << each.recorded << "\n" << each.replayed);
  }
  return replay.report();
}

/// Pods come, are placed, asked for and go, three times.
void play(RecordedWorld& world) {
  world.begin();
  for (const auto* name : {"a", "b", "c"}) {
    world.add_pod(name);
    CHECK(world.filter(name).node_names.size() == 1);
    world.tick(3);
    world.end_pod(name);
    world.tick(20);
  }
  CHECK(world.lifted() == 3);
}

TEST_CASE("a run is decided again, byte for byte") {
  RecordedWorld world;
  play(world);
  const auto lines = lines_of(world.files());
  const auto report = replayed(lines);
  CHECK(report.differences == 0);
  CHECK(report.whole_run);
  CHECK(report.compared == report.steps);
  CHECK(report.steps == lines.size() - 1);
  CHECK(report.decisions == 9);
  CHECK(report.from == dray::testing::start);
}

TEST_CASE("a decision that was another one is shown with both sides") {
  RecordedWorld world;
  play(world);
  auto lines = lines_of(world.files());
  for (auto& line : lines) {
    const auto at = line.find("\"dray.dev/reservation\":\"n0\"");
    if (at == std::string::npos || !line.contains("LiftGate")) continue;
    line.replace(at, 27, "\"dray.dev/reservation\":\"n9\"");
    break;
  }
  Replay replay;
  for (const auto& line : lines) REQUIRE(replay.feed(line));
  REQUIRE(replay.report().differences == 1);
  CHECK(replay.report().first.at(0).recorded.contains("n9"));
  CHECK(replay.report().first.at(0).replayed.contains("n0"));
}

TEST_CASE("an input that is missing is noticed") {
  RecordedWorld world;
  play(world);
  auto lines = lines_of(world.files());
  std::erase_if(lines, [](const auto& line) {
    return line.contains(R"("changed":{"kind":"Pod")") && line.contains(R"("name":"b")");
  });
  Replay replay;
  for (const auto& line : lines) REQUIRE(replay.feed(line));
  CHECK(replay.report().differences > 0);
}

TEST_CASE("segments follow each other, and each can be replayed alone from where nobody waited") {
  RecordedWorld world(3'000);
  play(world);
  const auto files = world.files();
  REQUIRE(files.size() > 2);
  const auto whole = replayed(lines_of(files));
  CHECK(whole.differences == 0);
  CHECK(whole.whole_run);

  bool compared = false;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const auto report =
        replayed(lines_of({files.begin() + static_cast<std::ptrdiff_t>(i), files.end()}));
    CHECK(report.differences == 0);
    CHECK_FALSE((report.from && report.whole_run));
    compared = compared || report.decisions > 2;
  }
  CHECK(compared);
}

TEST_CASE("the folder keeps within its bound: the oldest files go") {
  RecordedWorld world(3'000, 1);
  play(world);
  const auto files = world.files();
  CHECK(files.size() == 1);
  CHECK_FALSE(files.at(0).ends_with("-000000.jsonl.zst"));
}

TEST_CASE("the cluster as it was then") {
  RecordedWorld world;
  world.begin();
  world.add_pod("a");
  const auto then = world.now();
  world.tick(1);
  world.end_pod("a");
  const auto lines = lines_of(world.files());
  const auto at = [&](Time until) {
    RecordedState state;
    for (const auto& line : lines) REQUIRE(state.feed(line, until));
    CHECK(state.begun() == (until >= dray::testing::start));
    return state.objects().size();
  };
  CHECK(at(then) == 7);
  CHECK(at(world.now()) == 5);
  CHECK(at(dray::testing::start - std::chrono::seconds(1)) == 0);
}

TEST_CASE("what is no record is refused") {
  Replay replay;
  CHECK_FALSE(replay.feed("hello"));
  CHECK_FALSE(replay.feed(R"({"at":1,"in":{"tick":true},"out":[]})"));
  CHECK_FALSE(replay.feed(R"({"record":2,"run":1,"segment":0,"options":{}})"));
}

}  // namespace
}  // namespace dray::service::replay_test
