#include "planner/explain/constraint_help.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>

namespace dray::planner {
namespace {

/// `that devices share one resource.kubernetes.io/pcieRoot`
std::string text_of(const DeviceConstraint& constraint) {
  const bool match = constraint.kind == ConstraintKind::match_attribute;
  return fmt::format("that devices {} {}", match ? "share one" : "differ in", constraint.attribute);
}

class ConstraintHelp {
 public:
  ConstraintHelp(const cluster::AllocatedState& state, cluster::NodeIndex node,
                 const PodClaims& claims, const alloc::AllocatorOptions& options)
      : state_(state), node_(node), options_(options), allocator_(options) {
    for (const auto& claim : claims) {
      if (!claim->allocation) open_.push_back(claim);
    }
  }

  std::vector<std::string> run() {
    for (std::size_t c = 0; c < open_.size(); ++c) {
      for (std::size_t i = 0; i < open_[c]->spec.constraints.size(); ++i) help_for(c, i);
    }
    return std::move(said_);
  }

 private:
  void help_for(std::size_t claim, std::size_t number) {
    const auto& constraint = open_[claim]->spec.constraints[number];
    const auto& node = state_.snapshot().name(node_).get();
    if (constraint.kind == ConstraintKind::match_attribute) {
      if (const auto wider = wider_than(claim, number)) {
        said_.push_back(fmt::format("match {} in place of {}: {} then has devices for it", *wider,
                                    constraint.attribute, node));
      }
    }
    const bool fits = fits_with(claim, [&](ResourceClaim& changed) {
      changed.spec.constraints.erase(changed.spec.constraints.begin() +
                                     static_cast<std::ptrdiff_t>(number));
    });
    if (fits) {
      said_.push_back(fmt::format("drop the claim's constraint {}: {} then has devices for it",
                                  text_of(constraint), node));
    }
  }

  /// The closest level of alignment that does in place of the attribute.
  [[nodiscard]] std::optional<std::string> wider_than(std::size_t claim, std::size_t number) {
    const auto& attribute = open_[claim]->spec.constraints[number].attribute;
    for (const auto& level : options_.alignment) {
      for (const auto& other : level.attributes) {
        if (other == attribute) continue;
        const bool fits = fits_with(claim, [&](ResourceClaim& changed) {
          changed.spec.constraints[number].attribute = other;
        });
        if (fits) return other;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool fits_with(std::size_t claim,
                               const std::function<void(ResourceClaim&)>& change) {
    auto changed = *open_[claim];
    change(changed);
    std::vector<const ResourceClaim*> asked;
    for (const auto& each : open_) asked.push_back(each.get());
    asked[claim] = &changed;
    const auto fit = allocator_.check(state_, node_, asked);
    return fit && fit->reason == Reason::none;
  }

  const cluster::AllocatedState& state_;
  cluster::NodeIndex node_;
  const alloc::AllocatorOptions& options_;
  alloc::Allocator allocator_;
  PodClaims open_;
  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> help_for_constraints(const cluster::AllocatedState& state,
                                              cluster::NodeIndex node, const PodClaims& claims,
                                              const alloc::AllocatorOptions& options) {
  return ConstraintHelp(state, node, claims, options).run();
}

}  // namespace dray::planner
