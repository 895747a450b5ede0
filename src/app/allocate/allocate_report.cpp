#include "app/allocate/allocate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/demo/demo_table.h"
#include "wire/object/codecs.h"

namespace dray::app {
namespace {

using planner::WhatIf;
using wire::FieldWriter;
using wire::JsonWriter;

constexpr std::string_view form = "{:<24} {:<16} {:<44} {}\n";

std::vector<AllocatedDevice> devices_of(const planner::JobOutcome& outcome) {
  std::vector<AllocatedDevice> devices;
  for (const auto& placement : outcome.placements) {
    for (const auto& claim : placement.claims) {
      devices.insert(devices.end(), claim.allocation.devices.begin(),
                     claim.allocation.devices.end());
    }
  }
  return devices;
}

std::set<std::string> conditions_of(const AllocationResult& allocation) {
  std::set<std::string> all;
  for (const auto& device : allocation.devices) {
    all.insert(device.binding_conditions.begin(), device.binding_conditions.end());
  }
  return all;
}

std::string why(const planner::JobOutcome& outcome) {
  if (outcome.reason == Reason::none) return outcome.detail;
  auto said = std::string(text(outcome.reason));
  return outcome.detail.empty() ? said : said + " (" + outcome.detail + ")";
}

std::string funnel_line(const alloc::RequestFunnel& made) {
  auto line = fmt::format(
      "{}/{} wants {}: {} devices, {} of the class, {} selected, {} without a taint, {} free, {} "
      "with the capacity, {} with the counters",
      made.claim, made.request, made.all ? "all" : std::to_string(made.wanted), made.devices,
      made.after_class, made.after_selectors, made.after_taints, made.after_use,
      made.after_capacity, made.after_counters);
  if (made.incomplete_pools > 0) {
    line += fmt::format("; {} incomplete pools", made.incomplete_pools);
  }
  if (made.invalid_pools > 0) line += fmt::format("; {} invalid pools", made.invalid_pools);
  if (!made.nearest_miss.empty()) line += "; nearest miss " + made.nearest_miss;
  return line;
}

/// The verdict without the node's name, so that nodes alike can share a line.
std::string verdict_lines(const WhatIf::NodeVerdict& verdict) {
  auto lines = verdict.reason == Reason::none ? fmt::format("fits (score {})", verdict.score)
                                              : std::string(name(verdict.reason));
  if (!verdict.detail.empty()) lines += ": " + verdict.detail;
  lines += '\n';
  if (verdict.reason == Reason::none) return lines;
  for (auto made : verdict.requests) {
    // It names a device of this node; the counts may be alike elsewhere.
    made.nearest_miss.clear();
    lines += "      " + funnel_line(made) + "\n";
  }
  return lines;
}

std::string nodes_text(const std::vector<WhatIf::NodeVerdict>& nodes) {
  std::vector<std::pair<std::string, std::vector<const WhatIf::NodeVerdict*>>> groups;
  for (const auto& node : nodes) {
    auto lines = verdict_lines(node);
    const auto same = std::ranges::find(groups, lines, &decltype(groups)::value_type::first);
    if (same == groups.end()) {
      groups.emplace_back(std::move(lines), std::vector{&node});
    } else {
      same->second.push_back(&node);
    }
  }
  std::string out;
  for (const auto& [lines, members] : groups) {
    auto names = members.front()->node.get();
    if (members.size() > 1) names += fmt::format(" and {} more", members.size() - 1);
    out += fmt::format("    {}: {}", names, lines);
    for (const auto& made : members.front()->requests) {
      if (members.front()->reason == Reason::none || made.nearest_miss.empty()) continue;
      out += fmt::format("      {}: nearest miss {}\n", made.request, made.nearest_miss);
    }
  }
  return out;
}

void write_claim(FieldWriter& io, const ClaimPlacement& claim) {
  io.required("claim", claim.claim.to_string());
  io.required("allocation", claim.allocation);
  const auto waits = conditions_of(claim.allocation);
  io.field("waitsFor", std::vector<std::string>(waits.begin(), waits.end()));
  if (!claim.extended) return;
  io.items("extendedResources", claim.extended->mappings, [](auto& item, const auto& mapping) {
    item.required("container", mapping.container);
    item.required("resource", mapping.resource);
    item.required("request", mapping.request);
  });
}

void write_request(FieldWriter& io, const alloc::RequestFunnel& made) {
  const auto count = [&](std::string_view name, std::size_t value) {
    io.required(name, static_cast<std::int64_t>(value));
  };
  io.required("claim", made.claim);
  io.required("request", made.request);
  io.required("wanted", made.wanted);
  count("devices", made.devices);
  count("afterClass", made.after_class);
  count("afterSelectors", made.after_selectors);
  count("afterTaints", made.after_taints);
  count("afterUse", made.after_use);
  count("afterCapacity", made.after_capacity);
  count("afterCounters", made.after_counters);
  count("incompletePools", made.incomplete_pools);
  count("invalidPools", made.invalid_pools);
  io.field("nearestMiss", made.nearest_miss);
}

void write_node(FieldWriter& io, const WhatIf::NodeVerdict& verdict) {
  io.required("node", verdict.node);
  io.required("fits", verdict.reason == Reason::none);
  if (verdict.reason != Reason::none) {
    io.required("reason", std::string(name(verdict.reason)));
    io.required("message", std::string(text(verdict.reason)));
  } else {
    io.required("score", verdict.score);
  }
  io.field("detail", verdict.detail);
  io.items("requests", verdict.requests,
           [](FieldWriter& item, const auto& made) { write_request(item, made); });
}

void write_pod(FieldWriter& io, const AllocateVerdict& verdict) {
  const auto& outcome = verdict.outcome;
  io.required("pod", verdict.pod.to_string());
  if (outcome.placements.empty()) {
    const std::string null = "null";
    io.raw("node", null);
    io.required("reason", std::string(name(outcome.reason)));
    io.required("message", std::string(text(outcome.reason)));
  } else {
    io.required("node", outcome.placements.front().node);
    io.items("claims", outcome.placements.front().claims,
             [](FieldWriter& item, const auto& claim) { write_claim(item, claim); });
    io.field("nodeAllocatableResourceClaimStatuses", outcome.placements.front().node_allocatable);
  }
  io.field("detail", outcome.detail);
  io.field("warnings", outcome.warnings);
  io.items("nodes", verdict.nodes,
           [](FieldWriter& item, const auto& node) { write_node(item, node); });
}

}  // namespace

std::string allocate_names(const std::vector<AllocateVerdict>& verdicts) {
  std::string out;
  for (const auto& verdict : verdicts) {
    if (!verdict.outcome.placements.empty()) out += "pod/" + verdict.pod.to_string() + "\n";
  }
  return out;
}

std::string allocate_table(const std::vector<AllocateVerdict>& verdicts, bool wide) {
  auto out = fmt::format(form, "POD", "NODE", "DEVICES", "WHY");
  for (const auto& [pod, outcome, nodes] : verdicts) {
    const auto devices = devices_of(outcome);
    out += fmt::format(form, pod.to_string(),
                       outcome.placements.empty() ? "-" : outcome.placements.front().node.get(),
                       devices.empty() ? "-" : describe_devices(devices), why(outcome));
    if (wide) {
      for (const auto& each : devices) {
        out += fmt::format("    {}: {}\n", each.request, each.device.to_string());
      }
    }
    for (const auto& warning : outcome.warnings) out += "    warning: " + warning + "\n";
    for (const auto& placement : outcome.placements) {
      for (const auto& claim : placement.claims) {
        for (const auto& condition : conditions_of(claim.allocation)) {
          out += fmt::format("    waits for {} before it is bound\n", condition);
        }
      }
    }
    out += nodes_text(nodes);
  }
  return out;
}

std::string allocate_json(const std::vector<AllocateVerdict>& verdicts, const std::string& mode) {
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    io.required("mode", mode);
    io.items("pods", verdicts,
             [](FieldWriter& item, const auto& verdict) { write_pod(item, verdict); });
  });
  return std::move(out).take();
}

}  // namespace dray::app
