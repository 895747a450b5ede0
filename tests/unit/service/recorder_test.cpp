#include "service/record/recorder.h"

#include <catch2/catch.hpp>

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
