#include "wire/policy/policy_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <type_traits>
#include <utility>

#include "wire/policy/policy_form.h"
#include "wire/policy/policy_shape.h"
#include "wire/yaml/duration.h"

namespace dray::wire {

namespace {

using policy::ConfigProblem;

/// Reads a tree whose form is right. One struct, so that each overload sees all the others.
struct Reading {
  static void read(const ConfigNode& in, std::string& out) { out = in.text; }
  static void read(const ConfigNode& in, bool& out) { out = in.text == "true"; }
  template <class T>
    requires std::is_arithmetic_v<T>
  static void read(const ConfigNode& in, T& out) {
    std::from_chars(in.text.data(), in.text.data() + in.text.size(), out);
  }
  static void read(const ConfigNode& in, Quantity& out) {
    out = Quantity::parse(in.text).value_or(Quantity());
  }
  static void read(const ConfigNode& in, Duration& out) {
    out = parse_duration(in.text).value_or(Duration());
  }
  template <class Tag>
  static void read(const ConfigNode& in, Strong<std::string, Tag>& out) {
    out = Strong<std::string, Tag>(in.text);
  }
  static void read(const ConfigNode& in, policy::QueueSource& out) {
    out = in.text == "kai" ? policy::QueueSource::kai : policy::QueueSource::file;
  }
  static void read(const ConfigNode& in, policy::PlacementStrategy& out) {
    out = policy::placement_strategy(in.text).value_or(policy::PlacementStrategy::pack);
  }
  static void read(const ConfigNode& in, policy::ReclaimResolution& out) {
    out = in.text == "queue" ? policy::ReclaimResolution::queue : policy::ReclaimResolution::lca;
  }

  template <class T>
  static void read(const ConfigNode& in, std::optional<T>& out) {
    read(in, out.emplace());
  }
  static void read(const ConfigNode& in, policy::Bound& out) {
    out.reset();
    if (in.text != "unlimited") read(in, out.emplace());
  }
  template <class T>
  static void read(const ConfigNode& in, std::vector<T>& out) {
    out.clear();
    for (const auto& item : in.items) read(item, out.emplace_back());
  }
  template <class T>
  static void read(const ConfigNode& in, std::map<std::string, T, std::less<>>& out) {
    out.clear();
    for (const auto& member : in.members) read(member.value, out[member.key]);
  }

  /// Reads the member of that key, if it is there.
  template <class T>
  static void field(const ConfigNode& in, std::string_view key, T& out) {
    if (const auto* value = in.find(key)) read(*value, out);
  }

  static void read(const ConfigNode& in, policy::CountingRule& out) {
    field(in, "deviceClass", out.device_class);
    field(in, "nodeResource", out.node_resource);
    field(in, "amount", out.amount);
    field(in, "capacity", out.capacity);
    field(in, "per", out.per);
  }

  static void read(const ConfigNode& in, std::vector<policy::CountedResource>& out) {
    for (const auto& member : in.members) {
      out.push_back({member.key, {}});
      for (const auto& item : member.value.items) read(item, out.back().rules.emplace_back());
    }
  }

  static void read(const ConfigNode& in, policy::Weights& out) {
    if (in.kind == ConfigNode::Kind::scalar) {
      read(in, out.all);
    } else {
      read(in, out.by_resource);
    }
  }

  static void read(const ConfigNode& in, policy::QueueConfig& out) {
    field(in, "name", out.name);
    field(in, "parent", out.parent);
    if (out.parent && out.parent->get() == policy::root_queue) out.parent.reset();
    field(in, "priority", out.priority);
    field(in, "quota", out.quota);
    field(in, "limit", out.limit);
    field(in, "overQuotaWeight", out.over_quota_weight);
    field(in, "preemptMinRuntime", out.preempt_min_runtime);
    field(in, "reclaimMinRuntime", out.reclaim_min_runtime);
    field(in, "placement", out.placement);
  }

  static void read(const ConfigNode& in, policy::PodQueues& out) {
    field(in, "labels", out.labels);
    field(in, "namespaces", out.namespaces);
    field(in, "otherwise", out.otherwise);
  }

  static void read(const ConfigNode& in, policy::Alignment& out) {
    field(in, "prefer", out.prefer);
    field(in, "require", out.require);
    field(in, "aliases", out.aliases);
  }

  static void read(const ConfigNode& in, policy::Fractions& out) {
    field(in, "deviceClass", out.device_class);
    field(in, "memory", out.memory);
    field(in, "others", out.others);
    field(in, "distinct", out.distinct);
  }

