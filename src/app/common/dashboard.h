#pragma once

#include "dashboard/dashboard.h"
#include "service/service.h"

namespace dray::app {

/// The dashboard within `bounds` of a service with such an engine, with the page that `./dev web`
/// built, or one that says that there is none.
[[nodiscard]] dashboard::DashboardOptions dashboard_options(dashboard::DashboardOptions bounds,
                                                            const service::ServiceOptions& service);
[[nodiscard]] dashboard::Sources dashboard_sources(service::Service& service,
                                                   kube::ClusterApi& api);

}  // namespace dray::app
