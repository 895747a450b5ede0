#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "dray/engine/group_marks.h"
#include "dray/model/kai.h"
#include "dray/policy/config.h"
#include "dray/sim/kubelet.h"
#include "dray/simulate/pods_run.h"
#include "tests/objects/gpus.h"

// Worlds in which tenant `a` may ask for anything, and tenant `b` for what is owed to it: what
// properties of isolation draw, print and play.

namespace dray::property {

/// What a burst of tenant a's pods is.
enum class Trick : std::uint8_t {
  plain,              ///< pods that could run
  gang,               ///< all or none
  partial_gang,       ///< some of them or none
  too_many_for_gang,  ///< a gang with more members than the cluster has GPUs
  too_many_for_pod,   ///< more GPUs for each pod than any node has
  no_such_device,     ///< a selector that no device meets
  no_such_node,       ///< a node selector that no node meets
  no_such_class,      ///< a DeviceClass that is not there
  no_such_claim,      ///< a claim that nobody makes
  incomplete_gang,    ///< members are missing
  all_devices,        ///< allocationMode All
  list_down,          ///< eight devices, else one
  list_up,            ///< one that nobody has, else all
  shared_claim,       ///< pods that name one claim
  shared_gang,        ///< a gang that does
  subgroups,          ///< a gang of subgroups, of which some are enough
  one_rack,           ///< a gang that wants one rack
  costly_selector,    ///< a selector that takes long
};
inline constexpr int tricks = 18;

inline const char* name_of(Trick trick) {
  static constexpr const char* names[tricks] = {
      "plain",          "gang",         "partial-gang",    "too-many-for-gang", "too-many-for-pod",
      "no-such-device", "no-such-node", "no-such-class",   "no-such-claim",     "incomplete-gang",
      "all-devices",    "list-down",    "list-up",         "shared-claim",      "shared-gang",
      "subgroups",      "one-rack",     "costly-selector",
  };
  return names[static_cast<std::size_t>(trick)];
}

/// So many pods of one kind that come together.
struct Burst {
  Trick trick = Trick::plain;
  int pods = 1;    ///< of each job
  int gpus = 1;    ///< of each pod
  int copies = 1;  ///< jobs
  int priority = 0;
  int at = 0;    ///< seconds since the beginning
  int runs = 0;  ///< seconds; 0: for ever
  bool operator==(const Burst&) const = default;
};

/// A job of tenant b, which its queue owes it.
struct OwedJob {
  int pods = 1;
  int gpus = 1;
  int at = 0;
  int runs = 0;  ///< seconds; 0: for ever
};

struct Tenants {
  std::vector<int> nodes;  ///< GPUs of each; two nodes share a rack
  int quota_a = 0;
  int quota_b = 0;
  bool parents = false;  ///< each queue below one of its own
  int weight_a = 1;
  int priority_a = 100;
  policy::Budgets budgets;
  int reserve_after = 600;  ///< seconds
  bool preemption = false;
  bool consolidation = false;
  bool limited = false;  ///< tenant a by a limit, and nobody reclaims; else by reclaim
  std::vector<Burst> bursts;
  std::vector<OwedJob> owed;
};

inline std::ostream& operator<<(std::ostream& out, const Tenants& t) {
  out << "nodes";
  for (const auto gpus : t.nodes) out << " " << gpus;
  out << "\nquotas " << t.quota_a << " " << t.quota_b << " weight of a " << t.weight_a
      << " priority of a " << t.priority_a << (t.parents ? " parents" : "") << "\nbudgets jobs "
      << t.budgets.jobs << " nodes " << t.budgets.nodes_tried << " evictions "
      << t.budgets.evictions << " per queue " << t.budgets.evictions_per_queue.value_or(-1)
      << " cool-down "
      << std::chrono::duration_cast<std::chrono::seconds>(t.budgets.victim_cooldown).count()
      << " reserve after " << t.reserve_after << (t.preemption ? " preemption" : "")
      << (t.consolidation ? " consolidation" : "")
      << (t.limited ? " a limit and no reclaim" : " reclaim");
  for (const auto& b : t.bursts) {
    out << "\na: " << b.copies << " x " << name_of(b.trick) << " of " << b.pods << " pods with "
        << b.gpus << " gpus, priority " << b.priority << ", at " << b.at << " for " << b.runs;
  }
  for (const auto& o : t.owed) {
    out << "\nb: " << o.pods << " pods with " << o.gpus << " gpus at " << o.at << " for " << o.runs;
  }
  return out << "\n";
}

/// Makes the objects of a world.
class TenantObjects {
 public:
  explicit TenantObjects(const Tenants& tenants) : t_(tenants) {}

