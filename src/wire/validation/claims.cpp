#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "wire/validation/context.h"
#include "wire/validation/names.h"

// Source: pkg/apis/resource/validation/validation.go of Kubernetes 1.37.

namespace dray::wire {
namespace {

constexpr std::size_t max_requests = 32;
constexpr std::size_t max_constraints = 32;
constexpr std::size_t max_configs = 32;
constexpr std::size_t max_alternatives = 8;
constexpr std::size_t max_derived = 32;
constexpr std::uint64_t max_derived_cost = 1'000'000;

class ClaimChecker {
 public:
  ClaimChecker(const Field& devices, const ValidationContext& context)
      : devices_(devices), context_(context), errors_(context.errors) {
    for (const auto& request : devices.child("requests").items()) {
      auto& names = names_[name_key(request)];
      names.clear();
      for (const auto& sub : request.child("firstAvailable").items()) names.insert(name_key(sub));
    }
  }

  void run() {
    check_set(
        devices_.child("requests"), max_requests, errors_,
        [this](const Field& each) { request(each); }, name_key);
    check_list(devices_.child("constraints"), max_constraints, errors_,
               [this](const Field& each) { constraint(each); });
    check_list(devices_.child("config"), max_configs, errors_, [this](const Field& each) {
      references(each.child("requests"));
      check_opaque(each, errors_);
    });
    if (derived_cost_ > max_derived_cost) {
      errors_.forbidden(devices_,
                        "too complex, total cost of derived attribute CEL expressions in the "
                        "claim exceeds cost limit");
    }
  }

 private:
  void request(const Field& request) {
    check_label_name(request.child("name"), errors_);
    const auto first = request.child("firstAvailable");
    const auto exactly = request.child("exactly");
    const bool has_list = !first.items().empty();
    if (!has_list && !exactly.present()) {
      return errors_.required(request, "exactly one of `exactly` or `firstAvailable` is required");
    }
    if (has_list && exactly.present()) {
      return errors_.invalid_json(request, "null",
                                  "exactly one of `exactly` or `firstAvailable` is required, but "
                                  "multiple fields are set");
    }
    const auto name = name_key(request);
    if (!has_list) return wish(exactly, name);
    check_set(
        first, max_alternatives, errors_,
        [&](const Field& sub) {
          check_label_name(sub.child("name"), errors_);
          wish(sub, name + "/" + name_key(sub));
        },
        name_key);
  }

  /// What requests and alternatives have in common.
  void wish(const Field& wish, const std::string& name) {
    const auto device_class = wish.child("deviceClassName");
    if (device_class.text().empty()) {
      errors_.required(device_class);
    } else {
      check_subdomain(device_class, errors_);
    }
    check_selectors(wish.child("selectors"), context_);
    if (context_.options.features.derived_attributes)
      derived(wish.child("derivedAttributes"), name);
    allocation_mode(wish);
    for (const auto& each : wish.child("tolerations").items()) toleration(each);
  }

  void allocation_mode(const Field& wish) {
    const auto mode = wish.child("allocationMode");
    const auto count = wish.child("count");
    if (mode.text() == "All") {
      if (count.integer() != 0) {
        errors_.invalid(count, count.integer(),
                        "must not be specified when allocationMode is 'All'");
      }
    } else if (mode.text().empty() || mode.text() == "ExactCount") {
      // 0 becomes 1.
      if (count.integer() < 0) errors_.invalid(count, count.integer(), "must be greater than zero");
    } else {
      errors_.not_supported(mode, mode.text(), {"All", "ExactCount"});
    }
  }

  void toleration(const Field& toleration) {
    const auto key = toleration.child("key");
    if (!key.text().empty()) check_label_key(key, errors_);
    const auto value = toleration.child("value");
    const auto op = toleration.child("operator");
    if (op.text() == "Exists") {
      if (!value.text().empty()) {
        errors_.invalid(value, value.text(), "must be empty for operator `Exists`");
      }
    } else if (op.text().empty() || op.text() == "Equal") {
      check_label_value(value, errors_);
    } else {
      errors_.not_supported(op, op.text(), {"Equal", "Exists"});
    }
    const auto effect = toleration.child("effect");
    const bool known = effect.text().empty() || effect.text() == "NoSchedule" ||
                       effect.text() == "NoExecute" || effect.text() == "None";
    if (!known) errors_.not_supported(effect, effect.text(), {"NoExecute", "NoSchedule", "None"});
  }

  void derived(const Field& attributes, const std::string& request) {
    check_set(
        attributes, max_derived, errors_,
        [&](const Field& each) {
          const auto name = each.child("name");
          const auto expression = each.child("expression");
          if (name.text().empty()) {
            errors_.required(name);
          } else {
            check_fully_qualified_name(name, errors_);
            if (!is_constrained(name.text(), request)) {
              errors_.invalid(name, name.text(),
                              "must be referenced by at least one matchAttribute or "
                              "distinctAttribute constraint targeting this request");
            }
          }
          if (expression.text().empty()) return errors_.required(expression);
          derived_cost_ += check_expression(expression, cel::Purpose::derived_attribute, context_);
        },
        name_key);
  }

