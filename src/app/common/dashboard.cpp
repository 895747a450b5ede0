#include "app/common/dashboard.h"

#include <utility>

#include "app/common/files.h"
#include "service/log.h"

namespace dray::app {
namespace {

dashboard::WebPage find_page() {
  const auto path = find_web("dashboard.html");
  auto html = path ? read_file(*path) : Result<std::string>(std::unexpected(path.error()));
  if (html) return dashboard::built_page(*std::move(html));
  service::log_info(0, "dashboard: " + html.error().message);
  return dashboard::page_not_built(html.error().message);
}

}  // namespace

dashboard::DashboardOptions dashboard_options(dashboard::DashboardOptions bounds,
                                              const service::ServiceOptions& service) {
  auto options = std::move(bounds);
  options.board.page = find_page();
  options.board.version = DRAY_VERSION;
  options.board.engine = service.engine;
  options.board.partition = service.partition;
  return options;
}

dashboard::Sources dashboard_sources(service::Service& service, kube::ClusterApi& api) {
  return {service.engine(), api, service.metrics(), service.readiness()};
}

}  // namespace dray::app
