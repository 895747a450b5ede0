#include "wire/object/codecs.h"

// Groups of pods of other projects than KAI.

namespace dray::wire {
namespace {

/// What a PodGroup and its template say alike.
template <class Io, class T>
void describe_start(Io& io, T& group) {
  io.object("schedulingPolicy", [&](auto& policy) {
    if constexpr (Io::reading) {
      policy.object("gang", [&](auto& gang) { gang.field("minCount", group.min_count); });
    } else if (group.min_count) {
      policy.object("gang", [&](auto& gang) { gang.field("minCount", group.min_count); });
    } else {
      policy.object("basic", [](auto&) {});
    }
  });
  if (Io::reading || !group.topology.empty()) {
    io.object("schedulingConstraints", [&](auto& constraints) {
      constraints.items("topology", group.topology,
                        [](auto& item, auto& key) { item.required("key", key); });
    });
  }
}

template <class Io, Like<PodGroup> T>
void describe_spec(Io& io, T& group) {
  describe_start(io, group);
  io.items("resourceClaims", group.claims, [](auto& item, auto& claim) {
    item.required("name", claim.name);
    item.field("resourceClaimName", claim.claim_name);
    item.field("resourceClaimTemplateName", claim.template_name);
  });
  io.field("priorityClassName", group.priority_class);
  io.field("priority", group.priority);
}

template <class Io, Like<PodGroup> T>
void describe(Io& io, T& group) {
  type_fields(io, group);
  io.required("metadata", group.meta);
  io.object("spec", [&](auto& spec) { describe_spec(spec, group); });
  if (Io::reading || !group.claim_statuses.empty()) {
    io.object("status", [&](auto& status) {
      status.items("resourceClaimStatuses", group.claim_statuses, [](auto& item, auto& claim) {
        item.required("name", claim.name);
        item.field("resourceClaimName", claim.claim_name);
      });
    });
  }
}

template <class Io, Like<KubeWorkload> T>
void describe(Io& io, T& workload) {
  type_fields(io, workload);
  io.required("metadata", workload.meta);
  io.object("spec", [&](auto& spec) {
    if (Io::reading || !workload.controller_kind.empty()) {
      spec.object("controllerRef", [&](auto& controller) {
        controller.field("apiGroup", workload.controller_group);
        controller.field("kind", workload.controller_kind);
        controller.field("name", workload.controller_name);
      });
    }
    spec.items("podGroupTemplates", workload.templates, [](auto& item, auto& group) {
      item.required("name", group.name);
      describe_start(item, group);
    });
  });
}

template <class Io, Like<ReplicatedJob> T>
void describe(Io& io, T& job) {
  io.required("name", job.name);
  io.required("replicas", job.replicas);
  io.items("dependsOn", job.depends_on, [](auto& item, auto& dependency) {
    item.required("name", dependency.name);
    item.required("status", dependency.status);
  });
  io.object("template", [&](auto& job_template) {
    if (Io::reading || !job.annotations.empty()) {
      job_template.object("metadata",
                          [&](auto& meta) { meta.field("annotations", job.annotations); });
    }
    job_template.object("spec", [&](auto& spec) {
      spec.field("parallelism", job.parallelism);
      spec.field("completions", job.completions);
    });
  });
}

template <class Io, Like<JobSet> T>
void describe(Io& io, T& job_set) {
  type_fields(io, job_set);
  io.required("metadata", job_set.meta);
  io.object("spec", [&](auto& spec) {
    spec.items("replicatedJobs", job_set.jobs, [](auto& item, auto& job) { describe(item, job); });
    if constexpr (Io::reading) {
      spec.object("startupPolicy", [&](auto& policy) {
        const auto& member = policy.member();
        if (member.key() == "startupPolicyOrder") job_set.in_order = member.string() == "InOrder";
      });
    } else if (job_set.in_order) {
      spec.object("startupPolicy", [](auto& policy) {
        policy.required("startupPolicyOrder", std::string("InOrder"));
      });
    }
  });
  if (!Io::reading && job_set.statuses.empty()) return;
  io.object("status", [&](auto& status) {
    status.items("replicatedJobsStatus", job_set.statuses, [](auto& item, auto& jobs) {
      item.required("name", jobs.name);
      item.required("succeeded", jobs.succeeded);
      item.required("failed", jobs.failed);
    });
  });
}

}  // namespace

void read(const Reader& in, PodGroup& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const PodGroup& group) {
  out.object([&](auto& io) { describe(io, group); });
}
void read(const Reader& in, KubeWorkload& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const KubeWorkload& workload) {
  out.object([&](auto& io) { describe(io, workload); });
}
void read(const Reader& in, JobSet& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const JobSet& job_set) {
  out.object([&](auto& io) { describe(io, job_set); });
}

}  // namespace dray::wire