  static void read(const ConfigNode& in, policy::Fairness& out) {
    field(in, "halfLife", out.half_life);
    field(in, "strength", out.strength);
  }

  static void read(const ConfigNode& in, policy::Gangs& out) {
    field(in, "staleAfter", out.stale_after);
    field(in, "reserveAfter", out.reserve_after);
  }

  static void read(const ConfigNode& in, policy::Preemption& out) {
    field(in, "enabled", out.enabled);
    field(in, "minRuntime", out.min_runtime);
  }

  static void read(const ConfigNode& in, policy::Reclaim& out) {
    field(in, "enabled", out.enabled);
    field(in, "saturationMultiplier", out.saturation_multiplier);
    field(in, "minRuntime", out.min_runtime);
    field(in, "minRuntimeFrom", out.resolution);
  }

  static void read(const ConfigNode& in, policy::Consolidation& out) {
    field(in, "enabled", out.enabled);
    field(in, "maxJobs", out.max_jobs);
  }

  static void read(const ConfigNode& in, policy::Budgets& out) {
    field(in, "jobs", out.jobs);
    field(in, "nodesTried", out.nodes_tried);
    field(in, "evictions", out.evictions);
    field(in, "evictionsPerQueue", out.evictions_per_queue);
    field(in, "victimCooldown", out.victim_cooldown);
    field(in, "exposedJobs", out.exposed_jobs);
  }

  static void read(const ConfigNode& in, policy::PolicyConfig& out) {
    field(in, "queuesFrom", out.queues_from);
    field(in, "resources", out.resources);
    field(in, "queues", out.queues);
    field(in, "podQueues", out.pod_queues);
    field(in, "placement", out.placement);
    field(in, "shares", out.shares);
    field(in, "fractions", out.fractions);
    field(in, "alignment", out.alignment);
    field(in, "topology", out.topology);
    field(in, "fairness", out.fairness);
    field(in, "aging", out.aging);
    field(in, "gangs", out.gangs);
    field(in, "preemption", out.preemption);
    field(in, "reclaim", out.reclaim);
    field(in, "consolidation", out.consolidation);
    field(in, "budgets", out.budgets);
  }
};

bool is_error(const PolicyProblem& problem) {
  return problem.severity == ConfigProblem::Severity::error;
}

/// The place and the text of an error of parse_yaml, which begins with `LINE:COLUMN: `.
PolicyProblem syntax_problem(const std::string& message) {
  PolicyProblem problem;
  const auto* at = message.data();
  const auto* end = at + message.size();
  at = std::from_chars(at, end, problem.place.line).ptr;
  if (at != end) at = std::from_chars(at + 1, end, problem.place.column).ptr;
  problem.text = std::string(at, end);
  if (problem.text.starts_with(": ")) problem.text.erase(0, 2);
  return problem;
}

}  // namespace

std::string PolicyProblem::to_string() const {
  return fmt::format("{}:{}: {}{}{}", place.line, place.column, path, path.empty() ? "" : ": ",
                     text);
}

PolicyFile read_policy(std::string_view yaml) {
  PolicyFile file;
  auto root = parse_yaml(yaml);
  if (!root) {
    file.problems.push_back(syntax_problem(root.error().message));
    return file;
  }
  PolicyForm form;
  form.check(*root, policy_shape(), "");
  file.problems = std::move(form.problems());
  if (file.problems.empty()) {
    Reading::read(*root, file.config.emplace());
    for (auto& problem : policy::validate(*file.config)) {
      const auto place = form.place_of(problem.path);
      file.problems.push_back(
          {problem.severity, place, std::move(problem.path), std::move(problem.text)});
    }
  }
  std::ranges::sort(file.problems, {}, [](const PolicyProblem& problem) {
    return std::tie(problem.place, problem.path, problem.text);
  });
  if (std::ranges::any_of(file.problems, is_error)) file.config.reset();
  return file;
}

Result<policy::PolicyConfig> decode_policy(std::string_view yaml) {
  auto file = read_policy(yaml);
  if (file.config) return std::move(*file.config);
  std::string text;
  for (const auto& problem : file.problems) {
    if (!is_error(problem)) continue;
    if (!text.empty()) text += '\n';
    text += problem.to_string();
  }
  return fail(ErrorCode::invalid, std::move(text));
}

}  // namespace dray::wire
