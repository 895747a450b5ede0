#include "wire/requests.h"

#include <utility>

#include <fmt/format.h>

#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class F>
std::string body(F&& describe) {
  JsonWriter out;
  out.object(describe);
  return std::move(out).take();
}

/// A patch of the object `uid`: `describe(io)` names what it changes beside the metadata.
template <class F>
std::string patch(const Uid& uid, const Labels& annotations, F&& describe) {
  return body([&](auto& io) {
    io.object("metadata", [&](auto& meta) {
      meta.required("uid", uid);
      meta.field("annotations", annotations);
    });
    describe(io);
  });
}

void type_of(FieldWriter& io, std::string_view kind, std::string_view api_version) {
  io.required("kind", std::string(kind));
  io.required("apiVersion", std::string(api_version));
}

void key_of(FieldWriter& io, const PodKey& key) {
  io.required("name", key.name);
  io.required("namespace", key.namespace_name);
}

}  // namespace

std::string lift_patch(const engine::LiftGate& write, std::string_view gate) {
  return patch(write.uid, write.annotations, [&](auto& io) {
    io.object("spec", [&](auto& spec) {
      const std::vector<std::string> gates{std::string(gate)};
      spec.items("schedulingGates", gates, [](auto& item, const auto& name) {
        item.required("$patch", std::string("delete"));
        item.required("name", name);
      });
    });
  });
}

std::string annotation_patch(const engine::AnnotatePod& write) {
  return patch(write.uid, write.annotations, [](auto&) {});
}

std::string nominate_patch(const engine::NominateNode& write) {
  return patch(write.uid, {}, [&](auto& io) {
    io.object("status", [&](auto& status) {
      const std::string none = "null";
      if (write.node) {
        status.required("nominatedNodeName", *write.node);
      } else {
        status.raw("nominatedNodeName", none);
      }
    });
  });
}

std::string condition_patch(const engine::SetPodCondition& write) {
  return patch(write.uid, {}, [&](auto& io) {
    io.object("status",
              [&](auto& status) { status.required("conditions", std::vector{write.condition}); });
  });
}

std::string extended_claim_patch(const engine::NameExtendedClaim& write) {
  return patch(write.uid, {}, [&](auto& io) {
    io.object("status", [&](auto& status) {
      status.object("extendedResourceClaimStatus", [&](auto& extended) {
        extended.required("resourceClaimName", write.claim);
        extended.items("requestMappings", write.mappings, [](auto& item, const auto& mapping) {
          item.required("containerName", mapping.container);
          item.required("resourceName", mapping.resource);
          item.required("requestName", mapping.request);
        });
      });
    });
  });
}

std::string node_allocatable_patch(const engine::SetNodeAllocatable& write) {
  return patch(write.uid, {}, [&](auto& io) {
    io.object("status", [&](auto& status) {
      status.required("nodeAllocatableResourceClaimStatuses", write.claims);
    });
  });
}

std::string delete_body(const engine::DeleteClaim& write) {
  return body([&](auto& io) {
    type_of(io, "DeleteOptions", "v1");
    io.object("preconditions", [&](auto& only) {
      only.required("uid", write.uid);
      only.required("resourceVersion", write.expected);
    });
  });
}

std::string delete_body(const engine::WithdrawNodes& write) {
  return body([&](auto& io) {
    type_of(io, "DeleteOptions", "v1");
    io.object("preconditions", [&](auto& only) { only.required("uid", write.uid); });
  });
}

std::string binding_body(const engine::BindPod& write) {
  return body([&](auto& io) {
    type_of(io, "Binding", "v1");
    io.object("metadata", [&](auto& meta) {
      key_of(meta, write.pod);
      meta.required("uid", write.uid);
      meta.field("resourceVersion", write.expected);
    });
    io.object("target", [&](auto& target) {
      type_of(target, "Node", "v1");
      target.required("name", write.node);
    });
  });
}

std::string eviction_body(const engine::EvictPod& write) {
  return body([&](auto& io) {
    type_of(io, "Eviction", "policy/v1");
    io.object("metadata", [&](auto& meta) { key_of(meta, write.pod); });
    io.object("deleteOptions", [&](auto& options) {
      options.object("preconditions", [&](auto& only) { only.required("uid", write.uid); });
      if (write.dry_run) options.required("dryRun", std::vector{std::string("All")});
    });
  });
}

constexpr const char* trace_annotation = "dray.dev/trace-id";

std::string event_body(const engine::RecordEvent& write, const EventSource& source) {
  const auto& kind = kind_info(write.regarding);
  // Where client-go puts the Events of objects that have no namespace.
  const auto space = kind.namespaced ? write.pod.namespace_name : std::string("default");
  return body([&](auto& io) {
    type_of(io, "Event", "events.k8s.io/v1");
    io.object("metadata", [&](auto& meta) {
      const auto stamp = source.now.time_since_epoch().count();
      meta.required("name", fmt::format("{}.{:x}", write.pod.name, stamp));
      meta.required("namespace", space);
      if (!source.trace.empty()) {
        meta.required("annotations", Labels{{trace_annotation, source.trace}});
      }
    });
    io.required("eventTime", format_micro_time(source.now));
    io.required("reportingController", source.controller);
    io.required("reportingInstance", source.instance);
    io.required("type", write.event.type);
    io.required("reason", write.event.reason);
    io.required("action", write.event.action);
    io.required("note", write.event.note);
    io.object("regarding", [&](auto& object) {
      type_of(object, std::string(kind.name), api_version_of(kind));
      if (kind.namespaced) {
        key_of(object, write.pod);
      } else {
        object.required("name", write.pod.name);
      }
      object.required("uid", write.uid);
    });
  });
}

}  // namespace dray::wire
