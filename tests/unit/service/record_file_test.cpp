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
  CHECK(read.error().message == path + ":1: no");
}

/// What came of reading such lines, and how many bytes of them were shown.
struct Reading {
  Result<void> result;
  std::uint64_t shown = 0;
};

Reading read_with(const std::string& path, const RecordLimits& limits) {
  Reading reading;
  reading.result = read_record(
      path,
      [&](std::string_view line) -> Result<void> {
        reading.shown += line.size() + 1;
        return {};
      },
      limits);
  return reading;
}

std::string packed(const TempFolder& folder, const std::string& line, std::size_t times) {
  auto path = folder.write("r.zst", "");
  auto file = RecordWriter::create(path).value();
  for (std::size_t i = 0; i < times; ++i) CHECK(file->add(line));
  return path;
}

TEST_CASE("what a record holds is judged while it is read") {
  struct Row {
    std::string name;
    std::string line;
    std::size_t times;
    RecordLimits limits;
    std::string why;
  };
  RecordLimits small;
  small.line_bytes = 1000;
  RecordLimits total;
  total.total_bytes = 5000;
  RecordLimits expansion;
  expansion.free_bytes = 100'000;
  expansion.most_expansion = 10;
  RecordLimits objects;
  objects.free_objects = 1000;
  objects.objects_a_byte = 1;
  const auto row = GENERATE_COPY(
      Row{"a long line", std::string(1001, 'x'), 3, small, ":1: a line has at most 1000 bytes"},
      Row{"much of it", std::string(99, 'x'), 51, total,
          ":1: the record unpacks to more than 5000 bytes"},
      Row{"a small file that grows", std::string(999, 'x'), 1'000'000, expansion,
          " bytes of the file unpack to more than "},
      Row{"objects without end", R"({"a":[{},{},{},{}]})", 100'000, objects,
          " JSON objects and lists: no recorder writes such a file"});
  DYNAMIC_SECTION(row.name) {
    const TempFolder folder;
    const auto path = packed(folder, row.line, row.times);
    const auto reading = read_with(path, row.limits);
    REQUIRE_FALSE(reading.result);
    CHECK(reading.result.error().code == ErrorCode::invalid);
    CHECK(reading.result.error().message.starts_with(path + ":"));
    CHECK(reading.result.error().message.contains(row.why));
    // Read on no further than a piece beyond the limit.
    const auto size = std::filesystem::file_size(path);
    CHECK(reading.shown <= row.limits.free_bytes + size * row.limits.most_expansion + (1U << 17U));
    RecordLimits wide;
    wide.total_bytes = wide.free_bytes = wide.free_objects = 2'000'000'000;
    CHECK(read_with(path, wide).result.has_value());
  }
}

TEST_CASE("node names that come with every call are read by default, a file of nothing is not") {
  const TempFolder folder;
  std::string names;
  for (int i = 0; i < 5'000; ++i) names += "\"node-" + std::to_string(i * 7919) + "\",";
  auto path = folder.write("calls.zst", "");
  {
    auto file = RecordWriter::create(path).value();
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      CHECK(file->add("{\"at\":" + std::to_string(1'764'000'000'000'000U + i * 12'347U) +
                      ",\"in\":{\"uid\":\"" + std::to_string(i * 2'654'435'761U) +
                      "\",\"nodes\":[" + names + "\"end\"]}}"));
    }
  }
  const auto calls = read_with(path, {});
  INFO((calls.result ? "" : calls.result.error().message));
  CHECK(calls.result.has_value());
  path = packed(folder, std::string(1'000'000, ' '), 400);
  REQUIRE(std::filesystem::file_size(path) < 80'000);
  CHECK_FALSE(read_with(path, {}).result.has_value());
}

}  // namespace
}  // namespace dray::service::record_file_test
