#include "report/page.h"

namespace dray::report {
namespace {

/// As web/report/page.html has it.
constexpr std::string_view data_place = R"(type="application/json">"dray-report-data"<)";
constexpr std::string_view data_opens = R"(type="application/json">)";

}  // namespace

Result<std::string> fill_page(std::string_view page, std::string_view json) {
  const auto at = page.find(data_place);
  if (at == std::string_view::npos || page.find(data_place, at + 1) != std::string_view::npos) {
    return fail(ErrorCode::invalid, "no page of a report: there is no one place for its data");
  }
  std::string filled(page.substr(0, at + data_opens.size()));
  // Of JSON only strings may have a `<`; as it is, it could end the element (`</script>`).
  for (const char c : json) {
    if (c == '<') {
      filled += "\\u003c";
    } else {
      filled += c;
    }
  }
  filled += page.substr(at + data_place.size() - 1);
  return filled;
}

}  // namespace dray::report
