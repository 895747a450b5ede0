#pragma once

#include "dashboard/dashboard.h"
#include "service/service.h"

namespace dray::app {

/// The dashboard of a service with such an engine, with the page that `./dev web` built, or one
/// that says that there is none.
[[nodiscard]] dashboard::DashboardOptions dashboard_options(net::HttpServerOptions server,
                                                            const service::ServiceOptions& service);
[[nodiscard]] dashboard::Sources dashboard_sources(service::Service& service,
                                                   kube::ClusterApi& api);

}  // namespace dray::app
