#include "app/repair/repair_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "wire/json/json_writer.h"

namespace dray::app {

std::string repair_table(const std::vector<RepairResult>& results) {
  if (results.empty()) return "No claim has a device that another has, or is kept for nobody.\n";
  std::size_t found = 5;
  std::size_t claim = 5;
  for (const auto& each : results) {
    found = std::max(found, text(each.finding.kind).size());
    claim = std::max(claim, each.finding.claim.to_string().size());
  }
  auto table = fmt::format("{:<{}}  {:<{}}  {}\n", "FOUND", found, "CLAIM", claim, "WHAT");
  for (const auto& each : results) {
    table += fmt::format("{:<{}}  {:<{}}  {}: {}\n", text(each.finding.kind), found,
                         each.finding.claim.to_string(), claim, each.finding.what, each.done);
  }
  return table;
}

std::string repair_json(const std::vector<RepairResult>& results) {
  wire::JsonWriter out;
  const auto field = [&](const char* name, std::string_view value) {
    out.key(name);
    out.string(value);
  };
  out.begin_object();
  out.key("findings");
  out.begin_list();
  for (const auto& each : results) {
    out.begin_object();
    field("found", text(each.finding.kind));
    field("namespace", each.finding.claim.namespace_name);
    field("claim", each.finding.claim.name);
    field("what", each.finding.what);
    field("done", each.done);
    out.key("mended");
    out.boolean(each.mended);
    out.end_object();
  }
  out.end_list();
  out.end_object();
  return std::move(out).take();
}

}  // namespace dray::app
