#pragma once

#include <optional>

#include "app/serve/serve_options.h"
#include "service/tracer.h"

namespace dray::app {

/// The flags that say where spans of traces go.
void add_tracing_flags(CLI::App& command, ServeFlags& flags);

/// Where they go: by the flags, else by OpenTelemetry's own variables of the environment; nothing:
/// nobody wants them.
[[nodiscard]] Result<std::optional<service::TracerOptions>> tracing_options(
    const ServeFlags& flags, const kube::GetEnv& getenv);

}  // namespace dray::app
