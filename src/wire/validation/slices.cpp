#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "wire/validation/context.h"
#include "wire/validation/names.h"

// Source: pkg/apis/resource/validation/validation.go of Kubernetes 1.37.

namespace dray::wire {
namespace {

constexpr std::size_t max_devices = 128;
/// With taints, counters or lists as attributes.
constexpr std::size_t max_advanced_devices = 64;
constexpr std::size_t max_counter_sets = 8;
constexpr std::size_t max_counters = 32;
constexpr std::size_t max_consumptions = 2;
constexpr std::size_t max_compatibility_groups = 2;
constexpr std::size_t max_attributes_and_capacities = 32;
constexpr std::size_t max_attribute_values = 48;
constexpr std::size_t max_value_length = 64;
constexpr std::size_t max_taints = 16;
constexpr std::array attribute_lists{"bools", "ints", "strings", "versions"};

bool is_list(const Field& field) {
  return field.present() && field.node()->kind == ConfigNode::Kind::list;
}

class SliceChecker {
 public:
  SliceChecker(const Field& spec, const ValidationContext& context)
      : spec_(spec), options_(context.options), errors_(context.errors) {}

  void run() {
    const auto driver = spec_.child("driver");
    check_driver_name(driver, driver.text(), errors_);
    pool();
    where(spec_, {"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"},
          "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
          "required");
    const auto devices = spec_.child("devices");
    const auto counters = spec_.child("sharedCounters");
    if (is_list(devices) && is_list(counters)) {
      errors_.invalid(spec_, "", "only one of `sharedCounters` or `devices` is allowed");
    }
    check_set(
        devices, is_advanced(devices) ? max_advanced_devices : max_devices, errors_,
        [this](const Field& each) { device(each); }, name_key);
    check_set(
        counters, max_counter_sets, errors_,
        [this](const Field& each) {
          check_label_name_or_required(each.child("name"));
          this->counters(each.child("counters"));
        },
        name_key);
    if (options_.partition_type) partition_type();
    if (options_.features.optional_node_operations)
      node_operations(spec_.child("skipNodeOperations"));
  }

 private:
  void check_label_name_or_required(const Field& name) {
    if (name.text().empty()) {
      errors_.required(name);
    } else {
      check_label_name(name, errors_);
    }
  }

  void pool() {
    const auto pool = spec_.child("pool");
    check_pool_name(pool.child("name"), errors_);
    const auto count = pool.child("resourceSliceCount");
    if (count.integer() <= 0) {
      errors_.invalid(count, count.integer(), "must be greater than zero");
    }
    const auto generation = pool.child("generation");
    if (generation.integer() < 0) {
      errors_.invalid(generation, generation.integer(), "must be greater than or equal to zero");
    }
  }

  /// Exactly one of these fields says on which nodes it is.
  void where(const Field& of, const std::vector<std::string_view>& names, std::string_view rule) {
    const bool is_slice = &of == &spec_;
    std::vector<std::string> set;
    for (const auto name : names) {
      const auto field = of.child(name);
      if (!field.present()) continue;
      bool counts = true;
      if (name == "nodeName") {
        counts = !field.text().empty();
        if (counts) {
          check_subdomain(field, errors_);
        } else {
          errors_.invalid(
              field, "",
              is_slice ? "must be either unset or set to a non-empty string" : "must not be empty");
        }
      } else if (name == "nodeSelector") {
        check_node_selector(field, errors_);
        const auto terms = field.child("nodeSelectorTerms");
        if (is_slice && terms.items().size() != 1) {
          errors_.invalid_json(terms, terms.json(), "must have exactly one node selector term");
        }
      } else {
        counts = field.boolean();
        if (!counts) {
          errors_.add(field, "Invalid value: false: must be either unset or set to true");
        }
      }
      if (counts) set.push_back(fmt::format("`{}`", name));
    }
    if (set.empty()) {
      errors_.required(of, rule);
    } else if (set.size() > 1) {
      errors_.invalid(of, fmt::format("{{{}}}", fmt::join(set, ", ")),
                      fmt::format("{}, but multiple fields are set", rule));
    }
  }

