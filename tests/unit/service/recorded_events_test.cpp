#include "service/record/recorded_events.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "service/record/record_file.h"
#include "service/record/record_input.h"
#include "service/record/replay.h"
#include "tests/unit/service/recorded_world.h"

namespace dray::service::recorded_events_test {
namespace {

using dray::testing::at;

constexpr const char* resource = "nvidia.com/gpu";

/// A record of who only looked on: a pod that got its node at 10 and was gone at 70.
std::vector<std::string> observed(const std::string& folder, std::uint64_t segment_bytes) {
  auto recorder = Recorder::open(
      {.folder = folder, .segment_bytes = segment_bytes, .observed = true}, {}, at(0));
  REQUIRE(recorder);
  const auto note = [&](double when, engine::Event event) {
    (*recorder)->note(at(when), input_of(event), {}, {}, false);
  };
  auto node = dray::testing::make_node("n0");
  node.allocatable[resource] = Quantity(4);
  note(1, cluster::ObjectChanged{node});
  note(2, engine::Synced{});
  auto pod = dray::testing::make_pod("a", ResourceList{{resource, Quantity(1)}});
  note(5, cluster::ObjectChanged{pod});
  pod.node_name = NodeName("n0");
  note(10, cluster::ObjectChanged{pod});
  note(70, cluster::ObjectGone{Kind::pod, "default", "a", pod.meta.uid});
  (*recorder)->note(at(100), TickInput{}, {}, {}, false);
  recorder->reset();
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

Result<simulate::RecordedLoad> load(const std::vector<std::string>& files) {
  simulate::LoadReader reader;
  RecordedEvents events(reader);
  for (const auto& file : files) {
    auto read = read_record(file, [&](std::string_view line) { return events.feed(line); });
    if (!read) return std::unexpected(read.error());
  }
  std::vector<std::string> warnings;
  return reader.load("", warnings);
}

TEST_CASE("what was seen beside another scheduler is read as a load, in one file or in many") {
  const net::testing::TempFolder folder;
  const auto segment = GENERATE(std::uint64_t{1} << 30, std::uint64_t{1});
  const auto files = observed(folder.path(), segment);
  CHECK((files.size() > 1) == (segment == 1));
  const auto made = load(files);
  REQUIRE(made);
  REQUIRE(made->workload.jobs.size() == 1);
  CHECK(made->workload.jobs[0].submitted == std::chrono::seconds(3));
  CHECK(made->run.jobs[0] ==
        simulate::RecordedRun::Job{std::chrono::seconds(8), std::chrono::seconds(68), {"n0"}});
  CHECK(made->run.length == std::chrono::seconds(98));
}

TEST_CASE("a record whose beginning is gone begins with the state of its oldest file") {
  const net::testing::TempFolder folder;
  auto files = observed(folder.path(), 1);
  REQUIRE(files.size() > 5);
  files.erase(files.begin(), files.begin() + 4);  // the pod has its node by then
  const auto made = load(files);
  REQUIRE(made);
  REQUIRE(made->workload.jobs.size() == 1);
  CHECK(made->workload.jobs[0].submitted == std::chrono::seconds(0));
  CHECK(made->run.jobs[0].ended == std::chrono::seconds(60));
}

TEST_CASE("a file of another run begins anew, though its number is the next") {
  const int run = GENERATE(1, 2);
  simulate::LoadReader reader;
  RecordedEvents events(reader);
  const auto head = [&](int of_run, int segment) {
    REQUIRE(events.feed(fmt::format(R"({{"record":1,"run":{},"segment":{}}})", of_run, segment)));
  };
  const auto feed = [&](double when, const char* key, const RecordInput& input) {
    REQUIRE(events.feed(fmt::format(R"({{"at":{},"{}":{}}})", at(when).time_since_epoch().count(),
                                    key, encode_input(input))));
  };
  const auto changed = [](KubeObject object) {
    return input_of(engine::Event(cluster::ObjectChanged{std::move(object)}));
  };
  auto node = dray::testing::make_node("n0");
  node.allocatable[resource] = Quantity(4);
  auto pod = dray::testing::make_pod("a", ResourceList{{resource, Quantity(1)}});
  pod.node_name = NodeName("n0");
  head(1, 0);
  feed(1, "in", changed(node));
  feed(2, "in", input_of(engine::Event(engine::Synced{})));
  feed(5, "in", changed(pod));
  // The pod was gone before the other run began.
  head(run, 1);
  feed(50, "state", changed(node));
  feed(50, "state", input_of(engine::Event(engine::Synced{})));
  feed(100, "in", TickInput{});
  std::vector<std::string> warnings;
  const auto made = reader.load("", warnings);
  REQUIRE(made);
  REQUIRE(made->run.jobs.size() == 1);
  CHECK((made->run.jobs[0].ended == std::chrono::seconds(48)) == (run == 2));
}

TEST_CASE("decisions of a record in which nobody decided are not replayed; its state is") {
  const net::testing::TempFolder folder;
  const auto files = observed(folder.path(), std::uint64_t{1} << 30);
  Replay replay;
  const auto read =
      read_record(files.front(), [&](std::string_view line) { return replay.feed(line); });
  REQUIRE_FALSE(read);
  CHECK(read.error().message.contains("dray simulate --workload"));
  RecordedState state;
  REQUIRE(
      read_record(files.front(), [&](std::string_view line) { return state.feed(line, at(20)); }));
  CHECK(state.objects().size() == 2);
}

TEST_CASE("what dray recorded of itself is a load, too") {
  testing::RecordedWorld world;
  world.begin();
  world.add_pod("a");
  auto files = world.files();
  const auto made = load(files);
  // Its class is "gpu": nobody said that those are GPUs.
  REQUIRE_FALSE(made);
  CHECK(made.error().message.contains("--gpus"));
}

}  // namespace
}  // namespace dray::service::recorded_events_test
