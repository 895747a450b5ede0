#include "app/replay/replay_report.h"

#include <fmt/format.h>

namespace dray::app {

std::string replay_text(const service::ReplayReport& report) {
  if (!report.from) {
    return fmt::format(
        "{} steps, none of them compared: the record has neither a run's first segment nor a "
        "moment at which nobody waited and nothing was under way\n",
        report.steps);
  }
  auto text = fmt::format("{} steps, {} compared from {} to {}, {} decisions: ", report.steps,
                          report.compared, format_micro_time(*report.from),
                          format_micro_time(*report.to), report.decisions);
  text += report.differences == 0 ? std::string("all the same\n")
                                  : fmt::format("{} differ\n", report.differences);
  if (!report.whole_run) {
    text += "Compared from a state on: usage over time and ConfigMaps are not.\n";
  }
  for (const auto& each : report.first) {
    text +=
        fmt::format("step {} at {}\n  recorded: {}\n  replayed: {}\n", each.step,
                    format_micro_time(each.at), each.recorded.empty() ? "nothing" : each.recorded,
                    each.replayed.empty() ? "nothing" : each.replayed);
  }
  return text;
}

std::string policy_diff_text(const PolicyDiff& diff) {
  if (!diff.problem().empty()) return diff.problem() + "\n";
  auto text = fmt::format(
      "{} plans made again under the other policy: {}\n", diff.plans(),
      diff.differences().empty()
          ? "it would have decided the same"
          : fmt::format("{} jobs would have fared otherwise", diff.differences().size()));
  for (const auto& each : diff.differences()) {
    const auto queues = each.queue == each.new_queue
                            ? fmt::format("queue {}", each.queue)
                            : fmt::format("queue {}, then {}", each.queue, each.new_queue);
    text += fmt::format("{} {} ({})\n  was:   {}\n  would: {}\n", format_time(each.at), each.job,
                        queues, each.was, each.would);
  }
  return text;
}

}  // namespace dray::app
