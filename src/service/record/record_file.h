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
  /// Ends the file; what cannot be written is lost.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Adds a line, which holds no line feed itself.
  [[nodiscard]] Result<void> add(std::string_view line);
  /// What was added so far can be read from the file now, also if this process is killed.
  [[nodiscard]] Result<void> flush();
  /// Ends the file: all of it is with the operating system, or that is an error. Nothing can be
  /// added after it.
  [[nodiscard]] Result<void> finish();
  /// Bytes added, before compression.
  [[nodiscard]] std::uint64_t size() const;

 private:
  struct State;
  explicit RecordWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What a file may hold, judged while it is read: a small file must not cost much. Beside a fixed
/// amount, as much as its size explains: node names that come again with every call compress well,
/// and a megabyte of them is a few hundred bytes in the file.
struct RecordLimits {
  std::size_t line_bytes = std::size_t{64} << 20;
  std::uint64_t free_bytes = std::uint64_t{64} << 20;  ///< unpacked, whatever the file's size
  std::uint64_t most_expansion = 4000;                 ///< beyond them, for each byte of the file
  std::uint64_t total_bytes = std::uint64_t{8} << 30;  ///< unpacked
  std::uint64_t free_objects = 100'000;                ///< of JSON: objects and lists
  std::uint64_t objects_a_byte = 20;                   ///< beyond them, for each byte of the file
};

/// Shows each line of such a file to `line`, until that fails. A file whose end is missing (its
/// writer was killed) ends with its last whole line. Errors name the file and the line.
[[nodiscard]] Result<void> read_record(const std::string& path,
                                       const std::function<Result<void>(std::string_view)>& line,
                                       const RecordLimits& limits = {});

}  // namespace dray::service
