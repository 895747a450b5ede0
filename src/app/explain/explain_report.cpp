#include "app/explain/explain_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "dray/base/count_of.h"
#include "dray/policy/amounts.h"
#include "dray/policy/policy.h"

namespace dray::app {
namespace {

using planner::Explanation;
using planner::Standing;

std::string_view verb(Standing standing) {
  switch (standing) {
    case Standing::waits:
      return " waits: ";
    case Standing::follows:
      return " waits, and has a place: ";
    case Standing::bypasses:
    case Standing::not_ours:
      return " is not dray's to place: ";
    case Standing::done:
    case Standing::starts:
    case Standing::runs:
      return ": ";
  }
  std::unreachable();
}

std::string job_text(const planner::JobView& job) {
  auto text = fmt::format("  job      {}: {}, {} running", job.name, count_of(job.members, "pod"),
                          job.running);
  if (job.minimum > 1) {
    text += fmt::format("; {} have to start together, room for {}", job.minimum, job.have_room);
  }
  return text + "\n";
}

std::string place_text(const planner::QueueView& queue) {
  if (queue.position == 0) return {};
  auto text = fmt::format(", number {} of {} waiting there", queue.position,
                          count_of(queue.waiting, "job"));
  if (!queue.ahead.empty()) text += fmt::format("; ahead: {}", fmt::join(queue.ahead, ", "));
  if (queue.more_ahead > 0) text += fmt::format(" and {} more", queue.more_ahead);
  if (queue.others_ahead > 0) {
    text += fmt::format("; {} of other queues come{} first", count_of(queue.others_ahead, "job"),
                        queue.others_ahead == 1 ? "s" : "");
  }
  return text;
}

std::string queue_text(const planner::QueueView& queue) {
  auto text = fmt::format("  queue    {}{}{}\n", queue.name,
                          queue.name == policy::default_queue && queue.levels.empty()
                              ? " (no quotas and no limits are in force)"
                              : "",
                          place_text(queue));
  for (const auto& level : queue.levels) {
    const auto amount = [&](double value) {
      return value == policy::unlimited ? std::string("none")
                                        : policy::humanize(value, level.resource.unit);
    };
    text += fmt::format(
        "           {}, {}: asks for {}, holds {}, quota {}, fair share {}, limit {}\n",
        level.queue, policy::display_unit(level.resource), amount(level.asked), amount(level.used),
        amount(level.quota), amount(level.fair_share), amount(level.limit));
  }
  return text;
}

/// Where no node is named in the text.
std::string names_text(const planner::NodesView& nodes) {
  if (nodes.text.ends_with(')')) return {};
  auto text = fmt::format(" ({}", fmt::join(nodes.names, ", "));
  if (nodes.count > nodes.names.size()) {
    text += fmt::format(" and {} more", nodes.count - nodes.names.size());
  }
  return text + ")";
}

std::string nodes_text(const Explanation& made, bool wide) {
  if (made.nodes.empty()) return {};
  std::string text = "  nodes that refuse it:\n";
  for (const auto& nodes : made.nodes) {
    const auto reason = wide ? fmt::format("{:<18}  ", name(nodes.reason)) : "";
    text += fmt::format("    {:>5}  {}{}{}\n", nodes.count, reason, nodes.text, names_text(nodes));
  }
  if (made.nodes_left_out > 0) {
    text += fmt::format("    {:>5}  for other reasons\n", made.nodes_left_out);
  }
  return text;
}

}  // namespace

std::string explanation_text(const Explanation& made, bool wide) {
  auto text = made.pod + std::string(verb(made.standing)) + made.summary + "\n";
  if (wide && made.reason != Reason::none)
    text += fmt::format("  reason   {}\n", name(made.reason));
  for (const auto& device : made.devices) text += "  device   " + device + "\n";
  if (made.job) text += job_text(*made.job);
  if (made.queue) text += queue_text(*made.queue);
  text += nodes_text(made, wide);
  if (!made.nearest.empty()) text += "  nearest  " + made.nearest + "\n";
  if (!made.helps.empty()) text += "  what would help:\n";
  for (const auto& help : made.helps) text += "    - " + help + "\n";
  for (const auto& note : made.notes) text += "  " + note + "\n";
  return text;
}

}  // namespace dray::app
