#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<NodeToleration> T>
void describe(Io& io, T& toleration) {
  io.field("key", toleration.key);
  io.field("operator", toleration.op);
  io.field("value", toleration.value);
  io.field("effect", toleration.effect);
  io.field("tolerationSeconds", toleration.toleration_seconds);
}

template <class Io, Like<Container> T>
void describe(Io& io, T& container) {
  io.required("name", container.name);
  io.object("resources", [&](auto& resources) {
    resources.field("requests", container.requests);
    resources.field("limits", container.limits);
    resources.items("claims", container.claims,
                    [](auto& item, auto& name) { item.required("name", name); });
  });
  io.items("ports", container.host_ports, [](auto& item, auto& port) {
    item.field("protocol", port.protocol);
    item.field("hostIP", port.ip);
    item.field("hostPort", port.port);
    if constexpr (!std::decay_t<decltype(item)>::reading) item.required("containerPort", port.port);
  });
  if constexpr (Io::reading) {
    if (io.member().key() == "restartPolicy") {
      container.restart_always = io.member().string() == "Always";
    }
  } else if (container.restart_always) {
    io.required("restartPolicy", std::string("Always"));
  }
}

template <class Io, Like<std::vector<Container>> T>
void describe_containers(Io& io, std::string_view name, T& containers) {
  io.items(name, containers, [](auto& item, auto& container) { describe(item, container); });
}

template <class Io, Like<NodeAllocatableClaim> T>
void describe(Io& io, T& claim) {
  io.required("resourceClaimName", claim.claim);
  io.field("containers", claim.containers);
  io.items("mapping", claim.mapping, [](auto& item, auto& mapped) {
    item.required("name", mapped.name);
    item.required("quantity", mapped.quantity);
  });
  io.items("overhead", claim.overhead, [](auto& item, auto& overhead) {
    item.required("name", overhead.name);
    item.field("perPod", overhead.amounts.per_pod);
    item.field("perContainer", overhead.amounts.per_container);
  });
}

template <class Io, Like<Pod> T>
void describe_spec(Io& io, T& pod) {
  io.field("schedulerName", pod.scheduler_name);
  io.field("serviceAccountName", pod.service_account);
  io.field("nodeName", pod.node_name);
  io.items("schedulingGates", pod.scheduling_gates,
           [](auto& item, auto& gate) { item.required("name", gate); });
  io.field("priority", pod.priority);
  io.field("priorityClassName", pod.priority_class);
  io.field("preemptionPolicy", pod.preemption_policy);
  io.field("nodeSelector", pod.node_selector);
  if (Io::reading || pod.required_node_affinity) {
    io.object("affinity", [&](auto& affinity) {
      affinity.object("nodeAffinity", [&](auto& node) {
        node.field("requiredDuringSchedulingIgnoredDuringExecution", pod.required_node_affinity);
      });
    });
  }
  io.items("tolerations", pod.tolerations,
           [](auto& item, auto& toleration) { describe(item, toleration); });
  describe_containers(io, "initContainers", pod.init_containers);
  describe_containers(io, "containers", pod.containers);
  io.field("overhead", pod.overhead);
  if (Io::reading || pod.pod_requests || pod.pod_limits) {
    io.object("resources", [&](auto& resources) {
      resources.field("requests", pod.pod_requests);
      resources.field("limits", pod.pod_limits);
    });
  }
  io.items("resourceClaims", pod.resource_claims, [](auto& item, auto& claim) {
    item.required("name", claim.name);
    item.field("resourceClaimName", claim.claim_name);
    item.field("resourceClaimTemplateName", claim.template_name);
  });
  if (Io::reading || pod.pod_group) {
    io.object("schedulingGroup", [&](auto& group) { group.field("podGroupName", pod.pod_group); });
  }
  io.field("hostNetwork", pod.host_network);
  io.field("activeDeadlineSeconds", pod.active_deadline_seconds);
}

template <class Io, Like<Pod> T>
void describe_status(Io& io, T& pod) {
  io.field("phase", pod.phase);
  io.field("startTime", pod.start_time);
  io.field("conditions", pod.conditions);
  io.field("nominatedNodeName", pod.nominated_node);
  io.items("resourceClaimStatuses", pod.resource_claim_statuses, [](auto& item, auto& claim) {
    item.required("name", claim.name);
    item.field("resourceClaimName", claim.claim_name);
  });
  if (Io::reading || pod.extended_resource_claim) {
    io.object("extendedResourceClaimStatus",
              [&](auto& claim) { claim.field("resourceClaimName", pod.extended_resource_claim); });
  }
  io.field("nodeAllocatableResourceClaimStatuses", pod.node_allocatable_claims);
}

template <class Io, Like<Pod> T>
void describe(Io& io, T& pod) {
  type_fields(io, pod);
  io.required("metadata", pod.meta);
  io.object("spec", [&](auto& spec) { describe_spec(spec, pod); });
  io.object("status", [&](auto& status) { describe_status(status, pod); });
}

/// Ports that take none of the node's are of no interest; the others get the API's defaults.
void keep_host_ports(std::vector<Container>& containers) {
  for (auto& container : containers) {
    std::erase_if(container.host_ports, [](const HostPort& port) { return port.port == 0; });
    for (auto& port : container.host_ports) {
      if (port.protocol.empty()) port.protocol = "TCP";
      if (port.ip.empty()) port.ip = "0.0.0.0";
    }
  }
}

/// An empty name is Go's way to say none.
template <class T>
void drop_empty(std::optional<T>& name) {
  if (name && name->get().empty()) name.reset();
}

}  // namespace

void read(const Reader& in, NodeAllocatableClaim& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const NodeAllocatableClaim& claim) {
  out.object([&](auto& io) { describe(io, claim); });
}
void read(const Reader& in, Pod& out) {
  in.fields([&](auto& io) { describe(io, out); });
  keep_host_ports(out.init_containers);
  keep_host_ports(out.containers);
  drop_empty(out.node_name);
  drop_empty(out.nominated_node);
}
void write(JsonWriter& out, const Pod& pod) {
  out.object([&](auto& io) { describe(io, pod); });
}

}  // namespace dray::wire
