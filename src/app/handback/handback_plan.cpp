#include "app/handback/handback_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/doctor/runtime_check.h"
#include "app/doctor/stranded.h"
#include "dray/model/pod_marks.h"
#include "kube/api_path.h"
#include "wire/json/json_writer.h"
#include "wire/requests.h"

namespace dray::app {
namespace {

HandbackStep patch_step(std::string doing, const KubeObject& object, std::string path,
                        std::string body) {
  return {.doing = std::move(doing),
          .object = describe(object),
          .method = "PATCH",
          .path = std::move(path),
          .body = std::move(body),
          .content_type = std::string(wire::strategic_merge_patch)};
}

bool has_marks(const ObjectMeta& meta) {
  return std::ranges::any_of(meta.annotations,
                             [](const auto& mark) { return is_drays_mark(mark.first); });
}

/// `"metadata":{"uid":…,"annotations":{MARK:null,…}}`: of this very object, without dray's marks.
void write_unmarked(wire::JsonWriter& out, const ObjectMeta& meta) {
  out.key("metadata");
  out.begin_object();
  out.key("uid");
  out.string(meta.uid.get());
  if (has_marks(meta)) {
    out.key("annotations");
    out.begin_object();
    for (const auto& [mark, value] : meta.annotations) {
      if (!is_drays_mark(mark)) continue;
      out.key(mark);
      out.null();
    }
    out.end_object();
  }
  out.end_object();
}

/// `KEY:[{"$patch":"delete",FIELD:VALUE}]` in an object called `parent`.
void write_without(wire::JsonWriter& out, std::string_view parent, std::string_view list,
                   std::string_view field, std::string_view value) {
  out.key(parent);
  out.begin_object();
  out.key(list);
  out.begin_list();
  out.begin_object();
  out.key("$patch");
  out.string("delete");
  out.key(field);
  out.string(value);
  out.end_object();
  out.end_list();
  out.end_object();
}

void pod_steps(const KubeObject& object, const Pod& pod, const OwnContext& context,
               std::vector<HandbackStep>& steps) {
  if (pod.finished() || waits_for_share(pod)) return;
  const auto path = kube::object_path(Kind::pod, "v1", pod.meta.namespace_name, pod.meta.name);
  const bool said = std::ranges::any_of(
      pod.conditions, [](const Condition& each) { return each.type == admitted_condition; });
  if (said) {
    wire::JsonWriter out;
    out.begin_object();
    out.key("metadata");
    out.begin_object();
    out.key("uid");
    out.string(pod.meta.uid.get());
    out.end_object();
    write_without(out, "status", "conditions", "type", admitted_condition);
    out.end_object();
    steps.push_back(patch_step("unmark", object, path + "/status", std::move(out).take()));
  }
  const bool gated = gated_by(pod, context.gate);
  if (!gated && !has_marks(pod.meta)) return;
  wire::JsonWriter out;
  out.begin_object();
  write_unmarked(out, pod.meta);
  if (gated) write_without(out, "spec", "schedulingGates", "name", context.gate);
  out.end_object();
  steps.push_back(patch_step(gated ? "lift" : "unmark", object, path, std::move(out).take()));
}

}  // namespace

std::vector<HandbackStep> policy_steps(const std::vector<Installed>& manifests) {
  std::vector<HandbackStep> steps;
  for (const bool bindings : {true, false}) {
    for (const auto& object : manifests) {
      if (!object.is_admission() || object.is_binding() != bindings) continue;
      steps.push_back({.doing = "delete",
                       .object = object.describe(),
                       .method = "DELETE",
                       .path = object.path(),
                       .body = "",
                       .content_type = ""});
    }
  }
  return steps;
}

std::vector<HandbackStep> object_steps(const std::vector<KubeObject>& objects,
                                       const OwnContext& context) {
  const OwnObjects own(objects, context);
  std::vector<HandbackStep> steps;
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod != nullptr && own.has(*pod)) pod_steps(object, *pod, context, steps);
    const auto* claim = std::get_if<ResourceClaim>(&object);
    if (claim == nullptr || !has_marks(claim->meta) || !own.has(*claim)) continue;
    wire::JsonWriter out;
    out.begin_object();
    write_unmarked(out, claim->meta);
    out.end_object();
    steps.push_back(patch_step(
        "unmark", object,
        kube::object_path(Kind::resource_claim, "v1", claim->meta.namespace_name, claim->meta.name),
        std::move(out).take()));
  }
  return steps;
}

std::vector<std::string> left_behind(const std::vector<KubeObject>& objects,
                                     const OwnContext& context) {
  const OwnObjects own(objects, context);
  std::vector<std::string> left;
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || !own.has(*pod)) continue;
    if (pod->finished() || pod->node_name || !waits_for_share(*pod)) continue;
    if (gated_by(*pod, context.gate)) left.push_back(describe(object));
  }
  return left;
}

std::optional<std::string> live_leader(const std::vector<Lease>& leases, const Installation& where,
                                       Time now) {
  for (const auto& lease : leases) {
    if (lease.meta.namespace_name != where.namespace_name) continue;
    if (lease.meta.name != where.lease) continue;
    if (is_held(lease, now)) return lease.holder;
  }
  return std::nullopt;
}

std::vector<std::string> policies_that_refuse(const Tree& policies,
                                              const std::vector<Installed>& own,
                                              const std::string& account) {
  std::vector<std::string> refusing;
  for (const auto& policy : items_at(policies, {"items"})) {
    const auto name = text_at(policy, {"metadata", "name"});
    if (!name.starts_with("dray-pod-marks") && !name.starts_with("dray-claim-marks")) continue;
    const bool ours = std::ranges::any_of(own, [&](const Installed& object) {
      return object.kind == "ValidatingAdmissionPolicy" && object.name == name;
    });
    if (!ours && !names_account(policy, account)) refusing.push_back(name);
  }
  return refusing;
}

}  // namespace dray::app
