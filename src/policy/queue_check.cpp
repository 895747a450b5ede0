#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "dray/base/suggest.h"
#include "policy/config_check.h"

namespace dray::policy {

namespace {

using QueuesByName = std::map<std::string_view, std::size_t>;

/// The checks of one policy's queues.
class QueueCheck {
 public:
  QueueCheck(const PolicyConfig& config, ConfigProblems& problems)
      : config_(config), problems_(problems) {}

  void run() {
    if (config_.queues_from == QueueSource::kai && !config_.queues.empty()) {
      problems_.error("queues", "queuesFrom: kai takes them from Queue objects; leave one out");
    }
    check_names();
    for (std::size_t i = 0; i < config_.queues.size(); ++i) check_parent(i);
    for (std::size_t i = 0; i < config_.queues.size(); ++i) {
      check_bounds(i);
      check_weights(i);
      check_against_parent(i);
      check_children(i);
    }
    check_pod_queues();
  }

 private:
  static std::string path(std::size_t queue, std::string_view field = "") {
    return fmt::format("queues[{}]{}{}", queue, field.empty() ? "" : ".", field);
  }

  [[nodiscard]] std::vector<std::string> queue_names() const {
    std::vector<std::string> names;
    for (const auto& [name, index] : by_name_) names.emplace_back(name);
    return names;
  }

  [[nodiscard]] const QueueConfig* parent_of(const QueueConfig& queue) const {
    if (!queue.parent) return nullptr;
    const auto it = by_name_.find(queue.parent->get());
    return it == by_name_.end() ? nullptr : &config_.queues[it->second];
  }

  void check_names() {
    for (std::size_t i = 0; i < config_.queues.size(); ++i) {
      const auto& name = config_.queues[i].name.get();
      if (name == root_queue) {
        problems_.error(path(i, "name"), "{} is the top of the tree already", root_queue);
      } else if (!is_subdomain(name)) {
        problems_.error(path(i, "name"), "`{}` is no name: lower case letters, digits, - and .",
                        name);
      }
      const auto [first, is_new] = by_name_.emplace(name, i);
      if (!is_new) {
        problems_.error(path(i, "name"), "queue {} is there already: {}", name,
                        path(first->second));
      }
    }
  }

  void check_parent(std::size_t i) {
    const auto& queue = config_.queues[i];
    if (!queue.parent) return;
    if (parent_of(queue) == nullptr) {
      problems_.error(path(i, "parent"), "no queue {}{}", queue.parent->get(),
                      suggest(queue.parent->get(), queue_names()));
      return;
    }
    auto chain = queue.name.get();
    const auto* at = parent_of(queue);
    for (std::size_t steps = 0; at != nullptr && steps < config_.queues.size(); ++steps) {
      chain += " -> " + at->name.get();
      if (at->name == queue.name) {
        problems_.error(path(i, "parent"), "a cycle: {}", chain);
        return;
      }
      at = parent_of(*at);
    }
  }

  void check_amount(const std::string& at, const std::string& resource, const Quantity& amount) {
    const bool bytes = resource == "memory";
    if (amount.sign() < 0) {
      problems_.error(at, "{} is below 0; what is not bounded is `unlimited`", amount.to_string());
    } else if (!bytes && amount.format() == Quantity::Format::binary_si && amount.sign() > 0) {
      problems_.error(at, "{} is an amount of bytes; {} is counted in {}", amount.to_string(),
                      resource, resource == "cpu" ? "cores" : "devices");
    } else if (bytes && amount.sign() > 0 && amount < Quantity(1 << 20)) {
      problems_.error(at, "{} bytes of memory; give a unit, as 512Gi", amount.to_string());
    }
  }

