#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dray/policy/queue_tree.h"
#include "dray/policy/resource.h"
#include "tests/cases/runner.h"

// What the recorded policy tables have in common: KAI's three resources, queues with their counts,
// -1 for no bound.
namespace dray::cases {

/// cpu, memory, gpu: KAI's resources, in its order.
[[nodiscard]] const policy::ResourceTable& kai_resources();

/// {cpu, memory, gpu}; all 0 where `json` is null.
[[nodiscard]] policy::Amounts read_amounts(const Json& json);

/// A bound of the table: -1 is none.
[[nodiscard]] double read_bound(const Json& json);

/// One queue with its configuration and its counts; no parent, no children.
[[nodiscard]] policy::Queue read_queue(const Json& json, std::string_view name_key);

/// The tree of a table's `queues`, with their counts.
[[nodiscard]] policy::QueueTree read_tree(const Json& queues, std::string_view name_key);

/// Equal but for 1e-9 of either.
[[nodiscard]] bool nearly_equal(double a, double b);

/// What came out and what should have; both empty where they agree.
struct Verdict {
  std::string got;
  std::string want;
};

/// Reports `check` of the case, or that it threw.
void report_case(const Case& one, Report& report, const std::function<Verdict(const Json&)>& check);

}  // namespace dray::cases
