#pragma once

#include <memory>
#include <string>

#include "alloc/constraint/constraint.h"
#include "dray/alloc/features.h"
#include "dray/model/claim.h"

// Every kind of constraint: a file of this folder defines the function that makes it.

namespace dray::alloc {

/// Every device has the same value; with ListTypeAttributes: at least one element in common.
[[nodiscard]] std::unique_ptr<const Constraint> match_attribute(std::string attribute,
                                                                const Features& features);
/// No two devices have the same value; with ListTypeAttributes: an element in common.
[[nodiscard]] std::unique_ptr<const Constraint> distinct_attribute(std::string attribute,
                                                                   const Features& features);

/// The constraint as the search runs it; null for a kind that dray does not know.
[[nodiscard]] inline std::unique_ptr<const Constraint> make_constraint(
    const DeviceConstraint& given, const Features& features) {
  switch (given.kind) {
    case ConstraintKind::match_attribute:
      return match_attribute(given.attribute, features);
    case ConstraintKind::distinct_attribute:
      return distinct_attribute(given.attribute, features);
    case ConstraintKind::unknown:
      break;
  }
  return nullptr;
}

}  // namespace dray::alloc
