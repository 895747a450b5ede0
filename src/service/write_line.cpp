#include "service/write_line.h"

#include <fmt/format.h>

namespace dray::service {

LogLine line_of(const engine::Write& write, const engine::WriteOutcome& outcome) {
  const auto what = fmt::format("{} {}: ", engine::name(write), engine::subject(write));
  if (outcome) return {.verbosity = 4, .message = what + "done"};
  const bool denied = outcome.error().code == ErrorCode::denied;
  return {.warning = denied,
          .verbosity = denied ? 0 : 2,
          .message = what + (denied ? "the API server denies it: " : "") + outcome.error().message};
}

}  // namespace dray::service
