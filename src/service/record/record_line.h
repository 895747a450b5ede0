#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"

namespace dray::service {

/// A line of a record, taken apart: the head of a file, a part of the state that it opens with, or
/// a step.
struct RecordLine {
  std::int64_t at = 0;
  std::int64_t record = 0;  ///< of a head: the version of the form; else 0
  std::int64_t run = 0;
  std::int64_t segment = 0;
  bool observed = false;  ///< of a head: nothing is decided in it
  std::string options;
  std::string state;
  std::string input;
  bool idle = false;
  std::vector<std::string> out;
};

[[nodiscard]] Result<RecordLine> read_record_line(std::string_view json);
/// Times of records are microseconds.
[[nodiscard]] Time record_time(std::int64_t micros);

}  // namespace dray::service
