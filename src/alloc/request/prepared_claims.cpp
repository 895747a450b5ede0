#include "alloc/request/prepared_claims.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "alloc/constraint/kinds.h"

namespace dray::alloc {
namespace {

constexpr int most_gone = 64;  // with one that comes

/// Of the expressions of a pod's claims together, on one device: what the API server allows all
/// expressions of a request. Counted are worst costs, as they are estimated when they are
/// compiled, so that it does not depend on what was run before.
constexpr std::uint64_t most_cost = 10 * cel::default_cost_limit;

class Preparer {
 public:
  Preparer(const cluster::Snapshot& snapshot, const Features& features, Programs& programs)
      : snapshot_(snapshot), features_(features), programs_(programs) {}

  PreparedClaims prepare(std::span<const ResourceClaim* const> claims) {
    for (const auto* claim : claims) {
      PreparedClaim made;
      made.claim = std::make_shared<const ResourceClaim>(*claim);
      made.label = claim->key().to_string();
      for (const auto& request : made.claim->spec.requests) {
        add_request(made, request);
      }
      add_constraints(made);
      prepared_.claims.push_back(std::move(made));
    }
    for (auto& spec : prepared_.specs) find_constraints(spec);
    return std::move(prepared_);
  }

 private:
  void add_request(PreparedClaim& claim, const DeviceRequest& request) {
    PreparedRequest made;
    made.first = static_cast<std::uint32_t>(prepared_.specs.size());
    made.alternatives = !request.first_available.empty();
    made.error = request_error(claim, request);
    const auto number = static_cast<std::uint32_t>(claim.requests.size());
    if (made.alternatives) {
      for (std::uint32_t i = 0; i < request.first_available.size(); ++i) {
        auto spec = make_spec(claim, request.first_available[i], request.first_available[i].name);
        spec.parent = request.name;
        spec.alternative = true;
        spec.sub = i;
        spec.admin = false;
        spec.request = number;
        prepared_.specs.push_back(std::move(spec));
      }
    } else {
      static const DeviceRequestSpec nothing;
      auto spec = make_spec(claim, request.exactly ? *request.exactly : nothing, request.name);
      spec.request = number;
      prepared_.specs.push_back(std::move(spec));
    }
    made.last = static_cast<std::uint32_t>(prepared_.specs.size());
    claim.requests.push_back(std::move(made));
  }

  std::optional<std::string> request_error(const PreparedClaim& claim,
                                           const DeviceRequest& request) const {
    if (!features_.prioritized_list && !request.first_available.empty()) {
      return fmt::format(
          "claim {}, request {}: has subrequests, but the DRAPrioritizedList feature is disabled",
          claim.label, request.name);
    }
    if (features_.consumable_capacity) return std::nullopt;
    constexpr auto text =
        "claim {}, {} {}: has capacity requests, but the DRAConsumableCapacity feature is disabled";
    if (request.exactly && request.exactly->has_capacity) {
      return fmt::format(text, claim.label, "request", request.name);
    }
    for (const auto& sub : request.first_available) {
      if (sub.has_capacity) return fmt::format(text, claim.label, "subrequest", sub.name);
    }
    return std::nullopt;
  }

  Spec make_spec(const PreparedClaim& claim, const DeviceRequestSpec& given,
                 const std::string& name) {
    Spec spec;
    spec.spec = &given;
    spec.name = name;
    spec.claim = static_cast<std::uint32_t>(prepared_.claims.size());
    spec.all = given.allocation_mode == "All";
    spec.admin = given.admin_access.value_or(false);
    spec.count = spec.all ? 0 : given.count;
    spec.device_class = snapshot_.compiled_class(given.device_class);
    for (const auto& selector : given.selectors) {
      spec.selectors.push_back(selector.cel ? programs_.find(*selector.cel, cel::Purpose::selector)
                                            : cluster::CompiledSelector{});
    }
    if (features_.derived_attributes) {
      for (const auto& derived : given.derived_attributes) {
        const auto& program = programs_.find(derived.expression, cel::Purpose::derived_attribute);
        std::erase_if(spec.derived, [&](const auto& other) { return other.name == derived.name; });
        spec.derived.push_back({derived.name, program});
      }
    }
    spec.error = spec_error(spec);
    if (!spec.error && !add_cost(spec)) {
      spec.error = fmt::format(
          ": the CEL expressions of this pod's claims may cost more than {} on a device",
          most_cost);
    }
    if (spec.error) {
      spec.error = fmt::format("claim {}, request {}{}", claim.label, name, *spec.error);
    }
    return spec;
  }

  /// Whether all expressions so far, with those of `spec`, cost no more than they may.
  bool add_cost(const Spec& spec) {
    const auto add = [this](const cluster::CompiledSelector& selector) {
      if (selector.program == nullptr) return;
      cost_ += std::min(selector.program->max_cost(), cel::default_cost_limit);
    };
    for (const auto& selector : spec.selectors) add(selector);
    for (const auto& derived : spec.derived) add(derived.program);
    return cost_ <= most_cost;
  }

