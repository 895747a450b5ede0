#include "dray/sim/owned_pods.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "dray/engine/group_marks.h"
#include "sim/pod_makers.h"
#include "sim/pod_steps.h"

namespace dray::sim {
namespace {

/// Labels of pods that have their owner's name.
constexpr const char* name_labels[] = {engine::job_set_label, engine::leader_worker_set_label,
                                       engine::ray_cluster_label, engine::training_job_label};

/// Owners whose pods are among the objects, by what the pods and what owns them say.
class Served {
 public:
  Served(const std::vector<KubeObject>& objects, std::span<const PodOwner> owners) {
    for (const auto& object : objects) {
      if (const auto* pod = std::get_if<Pod>(&object)) note(*pod);
    }
    // A Deployment's ReplicaSet names it; what owns what is as deep as a CronJob, a Job and a pod.
    for (int depth = 0; depth < 2; ++depth) {
      for (const auto& owner : owners) note_owners_of(owner.kind, owner.meta);
      for (const auto& object : objects) {
        note_owners_of(kind_info(kind_of(object)).name, meta_of(object));
      }
    }
  }
  [[nodiscard]] bool contains(const PodOwner& owner) const {
    const auto& meta = owner.meta;
    return owners_.contains({owner.kind, meta.namespace_name, meta.name}) ||
           (owner.form != PodOwnerForm::job && owner.form != PodOwnerForm::replicas &&
            names_.contains({meta.namespace_name, meta.name}));
  }

 private:
  void note(const Pod& pod) {
    const auto& space = pod.meta.namespace_name;
    for (const auto& by : pod.meta.owners) owners_.emplace(by.kind, space, by.name);
    for (const auto* key : name_labels) {
      const auto label = pod.meta.labels.find(key);
      if (label != pod.meta.labels.end()) names_.emplace(space, label->second);
    }
  }
  void note_owners_of(std::string_view kind, const ObjectMeta& meta) {
    if (!owners_.contains({std::string(kind), meta.namespace_name, meta.name})) return;
    for (const auto& by : meta.owners) owners_.emplace(by.kind, meta.namespace_name, by.name);
  }

  std::set<std::tuple<std::string, std::string, std::string>> owners_;  // kind, namespace, name
  std::set<std::pair<std::string, std::string>> names_;
};

std::string name_of(const PodOwner& owner) {
  return fmt::format("{}: {} {}/{}", owner.place, owner.kind, owner.meta.namespace_name,
                     owner.meta.name);
}

/// Owners for which nothing is made, though they ask for pods; and what is assumed of others.
struct LeftOut {
  const PodOwner* known = nullptr;  ///< the first of those of a cluster
  std::size_t more_known = 0;
  std::vector<std::string> told;

  /// Whether it is one of them.
  bool take(const PodOwner& owner) {
    if (!owner.meta.uid.get().empty()) {
      if (std::exchange(known, known == nullptr ? &owner : known) != nullptr) ++more_known;
      return true;
    }
    if (!owner.suspended) return false;
    told.push_back(name_of(owner) +
                   ": it is suspended, and no pods are made for it (spec.suspend)");
    return true;
  }

  [[nodiscard]] std::vector<std::string> all() && {
    if (known == nullptr) return std::move(told);
    const auto others = more_known == 0 ? "" : fmt::format(", as {} others,", more_known);
    told.push_back(fmt::format(
        "{}: it has a uid{} so it was read from a cluster, and no pods are made beside those that "
        "it has there: without metadata.uid it is taken as new",
        name_of(*known), others.empty() ? "," : others));
    return std::move(told);
  }
};

/// The owner's own object, where dray knows its kind, gets the uid that its pods name.
void name_itself(KubeObject& object, const PodOwner& owner) {
  if (kind_info(kind_of(object)).name != owner.kind) return;
  auto& meta = meta_of(object);
  if (meta.namespace_name == owner.meta.namespace_name && meta.name == owner.meta.name) {
    meta.uid = uid_of(owner.kind, meta);
  }
}

}  // namespace

Result<std::vector<std::string>> add_owned_pods(std::vector<KubeObject>& objects,
                                                std::span<const PodOwner> owners,
                                                const OwnedPodsOptions& options) {
  const Served served(objects, owners);
  LeftOut left_out;
  std::vector<KubeObject> all;
  auto whole = static_cast<std::int64_t>(objects.size());
  auto next = objects.begin();
  for (const auto& owner : owners) {
    const auto pods = count_pods(owner, options.later);
    if (pods == 0 || served.contains(owner)) continue;
    if (left_out.take(owner)) continue;
    whole += pods;
    if (whole > static_cast<std::int64_t>(options.most)) {
      return fail(ErrorCode::invalid,
                  fmt::format("{}: with its {} pods there are more than {} objects", name_of(owner),
                              pods, options.most));
    }
    const auto behind = objects.begin() + static_cast<std::ptrdiff_t>(owner.position);
    if (behind != objects.begin()) name_itself(*std::prev(behind), owner);
    all.insert(all.end(), std::move_iterator(next), std::move_iterator(behind));
    next = behind;
    if (auto note = options.later ? assumed_ends(owner) : std::string(); !note.empty()) {
      left_out.told.push_back(name_of(owner) + ": " + note);
    }
    auto made = make_pods(owner, options.later);
    all.insert(all.end(), std::move_iterator(made.begin()), std::move_iterator(made.end()));
  }
  all.insert(all.end(), std::move_iterator(next), std::move_iterator(objects.end()));
  objects = std::move(all);
  return std::move(left_out).all();
}

}  // namespace dray::sim
