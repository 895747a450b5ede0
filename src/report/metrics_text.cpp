#include "report/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/jobs_report.h"

namespace dray::report {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const auto c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

}  // namespace

void MetricsText::add(std::string_view family, std::string_view help, Labels labels, double value) {
  auto found = std::ranges::find(families_, family, &Family::name);
  if (found == families_.end()) found = families_.insert(found, {family, help, {}});
  found->samples.push_back({std::move(labels), value});
}

std::string MetricsText::text() const {
  std::string text;
  for (const auto& family : families_) {
    text += fmt::format("# HELP dray_simulation_{0} {1}\n# TYPE dray_simulation_{0} gauge\n",
                        family.name, family.help);
    for (const auto& [labels, value] : family.samples) {
      text += fmt::format("dray_simulation_{}{{", family.name);
      for (const auto& [name, of] : labels) {
        text += fmt::format("{}{}=\"{}\"", text.ends_with('{') ? "" : ",", name, escaped(of));
      }
      text += fmt::format("}} {}\n", number(value));
    }
  }
  return text;
}

}  // namespace dray::report