  /// validateDeviceRequest up to where it looks at pools; what follows `claim C, request R`.
  [[nodiscard]] std::optional<std::string> spec_error(const Spec& spec) const {
    const auto& given = *spec.spec;
    if (!given.derived_attributes.empty() && !features_.derived_attributes) {
      return ": cannot handle request with derived attributes, the feature is disabled";
    }
    for (std::size_t i = 0; i < spec.selectors.size(); ++i) {
      if (spec.selectors[i].has_cel) continue;
      return fmt::format(", selector #{}: CEL expression empty (unsupported selector type?)", i);
    }
    if (!features_.admin_access && given.admin_access) {
      return ": admin access is requested, but the feature is disabled";
    }
    const auto& class_name = given.device_class.get();
    if (class_name.empty()) return ": missing device class name (unsupported request type?)";
    if (!spec.device_class) {
      return fmt::format(
          ": could not retrieve device class {0}: deviceclass.resource.k8s.io \"{0}\" not found",
          class_name);
    }
    if (!spec.all && given.allocation_mode != "ExactCount") {
      return ": unsupported count mode " + given.allocation_mode;
    }
    return std::nullopt;
  }

  void add_constraints(PreparedClaim& claim) const {
    const auto& unreadable = claim.claim->spec.unreadable;
    if (!unreadable.empty()) {
      claim.constraint_error = fmt::format("claim {} cannot be read: {}", claim.label, unreadable);
      return;
    }
    const auto& constraints = claim.claim->spec.constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      claim.constraints.push_back(make_constraint(constraints[i], features_));
      if (claim.constraints.back()) continue;
      claim.constraints.pop_back();
      claim.constraint_error =
          fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                      claim.label, i);
      return;
    }
  }

  void find_constraints(Spec& spec) const {
    const auto& claim = prepared_.claims[spec.claim];
    const auto full_name = spec.full_name();
    for (std::uint32_t i = 0; i < claim.constraints.size(); ++i) {
      const auto& scope = claim.claim->spec.constraints[i].requests;
      const auto named = [&](const std::string& name) {
        return std::ranges::find(scope, name) != scope.end();
      };
      if (scope.empty() || named(full_name) || (spec.alternative && named(spec.parent))) {
        spec.constraints.push_back(i);
      }
    }
  }

  const cluster::Snapshot& snapshot_;
  const Features& features_;
  Programs& programs_;
  PreparedClaims prepared_;
  std::uint64_t cost_ = 0;
};

}  // namespace

void Programs::forget_oldest(Known& known) {
  auto& [text, compiled] = known.by_text.oldest();
  known.text -= text.size() + each_costs;
  if (compiled.program) gone_.push_back(std::move(compiled.program));
  known.by_text.erase_oldest();
}

const cluster::CompiledSelector& Programs::find(const std::string& text, cel::Purpose purpose) {
  auto& known = known_[purpose == cel::Purpose::selector ? 0 : 1];
  if (const auto* compiled = known.by_text.find(text)) return *compiled;
  known.text += text.size() + each_costs;
  for (int gone = 0; gone < most_gone && known.text > most_text && known.by_text.size() > 0;
       ++gone) {
    forget_oldest(known);
  }
  auto& compiled = known.by_text.obtain(text).first;
  compiled.has_cel = true;
  // The API server takes none; what is stored all the same costs nothing here.
  if (text.size() > cel::max_expression_length) {
    compiled.error = fmt::format("too long: {} bytes, and more than {} are not compiled",
                                 text.size(), cel::max_expression_length);
    return compiled;
  }
  auto program = cel::compile(text, {.environment = {}, .purpose = purpose});
  if (program) {
    compiled.program = std::move(*program);
  } else {
    compiled.error = program.error().message;
  }
  return compiled;
}

const DerivedAttributeProgram* Spec::find_derived(const std::string& attribute) const {
  const auto at = std::ranges::find(derived, attribute, &DerivedAttributeProgram::name);
  return at == derived.end() ? nullptr : &*at;
}

bool PreparedClaims::is_for(std::span<const ResourceClaim* const> given) const {
  return std::ranges::equal(
      claims, given, [](const PreparedClaim& mine, const ResourceClaim* theirs) {
        return mine.claim->meta.name == theirs->meta.name &&
               mine.claim->meta.namespace_name == theirs->meta.namespace_name &&
               mine.claim->spec == theirs->spec;
      });
}

PreparedClaims prepare(std::span<const ResourceClaim* const> claims,
                       const cluster::Snapshot& snapshot, const Features& features,
                       Programs& programs) {
  return Preparer(snapshot, features, programs).prepare(claims);
}

}  // namespace dray::alloc
