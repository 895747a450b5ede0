#include "alloc/search/result.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace dray::alloc {
namespace {

/// The spec that serves each request of a claim: the request's own, or the alternative chosen.
std::vector<const Spec*> chosen_specs(const PreparedClaims& prepared, std::uint32_t claim,
                                      std::span<const Pick> picks) {
  std::vector<const Spec*> chosen;
  for (const auto& request : prepared.claims[claim].requests) {
    const auto* spec = &prepared.specs[request.first];
    for (const auto& pick : picks) {
      if (pick.spec >= request.first && pick.spec < request.last) spec = &prepared.specs[pick.spec];
    }
    chosen.push_back(spec);
  }
  return chosen;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

/// Whether a config's `requests` name the request or the alternative that was chosen for it.
bool names(const std::vector<std::string>& requests, const Spec& chosen) {
  if (!chosen.alternative) return contains(requests, chosen.name);
  return contains(requests, chosen.parent) || contains(requests, chosen.full_name());
}

std::vector<AllocatedConfig> assemble_config(const PreparedClaim& claim,
                                             const std::vector<const Spec*>& chosen) {
  std::vector<AllocatedConfig> config;
  std::map<std::string, std::pair<std::size_t, std::size_t>> ranges;  // by class
  for (const auto* spec : chosen) {
    const auto& object = *spec->device_class->object;
    const auto [known, added] = ranges.try_emplace(object.meta.name, config.size(), 0);
    if (!added) {
      for (auto i = known->second.first; i < known->second.second; ++i) {
        config[i].requests.push_back(spec->full_name());
      }
      continue;
    }
    for (const auto& opaque : object.config) {
      config.push_back({.from_class = true, .requests = {spec->full_name()}, .opaque = opaque});
    }
    known->second.second = config.size();
  }
  for (const auto& given : claim.claim->spec.config) {
    const bool applies =
        given.requests.empty() ||
        std::ranges::any_of(chosen, [&](const auto* spec) { return names(given.requests, *spec); });
    if (applies) config.push_back({.requests = given.requests, .opaque = given.opaque});
  }
  for (auto& each : config) {
    const bool all =
        std::ranges::all_of(chosen, [&](const auto* spec) { return names(each.requests, *spec); });
    if (all) each.requests.clear();
  }
  return config;
}

void add_requirements(const std::vector<NodeSelectorRequirement>& more,
                      std::vector<NodeSelectorRequirement>& all) {
  const auto sorted = [](std::vector<std::string> values) {
    std::ranges::sort(values);
    const auto repeated = std::ranges::unique(values);
    values.erase(repeated.begin(), repeated.end());
    return values;
  };
  for (const auto& each : more) {
    const bool there = std::ranges::any_of(all, [&](const auto& other) {
      return other.key == each.key && other.op == each.op &&
             sorted(other.values) == sorted(each.values);
    });
    if (!there) all.push_back(each);
  }
}

Result<std::optional<NodeSelector>> assemble_selector(const NodeView& view,
                                                      std::span<const Pick> picks,
                                                      const NodeName& node) {
  NodeSelectorTerm term;
  for (const auto& pick : picks) {
    const auto& device = view.devices[pick.device];
    const auto& scope =
        device.slice->per_device ? device.traits().scope->scope : device.slice->scope.scope;
    if (scope.node_name || device.traits().binds_to_node) {
      NodeSelectorTerm here;
      here.match_fields.push_back({.key = "metadata.name", .op = "In", .values = {node.get()}});
      return NodeSelector{{std::move(here)}};
    }
    if (!scope.node_selector) continue;
    const auto& terms = scope.node_selector->terms;
    if (terms.size() > 1) {
      return fail(
          ErrorCode::invalid,
          fmt::format("unsupported ResourceSlice.NodeSelector with {} terms", terms.size()));
    }
    for (const auto& each : terms) {
      add_requirements(each.match_fields, term.match_fields);
      add_requirements(each.match_expressions, term.match_expressions);
    }
  }
  if (term.match_fields.empty() && term.match_expressions.empty()) return std::nullopt;
  return NodeSelector{{std::move(term)}};
}

}  // namespace

Result<std::vector<AllocationResult>> assemble(const NodeView& view, const PreparedClaims& prepared,
                                               const CandidateTables& tables,
                                               const Features& features,
                                               std::span<const Pick> picks, const NodeName& node,
                                               const std::function<std::string()>& next_share_id) {
  std::vector<AllocationResult> results;
  auto rest = picks;
  for (std::uint32_t claim = 0; claim < prepared.claims.size(); ++claim) {
    std::size_t count = 0;
    while (count < rest.size() && prepared.specs[rest[count].spec].claim == claim) ++count;
    const auto mine = rest.first(count);
    rest = rest.subspan(count);
    auto& result = results.emplace_back();
    for (const auto& pick : mine) {
      const auto& spec = prepared.specs[pick.spec];
      const auto& device = view.devices[pick.device];
      auto& made = result.devices.emplace_back();
      made.request = spec.full_name();
      made.device = view.id(pick.device);
      if (spec.admin) made.admin_access = true;
      made.tolerations = spec.spec->tolerations;
      if (features.optional_node_operations) {
        made.skip_node_operations = device.slice->skip_node_operations;
      }
      if (features.device_binding_and_status) {
        made.binding_conditions = device.traits().binding_conditions;
        made.binding_failure_conditions = device.traits().binding_failure_conditions;
      }
      if (!tables.shareable(pick.device)) continue;
      made.share_id = next_share_id();
      const auto* plan = tables.row(pick.spec).capacity[pick.device];
      if (plan != nullptr) made.consumed_capacity = plan->consumed;
    }
    result.config = assemble_config(prepared.claims[claim], chosen_specs(prepared, claim, mine));
    auto selector = assemble_selector(view, mine, node);
    if (!selector) {
      return std::unexpected(
          std::move(selector.error())
              .within("create NodeSelector for claim " + prepared.claims[claim].claim->meta.name));
    }
    result.node_selector = std::move(*selector);
  }
  return results;
}

std::int64_t preference(const PreparedClaims& prepared, std::span<const Pick> picks) {
  std::int64_t sum = 0;
  for (const auto& claim : prepared.claims) {
    for (const auto& request : claim.requests) {
      if (!request.alternatives) continue;
      for (const auto& pick : picks) {
        if (pick.spec < request.first || pick.spec >= request.last) continue;
        sum += 8 - static_cast<std::int64_t>(pick.spec - request.first);
        break;
      }
    }
  }
  return sum;
}

}  // namespace dray::alloc