  bool is_advanced(const Field& devices) const {
    return std::ranges::any_of(devices.items(), [this](const Field& device) {
      if (!device.child("taints").items().empty()) return true;
      if (!device.child("consumesCounters").items().empty()) return true;
      if (!options_.features.list_type_attributes) return false;
      const auto attributes = device.child("attributes");
      return std::ranges::any_of(attributes.members(), [&](const auto& member) {
        const auto value = attributes.key(member);
        return std::ranges::any_of(attribute_lists,
                                   [&](const char* name) { return is_list(value.child(name)); });
      });
    });
  }

  void device(const Field& device) {
    check_label_name(device.child("name"), errors_);
    const auto attributes = device.child("attributes");
    const auto capacity = device.child("capacity");
    const auto named = attributes.members().size() + capacity.members().size();
    if (named > max_attributes_and_capacities) {
      errors_.invalid(device, static_cast<std::int64_t>(named),
                      fmt::format("the total number of attributes and capacities must not exceed "
                                  "{}",
                                  max_attributes_and_capacities));
    }
    if (const auto values = value_count(attributes); values > max_attribute_values) {
      errors_.invalid(device, static_cast<std::int64_t>(values),
                      fmt::format("the total number of attribute values must not exceed {}",
                                  max_attribute_values));
    }
    for (const auto& member : attributes.members()) {
      check_qualified_name(attributes, member.key, errors_);
      attribute(attributes.key(member));
    }
    const bool shared = device.child("allowMultipleAllocations").boolean();
    for (const auto& member : capacity.members()) {
      check_qualified_name(capacity, member.key, errors_);
      this->capacity(capacity.key(member), shared);
    }
    check_list(device.child("taints"), max_taints, errors_,
               [this](const Field& each) { check_taint(each, errors_); });
    check_set(
        device.child("consumesCounters"), max_consumptions, errors_,
        [this](const Field& each) { consumption(each); },
        [](const Field& each) { return std::string(each.child("counterSet").text()); });
    where_of(device);
    check_binding_conditions(device, errors_);
    if (options_.features.node_allocatable_resources) check_node_allocatable(device, errors_);
  }

  std::size_t value_count(const Field& attributes) const {
    std::size_t count = 0;
    for (const auto& member : attributes.members()) {
      std::size_t items = 0;
      for (const auto* name : attribute_lists) {
        if (options_.features.list_type_attributes)
          items += attributes.key(member).child(name).items().size();
      }
      count += std::max<std::size_t>(items, 1);
    }
    return count;
  }

  void attribute(const Field& value) {
    std::size_t set = 0;
    for (const auto* name : {"bool", "int", "string", "version"}) {
      if (value.child(name).present()) ++set;
    }
    if (const auto text = value.child("string"); text.text().size() > max_value_length) {
      errors_.too_long(text, max_value_length);
    }
    if (const auto version = value.child("version"); version.present()) this->version(version);
    for (const auto* name : attribute_lists) {
      const auto list = value.child(name);
      if (!options_.features.list_type_attributes || !is_list(list)) continue;
      ++set;
      if (list.items().empty()) {
        errors_.invalid_json(list, "[]", "must not be empty if specified");
      }
      for (const auto& item : list.items()) {
        if (std::string_view(name) == "versions") version(item);
        if (std::string_view(name) == "strings" && item.text().size() > max_value_length) {
          errors_.too_long(item, max_value_length);
        }
      }
    }
    if (set == 0) errors_.invalid(value, "", "exactly one value must be specified");
    if (set > 1) errors_.invalid_json(value, value.json(), "exactly one value must be specified");
  }

  void version(const Field& version) {
    if (!is_semver(version.text())) {
      errors_.invalid(version, version.text(),
                      "must be a string compatible with semver.org spec 2.0.0");
    }
    if (version.text().size() > max_value_length) errors_.too_long(version, max_value_length);
  }

  void capacity(const Field& capacity, bool shared) {
    const auto policy = capacity.child("requestPolicy");
    if (!policy.present()) return;
    if (!shared) return errors_.forbidden(policy, "allowMultipleAllocations must be true");
    check_request_policy(policy, capacity.child("value").quantity(), options_.features, errors_);
  }

