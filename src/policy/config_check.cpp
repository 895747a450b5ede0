#include "policy/config_check.h"

#include <algorithm>
#include <set>

#include "dray/base/suggest.h"

namespace dray::policy {

namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_lower_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// A label name or a C identifier, as the part behind the slash is.
bool is_name(std::string_view text) {
  const auto inner = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::ranges::all_of(text, inner);
}

void check_rule(const CountingRule& rule, const std::string& path, ConfigProblems& problems) {
  const auto& device_class = rule.device_class.get();
  if (device_class.empty() == rule.node_resource.empty()) {
    problems.error(path, "give one of deviceClass and nodeResource");
  }
  if (!device_class.empty() && !is_subdomain(device_class)) {
    problems.error(path + ".deviceClass", "{} is no name of a DeviceClass", device_class);
  }
  if (!rule.node_resource.empty() && !is_qualified_name(rule.node_resource, true)) {
    problems.error(path + ".nodeResource", "{} is no extended resource, as nvidia.com/gpu is",
                   rule.node_resource);
  }
  if (rule.capacity.empty() == rule.per.has_value()) {
    problems.error(path, "capacity and per go together: capacity: memory, per: 80Gi");
  }
  if (!rule.capacity.empty() && !rule.node_resource.empty()) {
    problems.error(path + ".capacity", "a nodeResource has no capacities");
  }
}

}  // namespace

bool is_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  char before = '.';
  for (const char c : text) {
    const bool edge = before == '.' || before == '-';
    if (!is_lower_alphanumeric(c) && c != '-' && c != '.') return false;
    if ((c == '.' && edge) || (c == '-' && before == '.')) return false;
    before = c;
  }
  return is_lower_alphanumeric(before);
}

bool is_qualified_name(std::string_view text, bool domain_needed) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return !domain_needed && is_name(text);
  return is_subdomain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

std::vector<std::string> resource_names(const PolicyConfig& config) {
  std::vector<std::string> names{"cpu", "memory"};
  for (const auto& resource : config.resources) names.push_back(resource.name);
  return names;
}

void check_resource_name(const PolicyConfig& config, std::string_view name, const std::string& path,
                         ConfigProblems& problems) {
  if (name.ends_with(class_resource_suffix)) {
    name.remove_suffix(class_resource_suffix.size());
    if (!is_subdomain(name)) problems.error(path, "{} is no name of a DeviceClass", name);
    return;
  }
  const auto names = resource_names(config);
  if (std::ranges::find(names, name) == names.end()) {
    problems.error(path, "no resource {}{}", name, suggest(name, names));
  }
}

void check_resources(const PolicyConfig& config, ConfigProblems& problems) {
  std::set<std::string, std::less<>> seen{"cpu", "memory"};
  for (const auto& resource : config.resources) {
    const auto path = "resources." + resource.name;
    if (!seen.insert(resource.name).second) {
      problems.error(path, "{} is counted already; give it another name", resource.name);
    } else if (!is_name(resource.name)) {
      problems.error(path, "{} is no name: letters, digits, - _ . between", resource.name);
    }
    if (resource.rules.empty()) problems.error(path, "nothing counts for it");
    for (std::size_t i = 0; i < resource.rules.size(); ++i) {
      check_rule(resource.rules[i], fmt::format("{}[{}]", path, i), problems);
    }
  }
  if (config.queues_from == QueueSource::kai && !seen.contains("gpu")) {
    problems.error("queuesFrom",
                   "KAI's queues need a resource gpu; say under resources what counts");
  }
  const auto count = counted_resources(config).size();
  if (count > max_resources) {
    problems.error("resources", "{} resources are counted, {} is the most", count, max_resources);
  }
  for (const auto& [name, strategy] : config.placement) {
    check_resource_name(config, name, "placement." + name, problems);
  }
}

namespace {

void check_fractions(const Fractions& fractions, ConfigProblems& problems) {
  const auto& device_class = fractions.device_class.get();
  if (!is_subdomain(device_class)) {
    problems.error("fractions.deviceClass", "{} is no name of a DeviceClass", device_class);
  }
  const auto check = [&](const std::string& path, const std::string& name, const char* what) {
    if (!is_qualified_name(name, false)) {
      problems.error(path, "{} is no {}: name or domain/name", name, what);
    }
  };
  check("fractions.memory", fractions.memory, "capacity");
  for (std::size_t i = 0; i < fractions.others.size(); ++i) {
    check(fmt::format("fractions.others[{}]", i), fractions.others[i], "capacity");
  }
  if (!fractions.distinct.empty() && !is_qualified_name(fractions.distinct, true)) {
    problems.error("fractions.distinct", "{} is no attribute: domain/name", fractions.distinct);
  }
}

}  // namespace

void check_devices(const PolicyConfig& config, ConfigProblems& problems) {
  if (config.fractions) check_fractions(*config.fractions, problems);
  const auto& aliases = config.alignment.aliases;
  std::vector<std::string> alias_names;
  for (const auto& [alias, attributes] : aliases) {
    const auto path = "alignment.aliases." + alias;
    alias_names.push_back(alias);
    if (alias.find('/') != std::string::npos) {
      problems.error(path, "an alias has no slash; attributes have");
    }
    if (attributes.empty()) problems.error(path, "stands for nothing");
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (!is_qualified_name(attributes[i], true)) {
        problems.error(fmt::format("{}[{}]", path, i), "{} is no attribute: domain/name",
                       attributes[i]);
      }
    }
  }
  const auto check_levels = [&](const char* key, const std::vector<std::string>& levels) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (aliases.contains(levels[i]) || is_qualified_name(levels[i], true)) continue;
      problems.error(fmt::format("alignment.{}[{}]", key, i),
                     "{} is neither an alias nor an attribute (domain/name){}", levels[i],
                     suggest(levels[i], alias_names));
    }
  };
  if (config.alignment.prefer) check_levels("prefer", *config.alignment.prefer);
  check_levels("require", config.alignment.require);
  std::set<std::string_view> levels;
  for (std::size_t i = 0; i < config.topology.size(); ++i) {
    const auto path = fmt::format("topology[{}]", i);
    const auto& level = config.topology[i];
    if (!is_qualified_name(level, false)) problems.error(path, "{} is no label key", level);
    if (!levels.insert(level).second) problems.error(path, "{} is there twice", level);
  }
}

void check_actions(const PolicyConfig& config, ConfigProblems& problems) {
  if (config.reclaim.enabled && config.queues_from == QueueSource::file && config.queues.empty()) {
    problems.warn("reclaim.enabled", "there are no queues to reclaim from");
  }
}

std::vector<ConfigProblem> validate(const PolicyConfig& config) {
  ConfigProblems problems;
  check_resources(config, problems);
  check_queues(config, problems);
  check_devices(config, problems);
  check_actions(config, problems);
  check_node_groups(config, problems);
  check_ranges(config, problems);
  return std::move(problems).take();
}

}  // namespace dray::policy
