#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dray/base/time.h"

namespace dray::wire {

/// OTLP's numbers for who made a span.
enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3 };

/// Something that was done, in a trace (OpenTelemetry).
struct Span {
  std::string trace_id;   ///< 32 hexadecimal digits
  std::string span_id;    ///< 16
  std::string parent_id;  ///< 16; empty: none
  std::string name;
  SpanKind kind = SpanKind::internal;
  Time start;
  Time end;
  std::vector<std::pair<std::string, std::variant<std::string, std::int64_t>>> attributes;
  std::string error;  ///< why it failed; empty: it did not
};

/// Who made the spans.
struct SpanSource {
  std::string version;   ///< of dray
  std::string instance;  ///< which replica
};

/// The body of a POST to an OTLP/HTTP collector's /v1/traces.
[[nodiscard]] std::string encode_spans(const SpanSource& source, std::span<const Span> spans);

}  // namespace dray::wire
