#include "app/serve/tracing_options.h"

#include <catch2/catch.hpp>
#include <map>

namespace dray::app::tracing_options_test {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<service::TracerOptions>> options(const std::string& flag,
                                                      Variables variables = {}) {
  ServeFlags flags;
  flags.otlp_endpoint = flag;
  flags.otlp_sampling = 0.5;
  return tracing_options(flags, [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

}  // namespace

TEST_CASE("without an endpoint there are no traces") {
  CHECK_FALSE(options("").value());
}

TEST_CASE("the flag goes before OpenTelemetry's variables, and those of traces before the others") {
  const Variables both{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://all:4318/"},
                       {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://traces:1/own"}};
  const auto flag = options("http://flag:4318", both).value();
  REQUIRE(flag);
  CHECK(flag->endpoint == net::Url{false, "flag", 4318, "/v1/traces"});
  CHECK(flag->sampling == 0.5);
  CHECK(options("", both).value()->endpoint == net::Url{true, "traces", 1, "/own"});
  CHECK(options("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://all:4318/"}}).value()->endpoint ==
        net::Url{false, "all", 4318, "/v1/traces"});
}

TEST_CASE("an endpoint that is no address names who said it") {
  CHECK(options("otel:4318").error().message.contains("--otlp-endpoint"));
  CHECK(options("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://x"}})
            .error()
            .message.contains("OTEL_EXPORTER_OTLP_ENDPOINT"));
}

}  // namespace dray::app::tracing_options_test
