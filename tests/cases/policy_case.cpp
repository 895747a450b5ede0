#include "tests/cases/policy_case.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

namespace dray::cases {

namespace {

using policy::Amounts;

/// The field of each resource in one Amounts; `bound`: -1 is none.
Amounts field(const Json& queue, const char* name, bool bound) {
  Amounts amounts(kai_resources().size());
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    const auto resource = queue.find(kai_resources()[r].name);
    if (resource == queue.end() || !resource->contains(name)) continue;
    const auto& value = resource->at(name);
    amounts[r] = bound ? read_bound(value) : value.get<double>();
  }
  return amounts;
}

std::optional<Duration> seconds(const Json& queue, const char* name) {
  const auto it = queue.find(name);
  if (it == queue.end() || it->is_null()) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(it->get<double>()));
}

}  // namespace

const policy::ResourceTable& kai_resources() {
  static const policy::ResourceTable table{{"cpu", policy::ResourceUnit::millicores},
                                           {"memory", policy::ResourceUnit::bytes},
                                           {"gpu", policy::ResourceUnit::devices}};
  return table;
}

Amounts read_amounts(const Json& json) {
  Amounts amounts(kai_resources().size());
  if (json.is_null()) return amounts;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    amounts[r] = json.value(kai_resources()[r].name, 0.0);
  }
  return amounts;
}

double read_bound(const Json& json) {
  const auto value = json.get<double>();
  return value == -1 ? policy::unlimited : value;
}

policy::Queue read_queue(const Json& json, std::string_view name_key) {
  policy::Queue queue;
  queue.name = policy::QueueName(json.value(std::string(name_key), std::string()));
  const auto parent = json.value("parent", std::string());
  if (!parent.empty()) queue.parent = policy::QueueName(parent);
  queue.priority = json.value("priority", 0);
  queue.created = Time(std::chrono::seconds(json.value("createdRank", 0)));
  queue.quota = field(json, "deserved", true);
  queue.limit = field(json, "limit", true);
  queue.over_quota_weight = field(json, "overQuotaWeight", false);
  queue.preempt_min_runtime = seconds(json, "preemptMinRuntimeSec");
  queue.reclaim_min_runtime = seconds(json, "reclaimMinRuntimeSec");
  queue.requested = field(json, "request", false);
  queue.allocated = field(json, "allocated", false);
  queue.allocated_nonpreemptible = field(json, "allocatedNonPreemptible", false);
  queue.usage = field(json, "usage", false);
  queue.fair_share = field(json, "fairShare", true);
  return queue;
}

policy::QueueTree read_tree(const Json& queues, std::string_view name_key) {
  std::vector<policy::Queue> read;
  for (const auto& queue : queues) read.push_back(read_queue(queue, name_key));
  auto tree = policy::QueueTree::make({read.begin(), read.end()}, kai_resources().size());
  if (!tree) throw std::runtime_error(tree.error().message);
  for (const auto& from : read) {
    auto& to = (*tree)[tree->find(from.name.get()).value()];
    to.requested = from.requested;
    to.allocated = from.allocated;
    to.allocated_nonpreemptible = from.allocated_nonpreemptible;
    to.usage = from.usage;
    to.fair_share = from.fair_share;
  }
  return std::move(*tree);
}

void report_case(const Case& one, Report& report,
                 const std::function<Verdict(const Json&)>& check) {
  Verdict verdict;
  try {
    verdict = check(one.json);
  } catch (const std::exception& e) {
    verdict = {e.what(), "a case of this suite"};
  }
  if (verdict.got == verdict.want) {
    report.pass();
  } else {
    report.fail(one.id(), verdict.got, verdict.want);
  }
}

bool nearly_equal(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace dray::cases
