#include "dashboard/history_file.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>

#include "tests/temp_folder.h"
#include "tests/unit/dashboard/history_samples.h"

namespace dray::dashboard::history_file_test {
namespace {

using testing::at_second;
using testing::status_of;

/// A History with its file, as a process has it.
struct Kept {
  explicit Kept(const std::string& path) {
    auto made = HistoryFile::open(path);
    INFO((made ? "" : made.error().message));
    REQUIRE(made);
    opened = *std::move(made);
    history.restore(std::move(opened.samples));
  }

  void add(Time at, const engine::Engine::Status& status) {
    REQUIRE(opened.file->write(history, history.add(at, status)));
  }

  HistoryFile::Opened opened;
  History history;
};

bool same(const std::deque<History::Sample>& one, const std::deque<History::Sample>& other) {
  return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
    return a.at == b.at && *a.names == *b.names && a.values == b.values;
  });
}

}  // namespace

TEST_CASE("the next process has what this one kept, thinned as this one did") {
  const dray::testing::TempFolder folder;
  const auto path = folder.path() + "/history";
  std::deque<History::Sample> before;
  {
    Kept first(path);
    CHECK(first.opened.set_aside.empty());
    first.add(at_second(0), status_of({{"old", 1}}));
    for (int i = 1; i <= 600; ++i)
      first.add(at_second(std::int64_t{30} * i), status_of({{"a", i}, {"b", 2}}));
    before = first.history.samples();
    CHECK(before.size() < 600);
  }
  Kept second(path);
  CHECK(same(second.history.samples(), before));
  second.add(at_second(18'030), status_of({{"a", 601}, {"b", 2}}));
  CHECK(second.history.of("gpu").queues[0].used.back() == 601);
  // Both runs have the same queues: it is one curve.
  CHECK(second.history.of("gpu").times.size() == second.history.samples().size() - 1);
}

TEST_CASE("a change of queues comes back, and names of none are forgotten") {
  const dray::testing::TempFolder folder;
  const auto path = folder.path() + "/history";
  {
    Kept first(path);
    first.add(at_second(0), status_of({{"old", 1}}));
    first.add(at_second(10), status_of({{"a", 1}}));
    first.add(at_second(std::int64_t{15} * 86'400), status_of({{"a", 2}}));
  }
  Kept second(path);
  REQUIRE(second.history.samples().size() == 1);
  CHECK(second.history.samples().front().names->queues == std::vector<std::string>{"a"});
  second.opened.file.reset();
  Sqlite file(path);
  CHECK(file.number("SELECT count(*) FROM names") == 2);
  CHECK(file.number("SELECT count(*) FROM sets") == 1);
}

TEST_CASE("a damaged file is set aside with a word, and a new one begins") {
  const dray::testing::TempFolder folder;
  const auto path = folder.write("history", std::string(5000, 'x'));
  Kept kept(path);
  CHECK(kept.opened.set_aside.contains("cannot be read (file is not a database)"));
  CHECK(kept.opened.set_aside.contains(path + ".aside"));
  CHECK(std::filesystem::file_size(path + ".aside") == 5000);
  kept.add(at_second(0), status_of({{"a", 1}}));
  kept.opened.file.reset();
  CHECK(Kept(path).history.samples().size() == 1);
}

TEST_CASE("a file that was overwritten in the middle is set aside, too") {
  const dray::testing::TempFolder folder;
  const auto path = folder.path() + "/history";
  {
    Kept first(path);
    for (int i = 0; i < 600; ++i) first.add(at_second(i), status_of({{"a", i}, {"b", 2}}));
  }
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 1; page < 8; ++page) {
      file.seekp(std::streamoff{4096} * page);
      file << std::string(512, '\xff');
    }
  }
  Kept second(path);
  CHECK_FALSE(second.opened.set_aside.empty());
  CHECK(second.history.samples().empty());
}

TEST_CASE("a file of another version is set aside, one of another program is left alone") {
  const dray::testing::TempFolder folder;
  const auto path = folder.path() + "/history";
  {
    Kept first(path);
  }
  {
    Sqlite(path).run("PRAGMA user_version = 2");
  }
  CHECK(Kept(path).opened.set_aside.contains("its version is 2, not 1"));
  const auto other = folder.path() + "/other";
  {
    Sqlite(other).run("CREATE TABLE mine (x)");
  }
  const auto refused = HistoryFile::open(other);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == other + ": is a database of another program");
  CHECK_FALSE(std::filesystem::exists(other + ".aside"));
}

TEST_CASE("who cannot have the file is told, and it stays as it is") {
  const dray::testing::TempFolder folder;
  const auto path = folder.path() + "/history";
  Kept first(path);
  first.add(at_second(0), status_of({{"a", 1}}));
  const auto second = HistoryFile::open(path);
  REQUIRE_FALSE(second);
  CHECK(second.error().message == path + ": database is locked");
  CHECK_FALSE(std::filesystem::exists(path + ".aside"));
  first.add(at_second(1), status_of({{"a", 2}}));
  CHECK(HistoryFile::open(folder.path() + "/no/such/folder")
            .error()
            .message.contains("unable to open"));
}

TEST_CASE("a file that may not grow loses its older half, and keeps on") {
  const dray::testing::TempFolder folder;
  const auto path = folder.path() + "/history";
  // Each moment has other queues, whose long names are the most of the file.
  const auto status = [](int i) {
    std::vector<std::pair<std::string, double>> used;
    for (int q = 0; q < 500; ++q) {
      used.emplace_back(std::string(200, 'q') + std::to_string(i * 1000 + q), i);
    }
    return status_of(used);
  };
  Kept first(path);
  for (int i = 0; i < 700; ++i) first.add(at_second(std::int64_t{10} * i), status(i));
  first.opened.file.reset();
  CHECK(std::filesystem::file_size(path) <= HistoryFile::most_bytes);
  Kept second(path);
  const auto& kept = second.history.samples();
  CHECK(kept.size() < 700);
  CHECK(kept.size() > 100);
  CHECK(kept.back().at == at_second(6990));
}

}  // namespace dray::dashboard::history_file_test
