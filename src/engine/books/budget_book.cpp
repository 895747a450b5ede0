#include "engine/books/budget_book.h"

#include <algorithm>

namespace dray::engine {

bool BudgetBook::covers(const PodDisruptionBudget& budget, const std::string& space,
                        const Labels& labels) {
  return budget.meta.namespace_name == space && budget.selector && budget.selector->matches(labels);
}

bool BudgetBook::observe(const KubeObject& object) {
  const auto* budget = std::get_if<PodDisruptionBudget>(&object);
  if (budget == nullptr) return false;
  auto& entry = budgets_[{budget->meta.namespace_name, budget->meta.name}];
  const bool same = entry.object.selector == budget->selector &&
                    entry.object.disruptions_allowed == budget->disruptions_allowed;
  const bool known = entry.object.meta.uid == budget->meta.uid && !entry.object.meta.name.empty();
  if (known && same) return false;
  entry.object = *budget;
  entry.pods.clear();
  for (const auto& [uid, pod] : pods_) {
    if (covers(*budget, pod.namespace_name, pod.labels)) entry.pods.insert(uid);
  }
  return true;
}

bool BudgetBook::forget(Kind kind, const std::string& namespace_name, const std::string& name) {
  return kind == Kind::pod_disruption_budget && budgets_.erase({namespace_name, name}) > 0;
}

void BudgetBook::put(const Pod& pod) {
  const auto [place, added] =
      pods_.try_emplace(pod.meta.uid, Known{pod.meta.namespace_name, pod.meta.labels});
  if (!added && place->second.labels == pod.meta.labels) return;
  place->second.labels = pod.meta.labels;
  for (auto& [key, entry] : budgets_) {
    if (covers(entry.object, pod.meta.namespace_name, pod.meta.labels)) {
      entry.pods.insert(pod.meta.uid);
    } else {
      entry.pods.erase(pod.meta.uid);
    }
  }
}

void BudgetBook::erase(const Uid& pod) {
  if (pods_.erase(pod) == 0) return;
  refused_.erase(pod);
  for (auto& [key, entry] : budgets_) entry.pods.erase(pod);
}

void BudgetBook::refused(const Uid& pod, Time until) {
  refused_[pod] = until;
}

std::vector<planner::DisruptionBudget> BudgetBook::budgets(Time now) {
  std::erase_if(refused_, [&](const auto& entry) { return entry.second <= now; });
  std::vector<planner::DisruptionBudget> found;
  for (const auto& [key, entry] : budgets_) {
    if (entry.pods.empty()) continue;
    found.push_back({.name = key.first + "/" + key.second,
                     .pods = {entry.pods.begin(), entry.pods.end()},
                     .allowed = entry.object.disruptions_allowed});
  }
  if (refused_.empty()) return found;
  planner::DisruptionBudget refusals{.name = "the API server's refusals", .pods = {}, .allowed = 0};
  for (const auto& [uid, until] : refused_) refusals.pods.push_back(uid);
  found.push_back(std::move(refusals));
  return found;
}

std::optional<Time> BudgetBook::next_change() const {
  const auto first =
      std::ranges::min_element(refused_, {}, [](const auto& entry) { return entry.second; });
  if (first == refused_.end()) return std::nullopt;
  return first->second;
}

}  // namespace dray::engine
