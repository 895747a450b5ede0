#include "tests/cases/expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

namespace dray::cases {

void Inventory::add(const ResourceSlice& slice) {
  auto& pool = pools_[{slice.driver, slice.pool}];
  if (slice.pool_generation < pool.generation) return;
  if (slice.pool_generation > pool.generation) pool.devices.clear();
  pool.generation = slice.pool_generation;
  for (const auto& device : slice.devices) pool.devices[device.name] = device;
}

const Device* Inventory::find(const DeviceId& id) const {
  const auto pool = pools_.find({id.driver, id.pool});
  if (pool == pools_.end()) return nullptr;
  const auto device = pool->second.devices.find(id.device);
  return device == pool->second.devices.end() ? nullptr : &device->second;
}

namespace {

/// The entry of a map by qualified names that `name` means for a driver's device.
template <class Map>
auto find_qualified(const Map& map, const DriverName& driver, std::string_view name) {
  const auto prefix = driver.get() + "/";
  const auto as_written = map.find(name);
  if (as_written != map.end()) return as_written;
  if (name.starts_with(prefix)) return map.find(name.substr(prefix.size()));
  return name.contains('/') ? map.end() : map.find(prefix + std::string(name));
}

}  // namespace

const AttributeValue* Inventory::attribute(const DeviceId& id, std::string_view name) const {
  const auto* device = find(id);
  if (device == nullptr) return nullptr;
  const auto found = find_qualified(device->attributes, id.driver, name);
  return found == device->attributes.end() ? nullptr : &found->second;
}

namespace {

using Names = std::vector<std::string>;

class Check {
 public:
  Check(const Json& want, const Observed& observed, const Inventory& inventory)
      : want_(want), observed_(observed), inventory_(inventory) {}

  Names run() {
    if (!well_formed()) return wrong_;
    if (!want_["bound"].get<bool>()) {
      unplaced();
    } else if (observed_.node.empty()) {
      complain("not bound: {}", observed_.refusal);
    } else {
      node();
      devices();
      attributes();
      consumed();
      extras();
    }
    return wrong_;
  }

 private:
  template <class... Args>
  void complain(fmt::format_string<Args...> form, Args&&... args) {
    wrong_.push_back(fmt::format(form, std::forward<Args>(args)...));
  }

  bool well_formed() {
    static const std::set<std::string> of_bound{"nodes",    "devices",  "count",   "same",
                                                "distinct", "admin",    "binding", "consumed",
                                                "samenode", "extended", "warn"};
    for (const auto& [field, value] : want_.items()) {
      if (field != "bound" && field != "why" && !of_bound.contains(field)) {
        complain("unknown field {}", field);
      }
    }
    if (!want_.contains("bound")) {
      complain("bound is not said");
      return false;
    }
    const bool bound = want_["bound"].get<bool>();
    if (!bound && !want_.contains("why")) complain("why is not said");
    for (const auto& [field, value] : want_.items()) {
      if (bound ? field == "why" : of_bound.contains(field)) {
        complain("{} means nothing where bound is {}", field, bound);
      }
    }
    return wrong_.empty();
  }

  void unplaced() {
    if (!observed_.node.empty()) complain("bound to {}, must not be", observed_.node);
    if (!observed_.devices.empty()) {
      complain("has {} devices, must have none", observed_.devices.size());
    }
    if (observed_.node.empty() && observed_.refusal.empty()) complain("no reason given");
  }

  void node() {
    const auto globs = want_.value("nodes", Names());
    const auto matches = [&](const std::string& glob) {
      return fnmatch(glob.c_str(), observed_.node.c_str(), 0) == 0;
    };
    if (!globs.empty() && std::ranges::none_of(globs, matches)) {
      complain("node {}, want one of {}", observed_.node, fmt::join(globs, ", "));
    }
  }

  [[nodiscard]] std::vector<const AllocatedDevice*> of(const Names& requests) const {
    std::vector<const AllocatedDevice*> found;
    for (const auto& device : observed_.devices) {
      if (std::ranges::find(requests, device.request) != requests.end()) found.push_back(&device);
    }
    return found;
  }

  void devices() {
    for (const auto& each : observed_.devices) {
      if (inventory_.find(each.device) == nullptr)
        complain("no device {}", each.device.to_string());
    }
    const auto patterns = want_.value("devices", std::map<std::string, std::string>());
    for (const auto& [requests, pattern] : patterns) {
      Names names;
      for (std::size_t at = 0; at <= requests.size();) {
        const auto end = std::min(requests.find('|', at), requests.size());
        names.push_back(requests.substr(at, end - at));
        at = end + 1;
      }
      const auto found = of(names);
      if (found.empty()) complain("no device for request {}", requests);
      const std::regex form(pattern);
      for (const auto* each : found) {
        if (std::regex_match(each->device.device.get(), form)) continue;
        complain("request {}: device {} is not {}", each->request, each->device.device.get(),
                 pattern);
      }
    }
    const auto count = want_.value("count", observed_.devices.size());
    if (observed_.devices.size() != count) {
      complain("{} devices, want {}", observed_.devices.size(), count);
    }
  }

