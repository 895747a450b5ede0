#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dray/cel/program.h"
#include "wire/validation/field.h"
#include "wire/validation/validate.h"

namespace dray::wire {

/// What validators of one object share.
struct ValidationContext {
  std::string_view text;  ///< that the object was read from
  const ValidationOptions& options;
  FieldErrors& errors;
  std::size_t& expressions;  ///< counts those that were compiled
};

// ---- Lists ----

/// Upstream's validateSlice: more than `most` items are one error, and no item is looked at.
void check_list(const Field& list, std::size_t most, FieldErrors& errors,
                const std::function<void(const Field&)>& check);
/// The same, and no two may have the same key.
void check_set(const Field& list, std::size_t most, FieldErrors& errors,
               const std::function<void(const Field&)>& check,
               const std::function<std::string(const Field&)>& key);

/// Keys: the item's `name`, or the item.
[[nodiscard]] inline std::string name_key(const Field& item) {
  return std::string(item.child("name").text());
}
[[nodiscard]] inline std::string text_key(const Field& item) {
  return std::string(item.text());
}

// ---- What several kinds have ----

/// Of an object that is created: name, labels, annotations, owners, finalizers.
void check_meta(const Field& meta, FieldErrors& errors);
/// The same in a namespace; where none is named, it is the default one.
void check_namespaced_meta(const Field& meta, FieldErrors& errors);
/// Of a template: labels and annotations alone.
void check_template_meta(const Field& meta, FieldErrors& errors);
void check_node_selector(const Field& selector, FieldErrors& errors);
void check_taint(const Field& taint, FieldErrors& errors);
/// Gives the expression's estimated cost.
std::uint64_t check_expression(const Field& expression, cel::Purpose purpose,
                               const ValidationContext& context);
/// Of selectors, those that are there.
void check_expressions_of(const Field& selectors, const ValidationContext& context);
void check_selectors(const Field& selectors, const ValidationContext& context);
/// `opaque` of a configuration.
void check_opaque(const Field& config, FieldErrors& errors);
void check_binding_conditions(const Field& owner, FieldErrors& errors);

/// `requestPolicy` of a capacity of so much.
void check_request_policy(const Field& policy, const Quantity& most,
                          const alloc::Features& features, FieldErrors& errors);
/// `nodeAllocatableResources` of a device.
void check_node_allocatable(const Field& device, FieldErrors& errors);

// ---- Kinds ----

void check_claim(const Field& object, const ValidationContext& context);
void check_claim_spec(const Field& spec, const ValidationContext& context);
void check_device_class(const Field& object, const ValidationContext& context);
void check_slice(const Field& object, const ValidationContext& context);
void check_taint_rule(const Field& object, const ValidationContext& context);
/// `spec` of a pod or of a pod template.
void check_pod_claims(const Field& spec, const ValidationContext& context);

}  // namespace dray::wire
