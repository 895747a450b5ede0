#include "dray/engine/pod_groups.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "dray/engine/group_marks.h"
#include "dray/engine/pod_queue.h"
#include "engine/books/group_book.h"
#include "engine/books/pod_mentions.h"

namespace dray::engine {
namespace {

using Name = std::pair<std::string, std::string>;  // namespace and name

std::int32_t minimum_of(const policy::SubGroup& group) {
  std::int32_t sum = 0;
  for (const auto& set : group.pod_sets) sum += std::max(set.min_member, 1);
  for (const auto& sub : group.sub_groups) sum += minimum_of(sub);
  return sum;
}

const OwnerReference* controlling_owner(const Pod& pod) {
  const auto owner = std::ranges::find(pod.meta.owners, true, &OwnerReference::controller);
  return owner == pod.meta.owners.end() ? nullptr : &*owner;
}

}  // namespace

struct PodGroups::State {
  GroupBook book;
  std::map<Name, std::string> kueue_queues;  ///< of owners
  std::map<Name, BatchJob> kueue_jobs;

  [[nodiscard]] std::string queue_of_owner(const std::string& space,
                                           const std::string& name) const {
    const auto found = kueue_queues.find({space, name});
    return found == kueue_queues.end() ? "" : found->second;
  }
  [[nodiscard]] std::optional<PodGroupFacts> kueue_group(const Pod& pod) const {
    const auto& space = pod.meta.namespace_name;
    if (auto name = mark(pod.meta.labels, kueue_group_label); !name.empty()) {
      return PodGroupFacts{"kueue/" + name,
                           mark(pod.meta.labels, kueue_queue_label),
                           std::numeric_limits<std::int32_t>::max(),
                           {}};
    }
    const auto* owner = controlling_owner(pod);
    const auto job = owner == nullptr ? kueue_jobs.end() : kueue_jobs.find({space, owner->name});
    if (job == kueue_jobs.end() || owner->kind != "Job") return std::nullopt;
    return PodGroupFacts{owner->name, queue_of_owner(space, owner->name),
                         job->second.parallelism.value_or(1), job->second.meta.created};
  }
};

PodGroups::PodGroups() : state_(std::make_unique<State>()) {}
PodGroups::~PodGroups() = default;

void PodGroups::observe(const KubeObject& object) {
  (void)state_->book.observe(object);
  if (std::holds_alternative<Pod>(object)) return;
  const auto& meta = meta_of(object);
  auto queue = mark(meta.labels, kueue_queue_label);
  if (queue.empty()) return;
  state_->kueue_queues[{meta.namespace_name, meta.name}] = std::move(queue);
  if (const auto* job = std::get_if<BatchJob>(&object)) {
    state_->kueue_jobs[{meta.namespace_name, meta.name}] = *job;
  }
}

void PodGroups::forget(Kind kind, const std::string& namespace_name, const std::string& name) {
  (void)state_->book.forget(kind, namespace_name, name);
  if (kind == Kind::pod) return;
  state_->kueue_queues.erase({namespace_name, name});
  if (kind == Kind::batch_job) state_->kueue_jobs.erase({namespace_name, name});
}

std::optional<PodGroupFacts> PodGroups::group_of(const Pod& pod) const {
  const auto key = state_->book.key_of(pod);
  if (!key.is_group()) return state_->kueue_group(pod);
  const auto form = state_->book.form_of(key, pod);
  if (!form) return std::nullopt;
  PodGroupFacts facts{key.part.empty() ? key.name : key.name + "/" + key.part,
                      form->queue,
                      std::max(minimum_of(form->root), 1),
                      {}};
  const auto by_kueue = state_->queue_of_owner(pod.meta.namespace_name, key.name);
  if (by_kueue.empty()) return facts;
  if (facts.queue.empty()) facts.queue = by_kueue;
  facts.waiting_since = form->created;
  return facts;
}

std::string PodGroups::queue_of(const Pod& pod) const {
  if (const auto group = group_of(pod); group && !group->queue.empty()) return group->queue;
  static const policy::PodQueues usual;
  if (auto queue = engine::queue_of(usual, pod); !queue.empty()) return queue;
  if (auto queue = mark(pod.meta.labels, kueue_queue_label); !queue.empty()) return queue;
  return pod.meta.namespace_name;
}

}  // namespace dray::engine
