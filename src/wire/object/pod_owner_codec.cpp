#include "wire/object/pod_owner_codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

using sim::PodOwner;
using sim::PodOwnerForm;
using sim::PodSet;

/// A number of pods.
void count(FieldReader& io, std::string_view name, std::optional<std::int32_t>& out) {
  if (io.member().key() != name) return;
  io.field(name, out);
  if (out.value_or(0) < 0) io.member().fail("must not be negative");
}

/// What stands in a Job's spec.
void read_job(FieldReader& io, PodSet& job) {
  count(io, "parallelism", job.parallelism);
  count(io, "completions", job.completions);
  io.field("completionMode", job.completion_mode);
  io.field("template", job.pod);
}

void read_job_template(FieldReader& io, std::string_view name, PodSet& job) {
  io.object(name, [&](auto& made) {
    made.object("metadata", [&](auto& meta) { meta.field("annotations", job.annotations); });
    made.object("spec", [&](auto& spec) { read_job(spec, job); });
  });
}

void read_job_set(FieldReader& io, PodOwner& owner) {
  io.field("suspend", owner.suspended);
  io.object("startupPolicy",
            [&](auto& policy) { policy.field("startupPolicyOrder", owner.order); });
  io.items("replicatedJobs", owner.templates, [](auto& item, auto& job) {
    item.field("name", job.name);
    count(item, "replicas", job.replicas);
    item.items("dependsOn", job.depends_on, [](auto& on, auto& dependency) {
      on.field("name", dependency.name);
      on.field("status", dependency.status);
    });
    read_job_template(item, "template", job);
  });
}

void read_groups(FieldReader& io, PodOwner& owner) {
  auto& worker = owner.templates.back();
  count(io, "replicas", worker.replicas);
  io.field("startupPolicy", owner.order);
  io.object("leaderWorkerTemplate", [&](auto& group) {
    count(group, "size", worker.size);
    group.field("leaderTemplate", owner.templates.front().pod);
    group.field("workerTemplate", worker.pod);
  });
}

void read_worker_group(FieldReader& io, PodSet& group) {
  io.field("groupName", group.name);
  count(io, "replicas", group.replicas);
  count(io, "minReplicas", group.least);
  count(io, "maxReplicas", group.most);
  count(io, "numOfHosts", group.size);
  io.field("suspend", group.suspended);
  io.field("template", group.pod);
}

void read_ray(FieldReader& io, PodOwner& owner) {
  io.field("suspend", owner.suspended);
  io.field("enableInTreeAutoscaling", owner.autoscaling);
  io.object("headGroupSpec",
            [&](auto& head) { head.field("template", owner.templates.front().pod); });
  if (io.member().key() != "workerGroupSpecs") return;
  io.member().items([&](const Reader& item) {
    auto& group = owner.templates.emplace_back();
    item.fields([&](auto& member) { read_worker_group(member, group); });
  });
}

void read_training(FieldReader& io, PodOwner& owner) {
  io.object("runPolicy", [&](auto& policy) { policy.field("suspend", owner.suspended); });
  io.field("launcherCreationPolicy", owner.order);
  if (!io.member().key().ends_with("ReplicaSpecs")) return;
  io.member().members([&](const Reader& entry) {
    auto& set = owner.templates.emplace_back();
    set.name = std::string(entry.key());
    entry.fields([&](auto& member) {
      count(member, "replicas", set.replicas);
      member.field("template", set.pod);
    });
  });
}

void read_spec(FieldReader& io, PodOwner& owner) {
  switch (owner.form) {
    case PodOwnerForm::replicas:
      count(io, "replicas", owner.templates.front().replicas);
      io.field("podManagementPolicy", owner.order);
      return io.field("template", owner.templates.front().pod);
    case PodOwnerForm::job:
      io.field("suspend", owner.suspended);
      return read_job(io, owner.templates.front());
    case PodOwnerForm::cron_job:
      io.field("suspend", owner.suspended);
      return read_job_template(io, "jobTemplate", owner.templates.front());
    case PodOwnerForm::job_set:
      return read_job_set(io, owner);
    case PodOwnerForm::leader_worker_set:
      return read_groups(io, owner);
    case PodOwnerForm::ray_cluster:
      return read_ray(io, owner);
    case PodOwnerForm::ray_user:
      io.field("suspend", owner.suspended);
      for (const auto* name : {"rayClusterSpec", "rayClusterConfig"}) {
        io.object(name, [&](auto& spec) { read_ray(spec, owner); });
      }
      return;
    case PodOwnerForm::training:
      return read_training(io, owner);
  }
}

/// What the reading expects to be there: the only template, or those that have a place.
std::size_t places(PodOwnerForm form) {
  if (form == PodOwnerForm::job_set || form == PodOwnerForm::training) return 0;
  return form == PodOwnerForm::leader_worker_set ? 2 : 1;
}

using Json = nlohmann::ordered_json;

// NOLINTNEXTLINE(misc-no-recursion): as deep as the reader of the document allows
bool holds_pod(const Json& value) {
  if (!value.is_structured()) return false;
  if (value.is_object()) {
    const auto spec = value.find("spec");
    if (spec != value.end() && spec->is_object() && spec->contains("containers")) return true;
  }
  return std::ranges::any_of(value, [](const Json& below) { return holds_pod(below); });
}

}  // namespace

std::optional<sim::PodOwnerKind> find_pod_owner(std::string_view api_version,
                                                std::string_view kind) {
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto group = api_version.substr(0, slash);
  for (const auto& known : sim::pod_owner_kinds) {
    if (known.group == group && known.name == kind) return known;
  }
  return std::nullopt;
}

PodOwner read_pod_owner(const Reader& in, const sim::PodOwnerKind& kind, std::string api_version) {
  PodOwner owner;
  owner.form = kind.form;
  owner.kind = kind.name;
  owner.api_version = std::move(api_version);
  owner.templates.resize(places(kind.form));
  in.fields([&](auto& io) {
    io.required("metadata", owner.meta);
    io.object("spec", [&](auto& spec) { read_spec(spec, owner); });
  });
  if (owner.meta.namespace_name.empty()) owner.meta.namespace_name = "default";
  for (auto& set : owner.templates) {
    // JobSet's own default.
    if (kind.form == PodOwnerForm::job_set && set.completion_mode.empty()) {
      set.completion_mode = "Indexed";
    }
    if (set.pod) set.pod->meta.namespace_name = owner.meta.namespace_name;
  }
  return owner;
}

bool has_pod_template(std::string_view object) {
  const auto json = Json::parse(object, nullptr, false);
  if (!json.is_object()) return false;
  const auto spec = json.find("spec");
  return spec != json.end() && spec->is_object() && holds_pod(*spec);
}

std::string known_pod_owners() {
  std::string names;
  for (const auto& kind : sim::pod_owner_kinds) {
    if (!names.empty()) names += ", ";
    names += kind.name;
  }
  return names;
}

}  // namespace dray::wire