  /// One value for each device of the rule's requests that has it.
  std::vector<AttributeValue> values_of(const Names& rule) {
    std::vector<AttributeValue> values;
    for (std::size_t i = 1; i < rule.size(); ++i) {
      const auto found = of({rule[i]});
      if (found.empty()) complain("no device for request {}", rule[i]);
      for (const auto* each : found) {
        const auto* value = inventory_.attribute(each->device, rule[0]);
        if (value == nullptr) {
          complain("device {} has no attribute {}", each->device.to_string(), rule[0]);
        } else {
          values.push_back(*value);
        }
      }
    }
    return values;
  }

  void attributes() {
    for (const bool same : {true, false}) {
      for (const auto& rule : want_.value(same ? "same" : "distinct", std::vector<Names>())) {
        const auto values = values_of(rule);
        const std::set<AttributeValue> different(values.begin(), values.end());
        if (!values.empty() && different.size() == (same ? 1 : values.size())) continue;
        complain("{} of {}: {} values among {} devices, want {}", rule[0],
                 fmt::join(rule.begin() + 1, rule.end(), ", "), different.size(), values.size(),
                 same ? "one" : "all different");
      }
    }
  }

  void consumed() {
    const auto amounts = want_.value("consumed", std::map<std::string, std::string>());
    for (const auto& [capacity, amount] : amounts) {
      const auto want = Quantity::parse(amount).value();
      if (observed_.devices.empty()) complain("no device consumes {}", capacity);
      for (const auto& each : observed_.devices) {
        const auto got = find_qualified(each.consumed_capacity, each.device.driver, capacity);
        if (got != each.consumed_capacity.end() && got->second == want) continue;
        complain("device {} does not consume {} of {}", each.device.to_string(), amount, capacity);
      }
    }
  }

  void extras() {
    for (const auto& each : observed_.devices) {
      if (!want_.value("admin", false) || each.admin_access == true) continue;
      complain("device {} without admin access", each.device.to_string());
    }
    for (const auto& condition : want_.value("binding", Names())) {
      const bool found = std::ranges::any_of(observed_.devices, [&](const auto& each) {
        return std::ranges::find(each.binding_conditions, condition) !=
               each.binding_conditions.end();
      });
      if (!found) complain("no device with binding condition {}", condition);
    }
    const auto extended = want_.value("extended", observed_.extended);
    if (observed_.extended != extended) {
      complain("{} devices behind extended resources, want {}", observed_.extended, extended);
    }
    const auto warning = want_.value("warn", "");
    if (!warning.empty() && std::ranges::none_of(observed_.warnings, [&](const auto& said) {
          return said.contains(warning);
        })) {
      complain("no warning \"{}\"", warning);
    }
  }

  const Json& want_;
  const Observed& observed_;
  const Inventory& inventory_;
  Names wrong_;
};

}  // namespace

Names unmet(const Json& expectation, const Observed& observed, const Inventory& inventory) {
  return Check(expectation, observed, inventory).run();
}

Names unmet_of_pods(const Json& pods, const std::map<std::string, Observed>& all,
                    const Inventory& inventory) {
  Names wrong;
  std::set<std::string> shared;
  for (const auto& [name, expectation] : pods.items()) {
    const auto seen = all.find(name);
    if (seen == all.end()) {
      wrong.push_back(name + ": no such pod");
      continue;
    }
    for (const auto& text : unmet(expectation, seen->second, inventory)) {
      wrong.push_back(fmt::format("{}: {}", name, text));
    }
    if (expectation.value("samenode", false) && !seen->second.node.empty()) {
      shared.insert(seen->second.node);
    }
  }
  for (const auto& [name, observed] : all) {
    if (!pods.contains(name)) wrong.push_back(name + ": nothing is expected of it");
  }
  if (shared.size() > 1) {
    wrong.push_back(fmt::format("pods must share a node, are on {}", fmt::join(shared, ", ")));
  }
  return wrong;
}

Names switch_gates_on(const Names& gates, alloc::Features& features) {
  // These decide which kinds of objects there are; here, all are read.
  static const std::set<std::string> of_kinds{"GenericWorkload", "TopologyAwareWorkloadScheduling",
                                              "DRAWorkloadResourceClaims"};
  Names wrong;
  for (const auto& gate : gates) {
    if (!features.set_gate(gate, true) && !of_kinds.contains(gate)) {
      wrong.push_back("unknown gate " + gate);
    }
  }
  return wrong;
}

}  // namespace dray::cases
