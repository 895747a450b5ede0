#include "app/doctor/installation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace dray::app {
namespace {

constexpr std::string_view first_namespace = "dray-system";
constexpr std::string_view first_lease = "dray";
constexpr std::string_view by_scheduler = R"(object.spec.schedulerName == "dray-scheduler)";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto place = text.find(from); place != std::string::npos;
       place = text.find(from, place + to.size())) {
    text.replace(place, from.size(), to);
  }
}

/// Every text below it.
template <class F>
void each_text(Tree& tree, const F& change) {
  if (tree.kind == Tree::Kind::scalar) change(tree.text);
  for (auto& item : tree.items) each_text(item, change);
  for (auto& member : tree.members) each_text(member.value, change);
}

Tree* member_of(Tree* tree, std::string_view key) {
  if (tree == nullptr) return nullptr;
  const auto found = std::ranges::find(tree->members, key, &Tree::Member::key);
  return found == tree->members.end() ? nullptr : &found->value;
}

void rename(const Installation& where, Tree* name) {
  if (name == nullptr || name->text == first_namespace) return;
  if (name->text.starts_with("dray")) name->text = where.named(name->text);
}

/// Names of what no namespace keeps apart, where it is made and where it is referred to.
void rename_parts(const Installation& where, Tree& object) {
  auto* meta = member_of(&object, "metadata");
  const auto* space = member_of(meta, "namespace");
  if (space == nullptr || space->text != first_namespace) rename(where, member_of(meta, "name"));
  auto* role = member_of(&object, "roleRef");
  const auto* kind = member_of(role, "kind");
  if (kind != nullptr && kind->text == "ClusterRole") rename(where, member_of(role, "name"));
  auto* spec = member_of(&object, "spec");
  rename(where, member_of(spec, "policyName"));
  rename(where, member_of(member_of(spec, "priorityLevelConfiguration"), "name"));
}

/// The Lease itself, and where its name and those of the standbys' Leases stand: in the Role's
/// rule, and where the fence is bound.
void rename_lease(const Installation& where, Tree& object) {
  const auto change = [&](Tree* name) {
    if (name == nullptr) return;
    const bool standbys = name->text.starts_with("dray-standby-");
    if (name->text == first_lease || standbys) {
      name->text.replace(0, first_lease.size(), where.lease);
    }
  };
  const auto* kind = member_of(&object, "kind");
  if (kind == nullptr) return;
  if (kind->text == "Lease") change(member_of(member_of(&object, "metadata"), "name"));
  if (kind->text == "ValidatingAdmissionPolicyBinding") {
    change(member_of(member_of(member_of(&object, "spec"), "paramRef"), "name"));
  }
  auto* rules = kind->text == "Role" ? member_of(&object, "rules") : nullptr;
  if (rules == nullptr) return;
  for (auto& rule : rules->items) {
    if (auto* names = member_of(&rule, "resourceNames")) {
      for (auto& name : names->items) change(&name);
    }
  }
}

}  // namespace

std::string Installation::named(const std::string& name) const {
  return partition.empty() ? name : name + "-" + partition;
}

std::string Installation::account() const {
  return fmt::format("system:serviceaccount:{}:dray", namespace_name);
}

std::string Installation::describe(const std::string& kind, const std::string& name) const {
  return fmt::format("{} {}/{}", kind, namespace_name, name);
}

Installation installation_of(std::string partition, std::string namespace_name, std::string lease) {
  Installation where;
  where.partition = std::move(partition);
  if (!where.partition.empty()) where.namespace_name = where.named("dray");
  if (!namespace_name.empty()) where.namespace_name = std::move(namespace_name);
  if (!lease.empty()) where.lease = std::move(lease);
  return where;
}

std::vector<std::string> schedulers_of(const std::vector<OtherDray>& others) {
  std::vector<std::string> schedulers;
  for (const auto& other : others) {
    schedulers.insert(schedulers.end(), other.schedulers.begin(), other.schedulers.end());
  }
  return schedulers;
}

Tree object_of(const Installation& where, Tree object) {
  if (where.lease != first_lease) rename_lease(where, object);
  if (!where.partition.empty()) rename_parts(where, object);
  const auto ours = where.named(std::string(by_scheduler));
  each_text(object, [&](std::string& text) {
    replace_all(text, first_namespace, where.namespace_name);
    if (!where.partition.empty()) replace_all(text, by_scheduler, ours);
  });
  return object;
}

Tree without_accounts(Tree object, const std::vector<OtherDray>& others) {
  each_text(object, [&](std::string& text) {
    for (const auto& other : others) {
      const auto quoted = '"' + other.where.account() + '"';
      replace_all(text, ", " + quoted, "");
      replace_all(text, quoted + ", ", "");
    }
  });
  return object;
}

bool names_account(const Tree& object, const std::string& account) {
  bool named = false;
  auto copy = object;
  each_text(copy, [&](std::string& text) { named = named || text.contains('"' + account + '"'); });
  return named;
}

}  // namespace dray::app
