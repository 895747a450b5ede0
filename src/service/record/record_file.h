#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::service {

/// A file of lines, compressed by zstd as they come. One thread at a time.
class RecordWriter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RecordWriter>> create(const std::string& path);
  /// Ends the file; what could not be written is lost.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Adds a line, which holds no line feed itself.
  [[nodiscard]] Result<void> add(std::string_view line);
  /// What was added so far can be read from the file now, also if this process is killed.
  [[nodiscard]] Result<void> flush();
  /// Bytes added, before compression.
  [[nodiscard]] std::uint64_t size() const;

 private:
  struct State;
  explicit RecordWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Shows each line of such a file to `line`, until that fails. A file whose end is missing (its
/// writer was killed) ends with its last whole line. Errors name the file.
[[nodiscard]] Result<void> read_record(const std::string& path,
                                       const std::function<Result<void>(std::string_view)>& line);

}  // namespace dray::service
