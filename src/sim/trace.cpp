#include "sim/trace.h"

#include <utility>

#include <fmt/format.h>

namespace dray::sim {

void Trace::note(Time now, std::string_view what, std::string_view details) {
  auto line = fmt::format("{:>12} {:<10} {}", (now - start_).count(), what, details);
  for (const auto byte : line) {
    hash_ ^= static_cast<unsigned char>(byte);
    hash_ *= 0x100000001b3U;
  }
  if (keep_) lines_.push_back(std::move(line));
}

}  // namespace dray::sim
