#include "service/record/recorder.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "service/record/noted_size.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/recorded_world.h"

namespace dray::service::recorder_test {
namespace {

TEST_CASE("a record holds no word that no decision reads") {
  testing::RecordedWorld world;
  auto pod = dray::testing::make_pod("a");
  pod.meta.annotations = {{"note", "s3cret"}};
  world.tell_object(pod);
  std::string text;
  for (const auto& file : world.files()) {
    REQUIRE(read_record(file, [&](std::string_view line) -> Result<void> {
      text += line;
      return {};
    }));
  }
  CHECK(text.contains("\"name\":\"a\""));
  CHECK_FALSE(text.contains("s3cret"));
}

TEST_CASE("a folder that cannot be made is an error") {
  const net::testing::TempFolder folder;
  const auto file = folder.write("file", "");
  CHECK_FALSE(Recorder::open({.folder = file + "/x"}, {}, dray::testing::start));
}

TEST_CASE("a recorder that is far behind ends, and says so once") {
  const net::testing::TempFolder folder;
  std::atomic<int> notices = 0;
  auto recorder = Recorder::open({.folder = folder.path(),
                                  .most_waiting = 0,
                                  .notice = [&](const std::string&) { ++notices; }},
                                 {}, dray::testing::start);
  REQUIRE(recorder);
  for (int i = 0; i < 3; ++i) (*recorder)->note(dray::testing::start, TickInput{}, {}, {}, false);
  CHECK(notices == 1);
  CHECK_FALSE((*recorder)->figures().recording);
  CHECK((*recorder)->figures().steps == 0);
}

TEST_CASE("what waits for a slow disk is bounded by its bytes, too") {
  const net::testing::TempFolder folder;
  std::string why;
  auto recorder = Recorder::open({.folder = folder.path(),
                                  .most_waiting_bytes = 1'000'000,
                                  .notice = [&](const std::string& what) { why = what; }},
                                 {}, dray::testing::start);
  REQUIRE(recorder);
  auto pod = dray::testing::make_pod("a");
  pod.meta.annotations = {{"note", std::string(2'000'000, 'x')}};
  (*recorder)->note(dray::testing::start, engine::Event(cluster::ObjectChanged{pod}), {}, {},
                    false);
  CHECK_FALSE((*recorder)->figures().recording);
  CHECK(
      why.starts_with("recording has ended: the disk is too slow for it: 1 steps of about 1 MiB"));
  const auto whole = (*recorder)->finish();
  REQUIRE_FALSE(whole);
  CHECK(whole.error().message == why);
}

TEST_CASE("the size of what waits grows with what may be large, and falls when it is written") {
  const auto size = [](RecordInput input) { return noted_size(input, {}, {}); };
  extender::FilterRequest request;
  request.node_names.emplace(10'000, NodeName(std::string(50, 'n')));
  CHECK(size(FilterInput{std::make_shared<const extender::FilterRequest>(request)}) > 500'000);
  ResourceSlice slice;
  slice.devices.resize(128);
  CHECK(size(engine::Event(cluster::ObjectChanged{slice})) > 100'000);
  KnownMap known;
  known.map.data = {{"k", std::string(70'000, 'v')}};
  CHECK(size(known) > 70'000);
  CHECK(size(TickInput{}) < 10'000);
  const net::testing::TempFolder folder;
  auto recorder = Recorder::open({.folder = folder.path(), .most_waiting_bytes = 100'000}, {},
                                 dray::testing::start);
  REQUIRE(recorder);
  for (int i = 0; i < 1'000; ++i) {
    (*recorder)->note(dray::testing::start, TickInput{}, {}, {}, false);
    while ((*recorder)->figures().waiting > 0) std::this_thread::yield();
  }
  CHECK((*recorder)->figures().recording);
  CHECK((*recorder)->finish());
}

TEST_CASE("the last writes of a record that fail are an error at its end") {
  const net::testing::TempFolder folder;
  SECTION("of a file") {
    auto file = RecordWriter::create("/dev/full");
    REQUIRE(file);
    CHECK((*file)->add("one"));
    CHECK((*file)->finish().error().message == "/dev/full: cannot be written");
    CHECK((*file)->finish());  // there is no file any more
  }
  SECTION("of a recorder") {
    auto recorder =
        Recorder::open({.folder = folder.path(), .segment_bytes = 1}, {}, dray::testing::start);
    REQUIRE(recorder);
    const auto first = std::filesystem::directory_iterator(folder.path())->path().string();
    auto second = first;
    second.replace(second.find("-000000."), 8, "-000001.");
    std::filesystem::create_symlink("/dev/full", second);
    (*recorder)->note(dray::testing::start, TickInput{}, {}, {}, false);
    const auto whole = (*recorder)->finish();
    REQUIRE_FALSE(whole);
    CHECK(whole.error().message == "recording has ended: " + second + ": cannot be written");
  }
  SECTION("nothing fails") {
    auto recorder = Recorder::open({.folder = folder.path()}, {}, dray::testing::start);
    REQUIRE(recorder);
    (*recorder)->note(dray::testing::start, TickInput{}, {}, {}, false);
    CHECK((*recorder)->finish());
    CHECK_FALSE((*recorder)->figures().recording);
  }
}

TEST_CASE("a recorder counts the steps that it is given") {
  const net::testing::TempFolder folder;
  auto recorder = Recorder::open({.folder = folder.path()}, {}, dray::testing::start);
  REQUIRE(recorder);
  for (int i = 0; i < 3; ++i) (*recorder)->note(dray::testing::start, TickInput{}, {}, {}, false);
  CHECK((*recorder)->figures().recording);
  CHECK((*recorder)->figures().steps == 3);
}

}  // namespace
}  // namespace dray::service::recorder_test
