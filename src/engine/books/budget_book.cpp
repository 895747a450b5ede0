#include "engine/books/budget_book.h"

#include <algorithm>
#include <utility>

namespace dray::engine {

bool BudgetBook::observe(const KubeObject& object) {
  const auto* budget = std::get_if<PodDisruptionBudget>(&object);
  if (budget == nullptr) return false;
  auto& space = spaces_[budget->meta.namespace_name];
  const auto& name = budget->meta.name;
  const auto [at, made] = space.budgets.try_emplace(name);
  auto& entry = at->second;
  const bool same_selector = !made && entry.object.selector == budget->selector;
  if (same_selector && entry.object.meta.uid == budget->meta.uid &&
      entry.object.disruptions_allowed == budget->disruptions_allowed) {
    return false;
  }
  if (!made && !same_selector) uncover(space, name, entry);
  entry.object = *budget;
  if (!same_selector) cover(space, name, entry);
  return true;
}

bool BudgetBook::forget(Kind kind, const std::string& namespace_name, const std::string& name) {
  if (kind != Kind::pod_disruption_budget) return false;
  const auto space = spaces_.find(namespace_name);
  if (space == spaces_.end()) return false;
  const auto entry = space->second.budgets.find(name);
  if (entry == space->second.budgets.end()) return false;
  uncover(space->second, name, entry->second);
  space->second.budgets.erase(entry);
  if (space->second.empty()) spaces_.erase(space);
  return true;
}

/// One of the labels that all of its pods have, the rarest; or the values that one label may have.
std::vector<BudgetBook::Anchor> BudgetBook::anchors_of(const Space& space,
                                                       const LabelSelector& selector) const {
  std::optional<std::pair<std::size_t, Anchor>> rarest;
  for (const auto& [key, value] : selector.match_labels) {
    const auto pods = space.labelled.find({key, value});
    const auto count = pods == space.labelled.end() ? 0 : pods->second.size();
    if (!rarest || count < rarest->first) rarest.emplace(count, Anchor(key, value));
  }
  if (rarest) return {rarest->second};
  for (const auto& requirement : selector.match_expressions) {
    std::vector<Anchor> anchors;
    if (requirement.op == "In") {
      for (const auto& value : requirement.values) anchors.emplace_back(requirement.key, value);
    } else if (requirement.op == "Exists") {
      anchors.emplace_back(requirement.key, std::nullopt);
    }
    if (!anchors.empty()) return anchors;
  }
  return {};
}

std::vector<BudgetBook::Anchor> BudgetBook::anchors_of(const Labels& labels) {
  std::vector<Anchor> anchors;
  anchors.reserve(2 * labels.size());
  for (const auto& [key, value] : labels) {
    anchors.emplace_back(key, value);
    anchors.emplace_back(key, std::nullopt);
  }
  return anchors;
}

void BudgetBook::compare(Entry& entry, const std::string& name, const Uid& uid, Known& pod) {
  ++compared_;
  if (!entry.object.selector->matches(pod.labels)) return;
  pod.budgets.insert(name);
  entry.pods.insert(uid);
  entry.listed.reset();
}

/// Finds the pods of a budget whose selector is new.
void BudgetBook::cover(Space& space, const std::string& name, Entry& entry) {
  const auto& selector = entry.object.selector;
  if (!selector) return;
  entry.anchors = anchors_of(space, *selector);
  if (entry.anchors.empty()) {
    space.unanchored.insert(name);
    for (const auto& uid : space.pods) compare(entry, name, uid, pods_.at(uid));
    return;
  }
  for (const auto& anchor : entry.anchors) {
    space.asking[anchor].insert(name);
    const auto pods = space.labelled.find(anchor);
    if (pods == space.labelled.end()) continue;
    for (const auto& uid : pods->second) compare(entry, name, uid, pods_.at(uid));
  }
}

void BudgetBook::uncover(Space& space, const std::string& name, Entry& entry) {
  for (const auto& uid : entry.pods) pods_.at(uid).budgets.erase(name);
  for (const auto& anchor : entry.anchors) {
    const auto asking = space.asking.find(anchor);
    asking->second.erase(name);
    if (asking->second.empty()) space.asking.erase(asking);
  }
  space.unanchored.erase(name);
  entry.pods.clear();
  entry.listed.reset();
  entry.anchors.clear();
}

void BudgetBook::put(const Pod& pod) {
  const auto& uid = pod.meta.uid;
  const auto [place, added] =
      pods_.try_emplace(uid, Known{pod.meta.namespace_name, pod.meta.labels, {}});
  auto& known = place->second;
  if (!added && known.labels == pod.meta.labels) return;
  auto& space = spaces_[known.namespace_name];
  if (!added) leave(space, uid, known);
  known.labels = pod.meta.labels;
  space.pods.insert(uid);
  for (const auto& anchor : anchors_of(known.labels)) {
    space.labelled[anchor].insert(uid);
    const auto asking = space.asking.find(anchor);
    if (asking == space.asking.end()) continue;
    for (const auto& name : asking->second) compare(space.budgets.at(name), name, uid, known);
  }
  for (const auto& name : space.unanchored) compare(space.budgets.at(name), name, uid, known);
}

void BudgetBook::leave(Space& space, const Uid& uid, Known& pod) {
  for (const auto& name : pod.budgets) {
    auto& entry = space.budgets.at(name);
    entry.pods.erase(uid);
    entry.listed.reset();
  }
  pod.budgets.clear();
  for (const auto& anchor : anchors_of(pod.labels)) {
    const auto labelled = space.labelled.find(anchor);
    labelled->second.erase(uid);
    if (labelled->second.empty()) space.labelled.erase(labelled);
  }
  space.pods.erase(uid);
}

void BudgetBook::erase(const Uid& pod) {
  const auto known = pods_.find(pod);
  if (known == pods_.end()) return;
  refused_.erase(pod);
  const auto space = spaces_.find(known->second.namespace_name);
  leave(space->second, pod, known->second);
  if (space->second.empty()) spaces_.erase(space);
  pods_.erase(known);
}

void BudgetBook::refused(const Uid& pod, Time until) {
  refused_[pod] = until;
}

std::vector<planner::DisruptionBudget> BudgetBook::budgets(Time now) {
  std::erase_if(refused_, [&](const auto& entry) { return entry.second <= now; });
  std::vector<planner::DisruptionBudget> found;
  for (auto& [namespace_name, space] : spaces_) {
    for (auto& [name, entry] : space.budgets) {
      if (entry.pods.empty()) continue;
      if (!entry.listed) {
        entry.listed.emplace(std::vector<Uid>(entry.pods.begin(), entry.pods.end()));
      }
      auto full_name = namespace_name;
      full_name += '/';
      full_name += name;
      found.push_back({.name = std::move(full_name),
                       .pods = *entry.listed,
                       .allowed = entry.object.disruptions_allowed});
    }
  }
  if (refused_.empty()) return found;
  std::vector<Uid> refused;
  refused.reserve(refused_.size());
  for (const auto& [uid, until] : refused_) refused.push_back(uid);
  found.push_back({.name = "the API server's refusals", .pods = std::move(refused), .allowed = 0});
  return found;
}

std::optional<Time> BudgetBook::next_change() const {
  const auto first =
      std::ranges::min_element(refused_, {}, [](const auto& entry) { return entry.second; });
  if (first == refused_.end()) return std::nullopt;
  return first->second;
}

}  // namespace dray::engine
