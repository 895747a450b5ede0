#include "wire/otlp_codec.h"

#include <string_view>

#include "wire/json/json_writer.h"

namespace dray::wire {
namespace {

constexpr std::int64_t status_error = 2;

/// OTLP's JSON has 64-bit numbers as strings.
std::string nanoseconds(Time time) {
  using Nanoseconds = std::chrono::nanoseconds;
  return std::to_string(std::chrono::duration_cast<Nanoseconds>(time.time_since_epoch()).count());
}

void write_value(FieldWriter& io, const std::string& text) {
  io.required("stringValue", text);
}
void write_value(FieldWriter& io, std::int64_t number) {
  io.required("intValue", std::to_string(number));
}

template <class Value>
void write_attribute(JsonWriter& out, std::string_view key, const Value& value) {
  out.object([&](FieldWriter& io) {
    io.required("key", std::string(key));
    io.object("value", [&](FieldWriter& item) { write_value(item, value); });
  });
}

void write_source(JsonWriter& out, FieldWriter& io, const SpanSource& source) {
  io.object("resource", [&](FieldWriter&) {
    out.key("attributes");
    out.begin_list();
    write_attribute(out, "service.name", std::string("dray"));
    write_attribute(out, "service.version", source.version);
    if (!source.instance.empty()) write_attribute(out, "service.instance.id", source.instance);
    out.end_list();
  });
}

void write_span(JsonWriter& out, FieldWriter& io, const Span& span) {
  io.required("traceId", span.trace_id);
  io.required("spanId", span.span_id);
  io.field("parentSpanId", span.parent_id);
  io.required("name", span.name);
  io.required("kind", static_cast<std::int32_t>(span.kind));
  io.required("startTimeUnixNano", nanoseconds(span.start));
  io.required("endTimeUnixNano", nanoseconds(span.end));
  out.key("attributes");
  out.begin_list();
  for (const auto& [key, value] : span.attributes) {
    std::visit([&](const auto& each) { write_attribute(out, key, each); }, value);
  }
  out.end_list();
  io.object("status", !span.error.empty(), [&](FieldWriter& status) {
    status.required("code", status_error);
    status.required("message", span.error);
  });
}

}  // namespace

std::string encode_spans(const SpanSource& source, std::span<const Span> spans) {
  JsonWriter out;
  out.object([&](FieldWriter&) {
    out.key("resourceSpans");
    out.begin_list();
    out.object([&](FieldWriter& io) {
      write_source(out, io, source);
      out.key("scopeSpans");
      out.begin_list();
      out.object([&](FieldWriter& scope) {
        scope.object("scope", [&](FieldWriter& names) {
          names.required("name", std::string("dray"));
          names.required("version", source.version);
        });
        out.key("spans");
        out.begin_list();
        for (const auto& span : spans) {
          out.object([&](FieldWriter& item) { write_span(out, item, span); });
        }
        out.end_list();
      });
      out.end_list();
    });
    out.end_list();
  });
  return std::move(out).take();
}

}  // namespace dray::wire
