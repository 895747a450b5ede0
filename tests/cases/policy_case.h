#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "dray/policy/queue_tree.h"
#include "dray/policy/resource.h"

// What the recorded policy tables have in common: KAI's three resources, queues with their counts,
// -1 for no bound.
namespace dray::cases {

using Json = nlohmann::json;

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

}  // namespace dray::cases
