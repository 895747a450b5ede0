#include "app/snapshot/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dray/engine/group_marks.h"
#include "dray/engine/share_wish.h"
#include "dray/engine/unread.h"

namespace dray::app {
namespace {

/// What a name is of: the replacement's first word.
enum class NameOf : std::uint8_t {
  name_space,
  pod,
  claim,
  claim_template,
  group,
  budget,
  account,
  container,
  label_key,
  label_value,
};
constexpr std::array<std::string_view, 10> first_words{
    "namespace", "pod",     "claim",     "template", "group",
    "budget",    "account", "container", "label",    "value"};

/// Labels that rules of dray's read.
constexpr std::array<std::string_view, 16> read_labels{"dray.dev/queue",
                                                       "kai.scheduler/queue",
                                                       engine::kai_subgroup_label,
                                                       engine::kai_task_priority_label,
                                                       engine::kai_preemptibility_label,
                                                       engine::old_coscheduling_min_label,
                                                       engine::replicated_job_label,
                                                       engine::job_index_label,
                                                       engine::job_set_attempt_label,
                                                       engine::completion_index_mark,
                                                       engine::leader_worker_worker_label,
                                                       engine::leader_worker_subgroup_label,
                                                       engine::leader_worker_index_label,
                                                       engine::ray_group_label,
                                                       engine::training_replica_label,
                                                       engine::training_role_label};
/// The same, whose value is a group's name.
constexpr std::array<std::string_view, 6> group_labels{
    engine::coscheduling_label,      engine::old_coscheduling_label, engine::job_set_label,
    engine::leader_worker_set_label, engine::ray_cluster_label,      engine::training_job_label};

bool is_one_of(std::string_view key, std::span<const std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

/// Shows every name of an object to `name`, which may replace it.
class Names {
 public:
  using Visit = std::function<void(NameOf, std::string&)>;
  explicit Names(Visit name) : name_(std::move(name)) {}

  void of(KubeObject& object) {
    meta(meta_of(object), kind_of(object));
    std::visit([this](auto& each) { this->of(each); }, object);
  }

 private:
  static NameOf what(Kind kind) {
    switch (kind) {
      case Kind::pod:
        return NameOf::pod;
      case Kind::resource_claim:
        return NameOf::claim;
      case Kind::resource_claim_template:
        return NameOf::claim_template;
      case Kind::pod_disruption_budget:
        return NameOf::budget;
      default:
        return NameOf::group;
    }
  }

  void meta(ObjectMeta& meta, Kind kind) {
    name_(NameOf::name_space, meta.namespace_name);
    if (kind == Kind::name_space) name_(NameOf::name_space, meta.name);
    if (kind_info(kind).namespaced) name_(what(kind), meta.name);
    for (auto& owner : meta.owners) {
      const auto known = find_kind(group_of(owner.api_version), owner.kind);
      if (!known || kind_info(*known).namespaced) {
        name_(known ? what(*known) : NameOf::group, owner.name);
      }
    }
    if (kind == Kind::pod) {
      labels(meta.labels);
    } else if (kind != Kind::node) {
      // Owners of pods name their queue.
      std::erase_if(meta.labels,
                    [](const auto& entry) { return !is_one_of(entry.first, read_labels); });
    }
  }

  static std::string_view group_of(std::string_view api_version) {
    const auto slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  }

  void label(std::string& key, std::string& value) {
    if (is_one_of(key, read_labels)) return;
    if (is_one_of(key, group_labels)) return name_(NameOf::group, value);
    name_(NameOf::label_key, key);
    name_(NameOf::label_value, value);
  }
  void labels(Labels& labels) {
    Labels renamed;
    for (const auto& [key, value] : labels) {
      std::pair entry(key, value);
      label(entry.first, entry.second);
      renamed.insert(std::move(entry));
    }
    labels = std::move(renamed);
  }

  void of(Pod& pod) {
    name_(NameOf::account, pod.service_account);
    for (auto* containers : {&pod.init_containers, &pod.containers}) {
      for (auto& container : *containers) name_(NameOf::container, container.name);
    }
    for (auto& entry : pod.resource_claims) entry_names(entry);
    for (auto& status : pod.resource_claim_statuses) optional(NameOf::claim, status.claim_name);
    optional(NameOf::claim, pod.extended_resource_claim);
    for (auto& each : pod.node_allocatable_claims) {
      name_(NameOf::claim, each.claim);
      for (auto& container : each.containers) name_(NameOf::container, container);
    }
    optional(NameOf::group, pod.pod_group);
    for (const auto* key : {engine::kai_group_annotation, engine::volcano_annotation}) {
      mark(pod.meta.annotations, key, NameOf::group);
    }
    mark(pod.meta.annotations, engine::fraction_container_annotation, NameOf::container);
    moved_requests(pod.meta.annotations);
    for (auto& condition : pod.conditions) silence(condition);
  }
  void mark(Labels& annotations, const char* key, NameOf what) {
    const auto found = annotations.find(key);
    if (found != annotations.end()) name_(what, found->second);
  }
  /// `container amounts; container amounts`.
  void moved_requests(Labels& annotations) {
    const auto found = annotations.find(engine::moved_requests_annotation);
    if (found == annotations.end()) return;
    std::string renamed;
    for (const auto each : std::views::split(found->second, ';')) {
      std::string_view part(each);
      part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
      std::string container(part.substr(0, part.find(' ')));
      part.remove_prefix(container.size());
      name_(NameOf::container, container);
      renamed += (renamed.empty() ? "" : "; ") + container + std::string(part);
    }
    found->second = renamed;
  }
  /// Whose word it was decides what kube-scheduler's verdict means (pod_marks.h).
  static void silence(Condition& condition) {
    condition.message = condition.message.contains("dray: ") ? "dray: redacted" : "";
  }

  void of(ResourceClaim& claim) {
    for (auto& user : claim.reserved_for) {
      name_(user.resource == "pods" ? NameOf::pod : NameOf::group, user.name);
    }
    for (auto& status : claim.device_statuses) {
      for (auto& condition : status.conditions) silence(condition);
    }
    if (!claim.spec.unreadable.empty()) claim.spec.unreadable = "redacted";
  }
  static void of(ResourceClaimTemplate& made_from) { made_from.claim_labels.clear(); }
  void of(PodDisruptionBudget& budget) {
    if (!budget.selector) return;
    labels(budget.selector->match_labels);
    for (auto& each : budget.selector->match_expressions) {
      std::string key = each.key;
      for (auto& value : each.values) label(key = each.key, value);
      if (each.values.empty()) {
        std::string none;
        label(key, none);
      }
      each.key = key;
    }
  }
  void of(PodGroup& group) {
    for (auto& entry : group.claims) entry_names(entry);
    for (auto& status : group.claim_statuses) optional(NameOf::claim, status.claim_name);
  }
  void of(KubeWorkload& workload) { name_(NameOf::group, workload.controller_name); }
  template <class T>
  static void of(T& /*other*/) {}  // says nothing of who works on what

  void entry_names(PodResourceClaim& entry) {
    optional(NameOf::claim, entry.claim_name);
    optional(NameOf::claim_template, entry.template_name);
  }
  void optional(NameOf what, std::optional<std::string>& name) {
    if (name) name_(what, *name);
  }

  Visit name_;
};

}  // namespace

void redact(std::vector<KubeObject>& objects) {
  std::map<std::pair<NameOf, std::string>, std::string> replacements;
  const auto visit = [&objects](const Names::Visit& name) {
    Names names(name);
    for (auto& object : objects) names.of(object);
  };
  for (auto& object : objects) engine::drop_unread(object);
  visit([&](NameOf what, const std::string& name) {
    if (!name.empty()) replacements.try_emplace({what, name});
  });
  std::map<NameOf, std::size_t> counts;
  for (const auto& [name, replacement] : replacements) ++counts[name.first];
  std::map<NameOf, std::size_t> ranks;
  for (auto& [name, replacement] : replacements) {
    const auto what = name.first;
    replacement = fmt::format("{}-{:0{}}", first_words.at(static_cast<std::size_t>(what)),
                              ++ranks[what], std::to_string(counts[what]).size());
  }
  visit([&](NameOf what, std::string& name) {
    if (!name.empty()) name = replacements.at({what, name});
  });
}

}  // namespace dray::app