  [[nodiscard]] std::vector<KubeObject> cluster() const {
    std::vector<KubeObject> objects{testing::make_class()};
    for (std::size_t i = 0; i < t_.nodes.size(); ++i) {
      const auto name = "n" + std::to_string(i);
      objects.emplace_back(testing::make_node(
          name, Labels{{"kubernetes.io/hostname", name}, {"rack", "r" + std::to_string(i / 2)}}));
      objects.emplace_back(testing::make_gpus(name, t_.nodes[i]));
    }
    return objects;
  }

  [[nodiscard]] std::shared_ptr<const policy::PolicyConfig> policy() const {
    auto config = std::make_shared<policy::PolicyConfig>();
    policy::CountingRule rule;
    rule.device_class = ClassName("gpu");
    config->resources.push_back({.name = "gpu", .rules = {rule}});
    add_queue(*config, "a", t_.quota_a);
    add_queue(*config, "b", t_.quota_b);
    config->topology = {"rack", "kubernetes.io/hostname"};
    config->budgets = t_.budgets;
    config->gangs.reserve_after = std::chrono::seconds(t_.reserve_after);
    config->reclaim.enabled = !t_.limited;
    config->preemption.enabled = t_.preemption;
    config->consolidation.enabled = t_.consolidation;
    return config;
  }

  /// `hostile`: with tenant a's pods.
  [[nodiscard]] simulate::PodWorkload workload(bool hostile) {
    made_ = {};
    if (hostile) {
      for (std::size_t i = 0; i < t_.bursts.size(); ++i) add_burst(t_.bursts[i], i);
    }
    for (std::size_t i = 0; i < t_.owed.size(); ++i) add_owed(t_.owed[i], i);
    std::ranges::stable_sort(made_.pods, {}, &simulate::PodWorkload::Arrival::at);
    return std::move(made_);
  }

 private:
  void add_queue(policy::PolicyConfig& config, const std::string& name, int quota) const {
    policy::QueueConfig queue;
    queue.quota["gpu"] = Quantity(quota);
    queue.over_quota_weight.all = Quantity(name == "a" ? t_.weight_a : 1);
    if (name == "a") queue.priority = t_.priority_a;
    if (name == "a" && t_.limited) queue.limit["gpu"] = Quantity(quota);
    if (t_.parents) {
      auto parent = queue;
      parent.name = policy::QueueName("org-" + name);
      queue.parent = parent.name;
      config.queues.push_back(std::move(parent));
    }
    queue.name = policy::QueueName(name);
    config.pod_queues.namespaces[name] = queue.name;
    config.queues.push_back(std::move(queue));
  }

  template <class T>
  T in(const std::string& space, T object) const {
    object.meta.namespace_name = space;
    return object;
  }

  /// The template of what each pod asks for, made once.
  std::string asks(const std::string& space, std::vector<DeviceRequest> requests,
                   const std::string& name) {
    made_.objects.emplace_back(in(space, testing::make_template(name, std::move(requests))));
    return name;
  }

  Pod pod(const std::string& space, const std::string& name, const std::string& of) const {
    auto made = in(space, testing::with_template(testing::make_pod(name, ResourceList{}), of));
    made.meta.created.reset();
    made.meta.uid = Uid{};
    return made;
  }

  static std::vector<DeviceRequest> requests_of(const Burst& burst) {
    auto spec = testing::exactly(burst.gpus, "gpu");
    switch (burst.trick) {
      case Trick::no_such_device:
        spec.selectors = {{"device.driver == \"nobody\""}};
        break;
      case Trick::costly_selector:
        spec.selectors = {{costly()}};
        break;
      case Trick::no_such_class:
        spec.device_class = ClassName("no-such-class");
        break;
      case Trick::too_many_for_pod:
        spec.count = 9;
        break;
      case Trick::all_devices:
        return {testing::request("gpu", all())};
      case Trick::list_down:
        return {one_of({named(testing::exactly(8, "gpu"), "many"), named(spec, "few")})};
      case Trick::list_up:
        spec.selectors = {{"device.driver == \"nobody\""}};
        return {one_of({named(spec, "none"), named(all(), "all")})};
      default:
        break;
    }
    return {testing::request("gpu", spec)};
  }

