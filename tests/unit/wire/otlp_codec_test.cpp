#include "wire/otlp_codec.h"

#include <catch2/catch.hpp>

namespace dray::wire::otlp_codec_test {

TEST_CASE("spans are written as OTLP's JSON mapping has them: hex ids, 64-bit numbers as strings") {
  Span span;
  span.trace_id = "0af7651916cd43dd8448eb211c80319c";
  span.span_id = "b7ad6b7169203331";
  span.parent_id = "00f067aa0ba902b7";
  span.name = "bind";
  span.kind = SpanKind::server;
  span.start = Time(std::chrono::microseconds(1'700'000'000'000'001));
  span.end = span.start + std::chrono::microseconds(5);
  span.attributes = {{"k8s.pod.name", "p"}, {"dray.jobs", std::int64_t{3}}};
  CHECK(encode_spans({"1.2.3", "dray-0"}, {&span, 1}) ==
        R"({"resourceSpans":[{"resource":{"attributes":[)"
        R"({"key":"service.name","value":{"stringValue":"dray"}},)"
        R"({"key":"service.version","value":{"stringValue":"1.2.3"}},)"
        R"({"key":"service.instance.id","value":{"stringValue":"dray-0"}}]},)"
        R"("scopeSpans":[{"scope":{"name":"dray","version":"1.2.3"},"spans":[)"
        R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",)"
        R"("parentSpanId":"00f067aa0ba902b7","name":"bind","kind":2,)"
        R"("startTimeUnixNano":"1700000000000001000","endTimeUnixNano":"1700000000000006000",)"
        R"("attributes":[{"key":"k8s.pod.name","value":{"stringValue":"p"}},)"
        R"({"key":"dray.jobs","value":{"intValue":"3"}}]}]}]}]})");
}

TEST_CASE("what failed has a status; what has no parent names none") {
  Span span;
  span.error = "conflict";
  const auto text = encode_spans({}, {&span, 1});
  CHECK(text.contains(R"("attributes":[],"status":{"code":2,"message":"conflict"})"));
  CHECK_FALSE(text.contains("parentSpanId"));
  CHECK_FALSE(text.contains("service.instance.id"));
}

}  // namespace dray::wire::otlp_codec_test
