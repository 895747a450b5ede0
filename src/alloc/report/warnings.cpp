#include "alloc/report/warnings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace dray::alloc {
namespace {

constexpr std::string_view tpu_driver = "tpu.google.com";
/// HAMi-core: its map by device keeps the last of a claim's results (facts on drivers, 1.6). Other
/// drivers give out several shares of a device well.
constexpr std::string_view hami_driver = "hami-core-gpu.project-hami.io";

void shares_on_one_card(const NodeView& view, const PreparedClaims& prepared,
                        const CandidateTables& tables, std::span<const Pick> picks,
                        std::vector<std::string>& out) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const auto& pick : picks) {
    if (!tables.shareable(pick.device)) continue;
    if (view.pools[view.devices[pick.device].pool].pool->driver.get() != hami_driver) continue;
    if (seen.emplace(prepared.specs[pick.spec].claim, pick.device).second) continue;
    out.push_back(
        fmt::format("both shares are on one card; the driver keeps only the last limit ({})",
                    view.devices[pick.device].name()));
  }
}

void part_of_a_tpu_host(const NodeView& view, std::span<const Pick> picks,
                        std::vector<std::string>& out) {
  std::size_t taken = 0;
  for (const auto& pick : picks) {
    if (view.pools[view.devices[pick.device].pool].pool->driver.get() == tpu_driver) ++taken;
  }
  const auto chips =
      static_cast<std::size_t>(std::ranges::count_if(view.devices, [&](const ViewDevice& device) {
        return view.pools[device.pool].pool->driver.get() == tpu_driver;
      }));
  if (taken == 0 || taken == chips) return;
  out.push_back(
      fmt::format("libtpu needs all chips of the host: {} of {} are taken", taken, chips));
}

void from_constraints(const PreparedClaims& prepared, const CandidateTables& tables,
                      const AttributeValues& values, std::span<const Pick> picks,
                      std::vector<std::string>& out) {
  std::set<std::string> said;
  for (const auto& pick : picks) {
    const auto& spec = prepared.specs[pick.spec];
    for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
      const auto& constraint = *prepared.claims[spec.claim].constraints[spec.constraints[i]];
      auto text = constraint.warning((*tables.row(pick.spec).values[i])[pick.device], values);
      if (text && said.insert(*text).second) out.push_back(*std::move(text));
    }
  }
}

}  // namespace

std::vector<std::string> warnings(const NodeView& view, const PreparedClaims& prepared,
                                  const CandidateTables& tables, const AttributeValues& values,
                                  std::span<const Pick> picks) {
  std::vector<std::string> out;
  shares_on_one_card(view, prepared, tables, picks, out);
  part_of_a_tpu_host(view, picks, out);
  from_constraints(prepared, tables, values, picks, out);
  return out;
}

}  // namespace dray::alloc
