#include <fmt/format.h>

#include "wire/object/codecs.h"
#include "wire/yaml/duration.h"

namespace dray::wire {
namespace {

/// metav1.Duration: `10m`, `1h0m0s`; `-1s` for never.
template <class Io, class T>
void duration(Io& io, std::string_view name, T& value) {
  if constexpr (Io::reading) {
    if (io.member().key() != name) return;
    auto text = io.member().string();
    if (text.empty()) return;
    const bool negative = text.front() == '-';
    const auto parsed = parse_duration(negative ? text.substr(1) : text);
    if (!parsed) return io.member().fail("expected a time such as 10m or 1h30m");
    value = negative ? -*parsed : *parsed;
  } else if (value) {
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(*value);
    const bool seconds = whole.count() % 1000 == 0;
    io.required(name, seconds ? fmt::format("{}s", whole.count() / 1000)
                              : fmt::format("{}ms", whole.count()));
  }
}

template <class Io, Like<KaiQueueResource> T>
void describe_resource(Io& io, std::string_view name, T& resource) {
  io.object(name, [&](auto& item) {
    item.field("quota", resource.quota);
    item.field("limit", resource.limit);
    item.field("overQuotaWeight", resource.over_quota_weight);
  });
}

template <class Io, Like<KaiQueue> T>
void describe(Io& io, T& queue) {
  type_fields(io, queue);
  io.required("metadata", queue.meta);
  io.object("spec", [&](auto& spec) {
    spec.field("parentQueue", queue.parent);
    spec.field("priority", queue.priority);
    duration(spec, "preemptMinRuntime", queue.preempt_min_runtime);
    duration(spec, "reclaimMinRuntime", queue.reclaim_min_runtime);
    spec.object("resources", [&](auto& resources) {
      describe_resource(resources, "gpu", queue.gpu);
      describe_resource(resources, "cpu", queue.cpu);
      describe_resource(resources, "memory", queue.memory);
    });
  });
}

template <class Io, Like<KaiTopologyConstraint> T>
void describe_constraint(Io& io, T& constraint) {
  if (!Io::reading && constraint == KaiTopologyConstraint{}) return;
  io.object("topologyConstraint", [&](auto& item) {
    item.field("topology", constraint.topology);
    item.field("requiredTopologyLevel", constraint.required);
    item.field("preferredTopologyLevel", constraint.preferred);
  });
}

template <class Io, Like<KaiPodGroup> T>
void describe(Io& io, T& group) {
  type_fields(io, group);
  io.required("metadata", group.meta);
  io.object("spec", [&](auto& spec) {
    spec.field("queue", group.queue);
    spec.field("minMember", group.min_member);
    spec.field("minSubGroup", group.min_sub_group);
    spec.field("priorityClassName", group.priority_class);
    spec.field("preemptibility", group.preemptibility);
    describe_constraint(spec, group.topology);
    spec.items("subGroups", group.sub_groups, [](auto& item, auto& sub) {
      item.required("name", sub.name);
      item.field("parent", sub.parent);
      item.field("minMember", sub.min_member);
      item.field("minSubGroup", sub.min_sub_group);
      describe_constraint(item, sub.topology);
    });
    duration(spec, "preemptionDelay", group.preemption_delay);
    duration(spec, "stalenessGracePeriod", group.staleness_grace_period);
  });
}

}  // namespace

void read(const Reader& in, KaiQueue& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const KaiQueue& queue) {
  out.object([&](auto& io) { describe(io, queue); });
}
void read(const Reader& in, KaiPodGroup& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const KaiPodGroup& group) {
  out.object([&](auto& io) { describe(io, group); });
}

}  // namespace dray::wire
