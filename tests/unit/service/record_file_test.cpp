#include "service/record/record_file.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/unit/net/support.h"

namespace dray::service::record_file_test {
namespace {

using net::testing::TempFolder;

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  const auto read = read_record(path, [&](std::string_view line) -> Result<void> {
    lines.emplace_back(line);
    return {};
  });
  CHECK(read.has_value());
  return lines;
}

TEST_CASE("lines come back as they were added, long ones too") {
  const TempFolder folder;
  const auto path = folder.write("r.zst", "");
  const std::vector<std::string> lines{"a", "", std::string(300'000, 'x'), "end"};
  {
    auto file = RecordWriter::create(path);
    REQUIRE(file);
    for (const auto& line : lines) CHECK((*file)->add(line));
    CHECK((*file)->size() == 300'008);
  }
  CHECK(lines_of(path) == lines);
  CHECK(std::filesystem::file_size(path) < 3'000);
}

TEST_CASE("what was flushed is there while the file is open; a cut end costs its last line alone") {
  const TempFolder folder;
  const auto path = folder.write("r.zst", "");
  auto file = RecordWriter::create(path);
  REQUIRE(file);
  CHECK((*file)->add("one"));
  CHECK((*file)->add("two"));
  CHECK((*file)->flush());
  CHECK(lines_of(path) == std::vector<std::string>{"one", "two"});
}

TEST_CASE("other files are no records") {
  const TempFolder folder;
  const auto path = folder.write("r.zst", "hello, world");
  const auto read = read_record(path, [](std::string_view) { return Result<void>(); });
  REQUIRE_FALSE(read);
  CHECK(read.error().message.starts_with(path + ": no record: "));
  CHECK_FALSE(read_record(path + "x", [](std::string_view) { return Result<void>(); }));
  CHECK_FALSE(RecordWriter::create(path + "/x"));
}

TEST_CASE("a line that is refused ends the reading, with the file's name") {
  const TempFolder folder;
  const auto path = folder.write("r.zst", "");
  {
    auto file = RecordWriter::create(path);
    REQUIRE(file);
    CHECK((*file)->add("one"));
    CHECK((*file)->add("two"));
  }
  int seen = 0;
  const auto read = read_record(path, [&](std::string_view) -> Result<void> {
    ++seen;
    return fail(ErrorCode::invalid, "no");
  });
  CHECK(seen == 1);
  REQUIRE_FALSE(read);
  CHECK(read.error().message == path + ": no");
}

}  // namespace
}  // namespace dray::service::record_file_test