  bool is_constrained(std::string_view attribute, std::string_view request) const {
    const auto parent = request.substr(0, request.find('/'));
    return std::ranges::any_of(devices_.child("constraints").items(), [&](const Field& each) {
      const auto match = each.child("matchAttribute");
      const auto name = match.present() ? match : each.child("distinctAttribute");
      if (name.text() != attribute) return false;
      const auto requests = each.child("requests").items();
      return requests.empty() || std::ranges::any_of(requests, [&](const Field& of) {
               return of.text() == request || of.text() == parent;
             });
    });
  }

  void constraint(const Field& constraint) {
    references(constraint.child("requests"));
    const auto match = constraint.child("matchAttribute");
    const auto distinct = constraint.child("distinctAttribute");
    if (match.present()) {
      check_fully_qualified_name(match, errors_);
    } else if (!distinct.present()) {
      errors_.required(constraint,
                       "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, "
                       "but multiple fields are set");
    }
    if (distinct.present()) check_fully_qualified_name(distinct, errors_);
  }

  void references(const Field& requests) {
    check_set(
        requests, max_requests, errors_, [this](const Field& each) { reference(each); }, text_key);
  }

  void reference(const Field& field) {
    constexpr std::string_view rule =
        "must be the name of a request in the claim or the name of a request and a subrequest "
        "separated by '/'";
    const auto name = field.text();
    const auto slash = name.find('/');
    const auto request = name.substr(0, slash);
    if (slash == std::string_view::npos) {
      check_format("dns1123Label", field, request, errors_);
    } else {
      const auto sub = name.substr(slash + 1);
      if (sub.find('/') != std::string_view::npos) return errors_.invalid(field, name, rule);
      check_format("dns1123Label", field, request, errors_);
      check_format("dns1123Label", field, sub, errors_);
    }
    const auto known = names_.find(request);
    const bool exists = known != names_.end() && (slash == std::string_view::npos ||
                                                  known->second.contains(name.substr(slash + 1)));
    if (!exists) errors_.invalid(field, name, rule);
  }

  const Field& devices_;
  const ValidationContext& context_;
  FieldErrors& errors_;
  /// Requests with the names of their alternatives.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> names_;
  std::uint64_t derived_cost_ = 0;
};

/// Who asks for admin access needs a namespace that allows it.
void check_admin_access(const Field& object, const ValidationContext& context) {
  const auto space = object.child("metadata").child("namespace").text();
  const auto known = context.options.namespaces.find(space.empty() ? "default" : space);
  if (known == context.options.namespaces.end() || known->second) return;
  const auto requests = object.child("spec").child("devices").child("requests");
  for (const auto& request : requests.items()) {
    const auto admin = request.child("exactly").child("adminAccess");
    if (!admin.boolean()) continue;
    // Upstream leaves `exactly` out of the path.
    context.errors.forbidden(request.child("adminAccess").at(admin.place()),
                             "admin access to devices requires the "
                             "`resource.kubernetes.io/admin-access: true` label on the containing "
                             "namespace");
    return;
  }
}

}  // namespace

void check_claim_spec(const Field& spec, const ValidationContext& context) {
  const auto devices = spec.child("devices");
  ClaimChecker(devices, context).run();
}

void check_claim(const Field& object, const ValidationContext& context) {
  check_admin_access(object, context);
  check_namespaced_meta(object.child("metadata"), context.errors);
  check_claim_spec(object.child("spec"), context);
}

void check_device_class(const Field& object, const ValidationContext& context) {
  check_meta(object.child("metadata"), context.errors);
  const auto spec = object.child("spec");
  check_selectors(spec.child("selectors"), context);
  check_list(spec.child("config"), max_configs, context.errors,
             [&](const Field& each) { check_opaque(each, context.errors); });
  const auto resource = spec.child("extendedResourceName");
  if (resource.present() && !is_extended_resource_name(resource.text())) {
    context.errors.invalid(resource, resource.text(), "must be a valid extended resource name");
  }
}

void check_taint_rule(const Field& object, const ValidationContext& context) {
  auto& errors = context.errors;
  check_meta(object.child("metadata"), errors);
  const auto spec = object.child("spec");
  const auto selector = spec.child("deviceSelector");
  if (const auto driver = selector.child("driver"); driver.present()) {
    check_driver_name(driver, driver.text(), errors);
  }
  if (const auto pool = selector.child("pool"); pool.present()) check_pool_name(pool, errors);
  if (const auto device = selector.child("device"); device.present()) {
    check_label_name(device, errors);
  }
  check_taint(spec.child("taint"), errors);
}

}  // namespace dray::wire
