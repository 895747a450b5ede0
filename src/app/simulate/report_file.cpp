#include "app/simulate/report_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "app/common/files.h"
#include "report/page.h"

namespace dray::app {

Result<std::string> load_report_page() {
  const auto path = find_web("report.html");
  if (!path) return std::unexpected(path.error());
  return read_file(*path);
}

Result<void> write_report(const SimulateFlags& flags, const std::string& page,
                          const std::string& data) {
  const auto filled = report::fill_page(page, data);
  if (!filled) return std::unexpected(filled.error());
  std::ofstream out(flags.report, std::ios::binary);
  out << *filled;
  out.close();
  if (!out) return fail(ErrorCode::invalid, flags.report + ": cannot be written");
  return {};
}

report::About about_input(const SimulateFlags& flags, bool recorded) {
  return {.version = DRAY_VERSION,
          .cluster = recorded ? "as recorded" : fmt::format("{}", fmt::join(flags.cluster, ", ")),
          .workload = flags.workload};
}

}  // namespace dray::app