  void check_bounds(std::size_t i) {
    const auto& queue = config_.queues[i];
    const auto check = [&](const Bounds& bounds, const char* field) {
      for (const auto& [resource, bound] : bounds) {
        const auto at = path(i, field) + "." + resource;
        check_resource_name(config_, resource, at, problems_);
        if (bound) check_amount(at, resource, *bound);
      }
    };
    check(queue.quota, "quota");
    check(queue.limit, "limit");
    for (const auto& [resource, strategy] : queue.placement) {
      check_resource_name(config_, resource, path(i, "placement." + resource), problems_);
    }
    for (const auto& [resource, limit] : queue.limit) {
      const auto quota = queue.quota.find(resource);
      if (!limit || quota == queue.quota.end()) continue;
      if (!quota->second || *limit < *quota->second) {
        problems_.error(path(i, "limit." + resource), "{} is below the quota, {}",
                        limit->to_string(),
                        quota->second ? quota->second->to_string() : "unlimited");
      }
    }
  }

  void check_weights(std::size_t i) {
    const auto& weights = config_.queues[i].over_quota_weight;
    const auto at = path(i, "overQuotaWeight");
    for (const auto& [resource, weight] : weights.by_resource) {
      check_resource_name(config_, resource, fmt::format("{}.{}", at, resource), problems_);
    }
  }

  void check_against_parent(std::size_t i) {
    const auto& queue = config_.queues[i];
    const auto* parent = parent_of(queue);
    if (parent == nullptr) return;
    for (const auto& [resource, quota] : queue.quota) {
      const auto it = parent->quota.find(resource);
      const Bound above = it == parent->quota.end() ? Bound(Quantity(0)) : it->second;
      if (!above || (quota && *quota <= *above)) continue;
      problems_.error(path(i, "quota." + resource),
                      "{} is above the quota of its parent {}, {}; give that one at least as much",
                      quota ? quota->to_string() : "unlimited", parent->name.get(),
                      above->to_string());
    }
  }

  /// What the children are owed together may be more than their parent is: allowed, but said.
  void check_children(std::size_t i) {
    const auto& queue = config_.queues[i];
    for (const auto& [resource, quota] : queue.quota) {
      if (!quota) continue;
      Quantity sum;
      bool each_fits = true;
      for (const auto& child : config_.queues) {
        if (child.parent != queue.name) continue;
        const auto it = child.quota.find(resource);
        if (it == child.quota.end()) continue;
        each_fits = each_fits && it->second && *it->second <= *quota;
        if (it->second) sum += *it->second;
      }
      if (each_fits && sum > *quota) {
        problems_.warn(path(i, "quota." + resource),
                       "the queues below it have {} together, above its {}: not all of it can be "
                       "had at once",
                       sum.to_string(), quota->to_string());
      }
    }
  }

  void check_queue_name(const QueueName& name, const std::string& at) {
    if (config_.queues_from == QueueSource::kai) return;
    const auto it = by_name_.find(name.get());
    if (it == by_name_.end()) {
      problems_.error(at, "no queue {}{}", name.get(), suggest(name.get(), queue_names()));
      return;
    }
    const auto is_child = [&](const QueueConfig& queue) { return queue.parent == name; };
    if (std::ranges::any_of(config_.queues, is_child)) {
      problems_.error(at, "queue {} has queues below it; pods go to those", name.get());
    }
  }

  void check_pod_queues() {
    const auto& pods = config_.pod_queues;
    for (std::size_t i = 0; i < pods.labels.size(); ++i) {
      if (!is_qualified_name(pods.labels[i], false)) {
        problems_.error(fmt::format("podQueues.labels[{}]", i), "{} is no label key",
                        pods.labels[i]);
      }
    }
    for (const auto& [name, queue] : pods.namespaces) {
      check_queue_name(queue, "podQueues.namespaces." + name);
    }
    if (pods.otherwise) check_queue_name(*pods.otherwise, "podQueues.otherwise");
  }

  const PolicyConfig& config_;
  ConfigProblems& problems_;
  QueuesByName by_name_;
};

}  // namespace

void check_queues(const PolicyConfig& config, ConfigProblems& problems) {
  QueueCheck(config, problems).run();
}

}  // namespace dray::policy