  void counters(const Field& counters) {
    const auto& members = counters.members();
    if (members.empty()) return errors_.required(counters);
    if (members.size() > max_counters) {
      return errors_.too_many(counters, members.size(), max_counters);
    }
    for (const auto& member : members) {
      check_format("dns1123Label", counters, member.key, errors_);
    }
  }

  void consumption(const Field& consumption) {
    check_label_name_or_required(consumption.child("counterSet"));
    counters(consumption.child("counters"));
    if (!options_.features.compatibility_groups) return;
    check_set(
        consumption.child("compatibilityGroups"), max_compatibility_groups, errors_,
        [this](const Field& each) { check_label_name(each, errors_); }, text_key);
  }

  void where_of(const Field& device) {
    const std::vector<std::string_view> names{"nodeName", "nodeSelector", "allNodes"};
    if (spec_.child("perDeviceNodeSelection").boolean()) {
      return where(device, names,
                   "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
                   "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
    }
    const bool any = std::ranges::any_of(
        names, [&](std::string_view name) { return device.child(name).present(); });
    if (any) {
      errors_.invalid_json(device, "null",
                           "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                           "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
    }
  }

  void partition_type() {
    const auto name = spec_.child("partitionTypeAttribute");
    if (!name.present()) return;
    FieldErrors found;
    check_fully_qualified_name(name, found);
    const bool is_name = found.empty();
    if (!is_name) check_fully_qualified_name(name, errors_);
    const auto devices = spec_.child("devices").items();
    const auto consumes = [](const Field& device) {
      return !device.child("consumesCounters").items().empty();
    };
    if (std::ranges::none_of(devices, consumes)) {
      return errors_.invalid(
          name, name.text(),
          "may only be set on a slice which declares devices that consume counters");
    }
    if (!is_name) return;
    auto bare = name.text();
    if (const auto own = fmt::format("{}/", spec_.child("driver").text()); bare.starts_with(own)) {
      bare.remove_prefix(own.size());
    }
    for (const auto& device : devices) {
      if (consumes(device)) partition_type_of(device, name.text(), bare);
    }
  }

  void partition_type_of(const Field& device, std::string_view name, std::string_view bare) {
    const auto attributes = device.child("attributes");
    const ConfigNode::Member* found = nullptr;
    for (const auto wanted : {name, bare}) {
      const auto at = std::ranges::find(attributes.members(), wanted, &ConfigNode::Member::key);
      if (found == nullptr && at != attributes.members().end()) found = &*at;
    }
    // Errors name the attribute in full.
    if (found == nullptr) {
      return errors_.required(attributes.named(name),
                              "device consumes counters and `partitionTypeAttribute` names this "
                              "attribute, so it must be set");
    }
    if (!attributes.key(*found).child("string").present()) {
      errors_.invalid_json(attributes.named(name), attributes.key(*found).json(),
                           "must be a string value because `partitionTypeAttribute` names this "
                           "attribute");
    }
  }

  void node_operations(const Field& list) {
    constexpr std::string_view prepare = "NodePrepareResources";
    constexpr std::string_view unprepare = "NodeUnprepareResources";
    std::set<std::string, std::less<>> all;
    check_set(
        list, list.items().size(), errors_,
        [&](const Field& each) {
          all.emplace(each.text());
          const bool known =
              each.text() == "*" || each.text() == prepare || each.text() == unprepare;
          if (!known) errors_.not_supported(each, each.text(), {"*", prepare, unprepare});
        },
        text_key);
    if (all.contains(prepare) && !all.contains(unprepare) && !all.contains("*")) {
      errors_.invalid_json(
          list, list.json(),
          "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped");
    }
  }

  const Field& spec_;
  const ValidationOptions& options_;
  FieldErrors& errors_;
};

}  // namespace

void check_slice(const Field& object, const ValidationContext& context) {
  check_meta(object.child("metadata"), context.errors);
  const auto spec = object.child("spec");
  SliceChecker(spec, context).run();
}

}  // namespace dray::wire
