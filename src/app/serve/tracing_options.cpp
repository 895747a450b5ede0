#include "app/serve/tracing_options.h"

#include <utility>

namespace dray::app {

void add_tracing_flags(CLI::App& command, ServeFlags& f) {
  command.add_option("--otlp-endpoint", f.otlp_endpoint,
                     "OTLP/HTTP collector that gets spans of decisions: http://otel:4318; if not "
                     "given that of OTEL_EXPORTER_OTLP_ENDPOINT, if any");
  command
      .add_option("--otlp-sampling", f.otlp_sampling,
                  "Part of the traces that it gets, from 0 to 1, where kube-scheduler does not say")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

Result<std::optional<service::TracerOptions>> tracing_options(const ServeFlags& flags,
                                                              const kube::GetEnv& getenv) {
  auto text = flags.otlp_endpoint;
  std::string named = "--otlp-endpoint";
  bool whole = false;  // with the path
  const auto take = [&](const char* variable) {
    if (!text.empty()) return;
    text = getenv(variable).value_or("");
    named = variable;
    whole = std::string_view(variable).contains("TRACES");
  };
  take("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  take("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (text.empty()) return std::nullopt;
  auto url = net::Url::parse(text);
  if (!url) return std::unexpected(std::move(url.error()).within(named));
  if (!whole) url->path += "/v1/traces";
  if (url->path.empty()) url->path = "/";
  service::TracerOptions options;
  options.endpoint = *std::move(url);
  options.sampling = flags.otlp_sampling;
  options.source.version = DRAY_VERSION;
  return options;
}

}  // namespace dray::app
