#include "app/doctor/stranded.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "dray/engine/share_wish.h"
#include "dray/model/pod_marks.h"

namespace dray::app {

bool waits_for_share(const Pod& pod) {
  return engine::has_share_entry(pod) &&
         std::ranges::none_of(pod.resource_claim_statuses, [](const PodResourceClaimStatus& made) {
           return made.name == engine::share_entry;
         });
}

namespace {

class StrandedSearch {
 public:
  StrandedSearch(const std::vector<KubeObject>& objects, const OwnContext& context)
      : context_(context), own_(objects, context) {}

  void pod(const KubeObject& object, const Pod& pod) {
    if (pod.finished() || pod.meta.deleted || !own_.has(pod)) return;
    const bool gated = gated_by(pod, context_.gate);
    if (gated) {
      add(StrandedKind::gated_pod, describe(object),
          fmt::format("waits behind the gate {}", context_.gate));
    }
    const bool ours = pod.scheduler_name == context_.scheduler_name;
    if (ours && !pod.node_name) {
      if (!gated) {
        add(StrandedKind::waiting_pod, describe(object),
            fmt::format("waits for a scheduler called {}", context_.scheduler_name));
      }
      if (waits_for_share(pod)) {
        add(StrandedKind::share_pod, describe(object),
            "waits for its part of a device: dray makes the claim, nobody else does");
      }
      unbound_[pod.meta.uid] = describe(object);
    }
    if (pod.meta.annotations.contains(reservation_annotation) && !pod.node_name) {
      add(StrandedKind::reserved_pod, describe(object),
          fmt::format("is marked as reserved on {}",
                      pod.meta.annotations.find(reservation_annotation)->second));
    }
  }

  void claim(const KubeObject& object, const ResourceClaim& claim) {
    if (!own_.has(claim)) return;
    for (const auto& [key, value] : claim.meta.annotations) {
      if (!is_drays_mark(key)) continue;
      add(StrandedKind::marked_claim, describe(object), fmt::format("has the annotation {}", key));
    }
    if (!claim.allocation) return;
    for (const auto& user : claim.reserved_for) {
      const auto pod = unbound_.find(user.uid);
      if (pod == unbound_.end()) continue;
      add(StrandedKind::half_bound, describe(object),
          fmt::format("has devices for {}, which has no node yet", pod->second));
    }
  }

  std::vector<Stranded> take() && {
    std::ranges::stable_sort(found_, {},
                             [](const Stranded& each) { return std::tie(each.kind, each.object); });
    return std::move(found_);
  }

 private:
  void add(StrandedKind kind, std::string object, std::string what) {
    found_.push_back({kind, std::move(object), std::move(what)});
  }

  const OwnContext& context_;
  OwnObjects own_;
  std::map<Uid, std::string> unbound_;
  std::vector<Stranded> found_;
};

}  // namespace

std::string_view stranded_name(StrandedKind kind) {
  switch (kind) {
    case StrandedKind::gated_pod:
      return "gated-pod";
    case StrandedKind::waiting_pod:
      return "waiting-pod";
    case StrandedKind::share_pod:
      return "share-pod";
    case StrandedKind::reserved_pod:
      return "reserved-pod";
    case StrandedKind::marked_claim:
      return "marked-claim";
    case StrandedKind::half_bound:
      return "half-bound-claim";
    case StrandedKind::policy:
      return "policy";
  }
  return "";
}

bool is_drays_mark(std::string_view annotation) {
  return annotation.starts_with("dray.dev/") && annotation != "dray.dev/queue";
}

std::vector<Stranded> stranded_objects(const std::vector<KubeObject>& objects,
                                       const OwnContext& context) {
  StrandedSearch search(objects, context);
  for (const auto& object : objects) {
    if (const auto* pod = std::get_if<Pod>(&object)) search.pod(object, *pod);
  }
  for (const auto& object : objects) {
    if (const auto* claim = std::get_if<ResourceClaim>(&object)) search.claim(object, *claim);
  }
  return std::move(search).take();
}

std::vector<Stranded> stranded_policies(const std::vector<Installed>& there) {
  std::vector<Stranded> found;
  found.reserve(there.size());
  for (const auto& object : there) {
    found.push_back({StrandedKind::policy, object.describe(),
                     object.is_binding() ? "makes its policy act" : "acts while it has a binding"});
  }
  return found;
}

}  // namespace dray::app
