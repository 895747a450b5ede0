#include <cstddef>
#include <string>
#include <string_view>

#include "dray/base/check.h"
#include "service/record/record_file.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "tests/temp_folder.h"

namespace dray::fuzz {
namespace {

constexpr service::RecordLimits record_limits{1000, 4000, 100, 20'000, 100, 2};

struct ReadFile {
  std::string lines;
  bool good = false;
};

ReadFile read_lines(const std::string& path) {
  ReadFile made;
  const auto read = service::read_record(
      path,
      [&](std::string_view line) -> Result<void> {
        DRAY_CHECK(line.size() <= record_limits.line_bytes);
        made.lines += line;
        made.lines += '\n';

        return {};
      },
      record_limits);
  made.good = read.has_value();
  if (!read) DRAY_CHECK(read.error().message.starts_with(path));
  return made;
}

}  // namespace

/// A file of a record, as it comes (first character 0), or packed from its lines: within the
/// limits, whatever is in it.
void record_file(std::string_view bytes) {
  Input input(bytes);
  const testing::TempFolder folder;
  const bool packed = input.pick(2) == 0;
  const auto path = packed ? folder.write("x.jsonl.zst", input.rest()) : folder.path() + "/y";
  if (!packed) {
    auto writer = service::RecordWriter::create(path);
    DRAY_CHECK(writer.has_value());
    DRAY_CHECK((*writer)->add(input.rest()).has_value());
    DRAY_CHECK((*writer)->finish().has_value());
  }
  const auto made = read_lines(path);
  DRAY_CHECK(made.lines.size() <= record_limits.total_bytes);
  if (packed || !made.good) return;
  DRAY_CHECK(made.lines == std::string(input.rest()) + "\n");
}

}  // namespace dray::fuzz
