#include "wire/policy/policy_shape.h"

#include <array>

#include "dray/policy/placement_strategy.h"

namespace dray::wire {

namespace {

constexpr PolicyShape text{};
constexpr PolicyShape text_list{.form = Form::list, .item = &text};
constexpr PolicyShape text_map{.form = Form::map, .item = &text};
constexpr PolicyShape text_lists{.form = Form::map, .item = &text_list};
constexpr PolicyShape boolean{.form = Form::boolean};
constexpr PolicyShape integer{.form = Form::integer, .minimum = INT32_MIN};
constexpr PolicyShape count{.form = Form::integer, .minimum = 0};
constexpr PolicyShape positive{.form = Form::integer, .minimum = 1};
constexpr PolicyShape number{.form = Form::number};
constexpr PolicyShape quantity{.form = Form::quantity};
constexpr PolicyShape quantity_map{.form = Form::map, .item = &quantity};
constexpr PolicyShape bound{.form = Form::bound};
constexpr PolicyShape bounds{.form = Form::map, .item = &bound};
constexpr PolicyShape duration{.form = Form::duration};
constexpr PolicyShape weights{.form = Form::quantity, .alternative = &quantity_map};

constexpr std::array<std::string_view, 1> versions{"dray.dev/v1alpha1"};
constexpr std::array<std::string_view, 1> kinds{"Policy"};
constexpr std::array<std::string_view, 2> sources{"file", "kai"};
constexpr std::array<std::string_view, 2> resolutions{"lca", "queue"};
constexpr PolicyShape version{.form = Form::word, .words = versions};
constexpr PolicyShape kind{.form = Form::word, .words = kinds};
constexpr PolicyShape source{.form = Form::word, .words = sources};
constexpr PolicyShape strategy{.form = Form::word, .words = policy::placement_strategy_names};
constexpr PolicyShape placement{.form = Form::map, .item = &strategy};
constexpr PolicyShape resolution{.form = Form::word, .words = resolutions};

constexpr std::array rule_fields{
    PolicyField{"deviceClass", &text, "The DeviceClass whose devices count."},
    PolicyField{"nodeResource", &text,
                "The device plugin's resource that counts, as nvidia.com/gpu."},
    PolicyField{"amount", &quantity, "What a whole device counts for. Default 1."},
    PolicyField{"capacity", &text,
                "Count by this capacity of the device, or by what a claim consumes of it."},
    PolicyField{"per", &quantity, "With capacity: how much of it counts as 1."},
};
constexpr PolicyShape rule{.form = Form::object, .fields = rule_fields};
constexpr PolicyShape rules{.form = Form::list, .item = &rule};
constexpr PolicyShape resources{.form = Form::map, .item = &rules};

constexpr std::array queue_fields{
    PolicyField{"name", &text, "Lower case letters, digits, - and .", true},
    PolicyField{"parent", &text, "The queue above; absent or root: the top."},
    PolicyField{"quota", &bounds,
                "What the queue is owed, by resource. Absent: 0. Resources are cpu, memory, those "
                "under resources, and CLASS.deviceclass.resource.k8s.io/devices."},
    PolicyField{"limit", &bounds, "What it may hold at most, by resource. Absent: no limit."},
    PolicyField{"overQuotaWeight", &weights,
                "Its part of what is left over quotas: a number, or numbers by resource. Default "
                "1; 0: nothing."},
    PolicyField{"priority", &integer, "Higher ones are served first. Default 100."},
    PolicyField{"preemptMinRuntime", &duration,
                "How long its jobs run before others of the queue may preempt them."},
    PolicyField{"reclaimMinRuntime", &duration,
                "How long its jobs run before other queues may take back from them."},
    PolicyField{"placement", &placement, "Where it differs from the policy's placement."},
};
constexpr PolicyShape queue{.form = Form::object, .fields = queue_fields};
constexpr PolicyShape queues{.form = Form::list, .item = &queue};

constexpr std::array pod_queue_fields{
    PolicyField{"labels", &text_list,
                "Labels whose value names a pod's queue; the first that the pod has counts. "
                "Default dray.dev/queue, kai.scheduler/queue."},
    PolicyField{"namespaces", &text_map, "The queue of a namespace's pods."},
    PolicyField{"otherwise", &text, "The queue of all other pods. Absent: they wait."},
};
constexpr PolicyShape pod_queues{.form = Form::object, .fields = pod_queue_fields};

constexpr std::array alignment_fields{
    PolicyField{"prefer", &text_list,
                "Attributes or aliases that the devices of a pod should share, the most important "
                "first. Default the PCIe root, then the NUMA node, then the socket."},
    PolicyField{"require", &text_list,
                "Attributes or aliases that the devices of a pod have to share; devices without "
                "them go with any."},
    PolicyField{"aliases", &text_lists, "One name for attributes of several drivers."},
};
constexpr PolicyShape alignment{.form = Form::object, .fields = alignment_fields};

constexpr std::array fraction_fields{
    PolicyField{"deviceClass", &text, "Whose devices are shared.", true},
    PolicyField{"memory", &text, "The capacity that gpu-memory is of. Default memory."},
    PolicyField{"others", &text_list, "Capacities of which the same part is taken, as cores."},
    PolicyField{"distinct", &text,
                "The attribute by which the devices of gpu-fraction-num-devices are different "
                "ones."},
};
constexpr PolicyShape fractions{.form = Form::object, .fields = fraction_fields};

constexpr std::array fairness_fields{
    PolicyField{"halfLife", &duration,
                "Past usage counts, half as much after this time. Absent: it does not count."},
    PolicyField{"strength", &number, "How much past usage counts (KAI's kValue). Default 1."},
};
constexpr PolicyShape fairness{.form = Form::object, .fields = fairness_fields};

constexpr std::array gang_fields{
    PolicyField{"staleAfter", &duration,
                "A running gang below its minimum for so long is evicted. Default 60s."},
    PolicyField{"reserveAfter", &duration,
                "Room is kept for a gang that waited so long. Default 10m."},
};
constexpr PolicyShape gangs{.form = Form::object, .fields = gang_fields};

constexpr std::array preemption_fields{
    PolicyField{"enabled", &boolean, "Jobs preempt others of their queue. Default false."},
    PolicyField{"minRuntime", &duration, "Where no queue says so. Default 0s."},
};
constexpr PolicyShape preemption{.form = Form::object, .fields = preemption_fields};

constexpr std::array reclaim_fields{
    PolicyField{"enabled", &boolean, "Queues take back from each other. Default false."},
    PolicyField{"saturationMultiplier", &number,
                "How much less saturated than the giving queue the taking one stays, at least 1. "
                "Default 1."},
    PolicyField{"minRuntime", &duration, "Where no queue says so. Default 0s."},
    PolicyField{"minRuntimeFrom", &resolution,
                "Whose reclaimMinRuntime holds: of the branch below the lowest common ancestor, or "
                "of the victim's queue. Default lca."},
};
constexpr PolicyShape reclaim{.form = Form::object, .fields = reclaim_fields};

constexpr std::array consolidation_fields{
    PolicyField{"enabled", &boolean, "Running jobs are moved to make room. Default false."},
    PolicyField{"maxJobs", &positive, "How many one plan may move. Default 16."},
};
constexpr PolicyShape consolidation{.form = Form::object, .fields = consolidation_fields};

constexpr std::array budget_fields{
    PolicyField{"jobs", &positive, "Jobs that one plan looks at. Default 512."},
    PolicyField{"nodesTried", &positive,
                "Pairs of job and node that it looks at in full. Default 200000."},
    PolicyField{"evictions", &count, "Pods that one plan may evict. Default 64."},
    PolicyField{"evictionsPerQueue", &count, "The same for each queue. Absent: no other bound."},
    PolicyField{"victimCooldown", &duration,
                "How long an evicted job is spared after it started again. Default 10m."},
    PolicyField{"exposedJobs", &count,
                "Waiting jobs that a cluster autoscaler may see at once. Default 0."},
};
constexpr PolicyShape budgets{.form = Form::object, .fields = budget_fields};

constexpr std::array file_fields{
    PolicyField{"apiVersion", &version, "The version of this form.", true},
    PolicyField{"kind", &kind, "", true},
    PolicyField{"queuesFrom", &source,
                "Where the queues are: in this file, or KAI's Queue objects. Default file."},
    PolicyField{"resources", &resources,
                "What is counted besides cpu and memory; a device counts once for a resource, by "
                "the first rule that matches."},
    PolicyField{"queues", &queues, "The tree of queues; only those without any below take pods."},
    PolicyField{"podQueues", &pod_queues, "Which queue a pod belongs to."},
    PolicyField{"placement", &placement,
                "By resource: fill nodes and devices one by one, or use all evenly. Default pack."},
    PolicyField{"shares", &strategy,
                "Parts of devices: on nodes and devices that are shared already, or on unused "
                "ones. Default pack."},
    PolicyField{"fractions", &fractions,
                "What KAI's annotations gpu-fraction and gpu-memory ask for. Absent: such pods "
                "wait."},
    PolicyField{"alignment", &alignment, "Devices that belong close together."},
    PolicyField{"topology", &text_list, "Node labels, the widest domain first."},
    PolicyField{"fairness", &fairness, "Shares that even out over time."},
    PolicyField{"aging", &duration,
                "Waiting so long counts as one more of job priority. Absent: it does not."},
    PolicyField{"gangs", &gangs, "Jobs of several pods."},
    PolicyField{"preemption", &preemption, "Within a queue."},
    PolicyField{"reclaim", &reclaim, "Between queues."},
    PolicyField{"consolidation", &consolidation, "Moving jobs together."},
    PolicyField{"budgets", &budgets, "Bounds of one plan."},
};
constexpr PolicyShape file{.form = Form::object, .fields = file_fields};

}  // namespace

const PolicyShape& policy_shape() {
  return file;
}

}  // namespace dray::wire
