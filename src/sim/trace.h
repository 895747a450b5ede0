#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/time.h"

namespace dray::sim {

/// What happened in a run, line by line; two runs with one hash did the same.
class Trace {
 public:
  /// Times are told from `start`; the lines are kept only if `keep` says so.
  Trace(Time start, bool keep) : start_(start), keep_(keep) {}

  /// Adds a line: `        1000 bind       default/p0 to n0`.
  void note(Time now, std::string_view what, std::string_view details);

  /// FNV-1a over all lines.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  Time start_;
  bool keep_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
  std::vector<std::string> lines_;
};

}  // namespace dray::sim
