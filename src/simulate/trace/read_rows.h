#pragma once

#include <utility>

#include "dray/simulate/trace.h"
#include "simulate/trace/csv.h"

namespace dray::simulate {

/// Calls `read` for each row, which returns Result<void>: the first failure ends it, or with
/// `lenient` each is counted.
template <class Read>
Result<SkippedRows> read_rows(CsvRows& rows, const TraceRules& rules, const Read& read) {
  SkippedRows skipped;
  while (rows.next()) {
    auto done = rows.complete();
    if (done) done = read();
    if (done) continue;
    if (!rules.lenient) return std::unexpected(std::move(done.error()));
    if (skipped.count++ == 0) skipped.first = std::move(done.error().message);
  }
  return skipped;
}

}  // namespace dray::simulate