  static DeviceRequestSpec all() {
    auto spec = testing::exactly(0, "gpu");
    spec.allocation_mode = "All";
    return spec;
  }
  static DeviceRequestSpec named(DeviceRequestSpec spec, const char* name) {
    spec.name = name;
    return spec;
  }
  static DeviceRequest one_of(std::vector<DeviceRequestSpec> alternatives) {
    DeviceRequest made;
    made.name = "gpu";
    made.first_available = std::move(alternatives);
    return made;
  }
  static std::string costly() {
    std::string text = "device.driver == \"x0\"";
    for (int i = 1; i < 60; ++i) text += " || device.driver == \"x" + std::to_string(i) + "\"";
    return text + " || device.driver == \"" + testing::gpu_driver + "\"";
  }

  void add_burst(const Burst& burst, std::size_t index) {
    const auto of = "a" + std::to_string(index);
    const auto asked = asks("a", requests_of(burst), of);
    for (int copy = 0; copy < burst.copies; ++copy) {
      const auto job = of + "-" + std::to_string(copy);
      add_group(burst, job);
      const bool shares = burst.trick == Trick::shared_claim || burst.trick == Trick::shared_gang;
      if (shares) {
        auto claim = in("a", testing::make_claim(job, requests_of(burst)));
        claim.meta.uid = Uid{};
        made_.objects.emplace_back(std::move(claim));
      }
      for (int i = 0; i < burst.pods; ++i) {
        auto made = pod("a", job + "-" + std::to_string(i), asked);
        made.priority = burst.priority;
        if (shares || burst.trick == Trick::no_such_claim) {
          made.resource_claims.clear();
          made = testing::with_claim(std::move(made), shares ? job : "no-such-claim");
        }
        if (burst.trick == Trick::no_such_node) made.node_selector["zone"] = "nowhere";
        if (burst.runs > 0) {
          made.meta.annotations[sim::run_seconds_annotation] = std::to_string(burst.runs);
        }
        join(burst, job, i, made);
        made_.pods.push_back({.pod = std::move(made), .at = std::chrono::seconds(burst.at)});
      }
    }
  }

  /// The group of a job, if it has one.
  void add_group(const Burst& burst, const std::string& job) {
    auto group = in("a", testing::make_group(job, burst.pods));
    switch (burst.trick) {
      case Trick::gang:
      case Trick::too_many_for_gang:
      case Trick::shared_gang:
        break;
      case Trick::partial_gang:
        group.min_count = std::max(1, burst.pods / 2);
        break;
      case Trick::incomplete_gang:
        group.min_count = burst.pods + 1;
        break;
      case Trick::one_rack:
        group.topology = {"rack"};
        break;
      case Trick::subgroups:
        made_.objects.emplace_back(subgroups(job));
        return;
      default:
        return;
    }
    made_.objects.emplace_back(std::move(group));
  }

  static KaiPodGroup subgroups(const std::string& job) {
    KaiPodGroup group;
    group.meta = testing::default_meta(job);
    group.meta.namespace_name = "a";
    group.min_sub_group = 1;
    for (const auto* name : {"even", "odd"}) {
      group.sub_groups.push_back({.name = name,
                                  .parent = {},
                                  .min_member = 1,
                                  .min_sub_group = std::nullopt,
                                  .topology = {}});
    }
    return group;
  }

  static void join(const Burst& burst, const std::string& job, int index, Pod& pod) {
    switch (burst.trick) {
      case Trick::gang:
      case Trick::too_many_for_gang:
      case Trick::shared_gang:
      case Trick::partial_gang:
      case Trick::incomplete_gang:
      case Trick::one_rack:
        pod.pod_group = job;
        break;
      case Trick::subgroups:
        pod.meta.annotations[engine::kai_group_annotation] = job;
        pod.meta.labels[engine::kai_subgroup_label] = index % 2 == 0 ? "even" : "odd";
        break;
      default:
        break;
    }
  }

  void add_owed(const OwedJob& owed, std::size_t index) {
    const auto job = "b" + std::to_string(index);
    const auto asked =
        asks("b", {testing::request("gpu", testing::exactly(owed.gpus, "gpu"))}, job);
    if (owed.pods > 1) made_.objects.emplace_back(in("b", testing::make_group(job, owed.pods)));
    for (int i = 0; i < owed.pods; ++i) {
      auto made = pod("b", job + "-" + std::to_string(i), asked);
      if (owed.pods > 1) made.pod_group = job;
      if (owed.runs > 0) {
        made.meta.annotations[sim::run_seconds_annotation] = std::to_string(owed.runs);
      }
      made_.pods.push_back({.pod = std::move(made), .at = std::chrono::seconds(owed.at)});
    }
  }

  const Tenants& t_;
  simulate::PodWorkload made_;
};

}  // namespace dray::property
