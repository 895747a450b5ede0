#include <algorithm>
#include <array>
#include <string_view>

#include "wire/validation/schema.h"

// The types of k8s.io/api/resource/v1/types.go, field by field.

namespace dray::wire::api_types {
namespace {

using Kind = ValueSchema::Kind;
using Many = ValueSchema::Many;

constexpr ValueSchema text{Kind::text};
constexpr ValueSchema texts{Kind::text, Many::list};
constexpr ValueSchema text_map{Kind::text, Many::map};
constexpr ValueSchema integer{Kind::integer};
constexpr ValueSchema integers{Kind::integer, Many::list};
constexpr ValueSchema boolean{Kind::boolean};
constexpr ValueSchema booleans{Kind::boolean, Many::list};
constexpr ValueSchema quantity{Kind::quantity};
constexpr ValueSchema quantities{Kind::quantity, Many::list};
constexpr ValueSchema quantity_map{Kind::quantity, Many::map};
constexpr ValueSchema time_value{Kind::time};
constexpr ValueSchema raw{Kind::raw};
/// What the API server resets when an object is created.
constexpr ValueSchema ignored{Kind::ignored};

constexpr ValueSchema one(const ObjectSchema& object) {
  return {Kind::object, Many::one, &object};
}
constexpr ValueSchema list(const ObjectSchema& object) {
  return {Kind::object, Many::list, &object};
}
constexpr ValueSchema map(const ObjectSchema& object) {
  return {Kind::object, Many::map, &object};
}

// ---- Of all objects ----

constexpr std::array owner_fields{
    FieldSchema{"apiVersion", text},    FieldSchema{"kind", text},
    FieldSchema{"name", text},          FieldSchema{"uid", text},
    FieldSchema{"controller", boolean}, FieldSchema{"blockOwnerDeletion", boolean},
};
constexpr ObjectSchema owner{"OwnerReference", owner_fields};

constexpr std::array meta_fields{
    FieldSchema{"name", text},
    FieldSchema{"generateName", text},
    FieldSchema{"namespace", text},
    FieldSchema{"selfLink", text},
    FieldSchema{"uid", text},
    FieldSchema{"resourceVersion", text},
    FieldSchema{"generation", integer},
    FieldSchema{"creationTimestamp", time_value},
    FieldSchema{"deletionTimestamp", time_value},
    FieldSchema{"deletionGracePeriodSeconds", integer},
    FieldSchema{"labels", text_map},
    FieldSchema{"annotations", text_map},
    FieldSchema{"ownerReferences", list(owner)},
    FieldSchema{"finalizers", texts},
    FieldSchema{"managedFields", ignored},
};
constexpr ObjectSchema meta{"ObjectMeta", meta_fields};

constexpr std::array requirement_fields{FieldSchema{"key", text}, FieldSchema{"operator", text},
                                        FieldSchema{"values", texts}};
constexpr ObjectSchema requirement{"NodeSelectorRequirement", requirement_fields};
constexpr std::array term_fields{FieldSchema{"matchExpressions", list(requirement)},
                                 FieldSchema{"matchFields", list(requirement)}};
constexpr ObjectSchema term{"NodeSelectorTerm", term_fields};
constexpr std::array node_selector_fields{FieldSchema{"nodeSelectorTerms", list(term)}};
constexpr ObjectSchema node_selector{"NodeSelector", node_selector_fields};

// ---- Claims ----

constexpr std::array cel_fields{FieldSchema{"expression", text}};
constexpr ObjectSchema cel{"CELDeviceSelector", cel_fields};
constexpr std::array selector_fields{FieldSchema{"cel", one(cel)}};
constexpr ObjectSchema selector{"DeviceSelector", selector_fields};
constexpr std::array toleration_fields{
    FieldSchema{"key", text},
    FieldSchema{"operator", text},
    FieldSchema{"value", text},
    FieldSchema{"effect", text},
    FieldSchema{"tolerationSeconds", integer},
};
constexpr ObjectSchema toleration{"DeviceToleration", toleration_fields};
constexpr std::array capacity_request_fields{FieldSchema{"requests", quantity_map}};
constexpr ObjectSchema capacity_request{"CapacityRequirements", capacity_request_fields};
constexpr std::array derived_fields{FieldSchema{"name", text}, FieldSchema{"expression", text}};
constexpr ObjectSchema derived{"DeviceDerivedAttribute", derived_fields};
constexpr std::array exact_fields{
    FieldSchema{"deviceClassName", text},
    FieldSchema{"selectors", list(selector)},
    FieldSchema{"allocationMode", text},
    FieldSchema{"count", integer},
    FieldSchema{"adminAccess", boolean},
    FieldSchema{"tolerations", list(toleration)},
    FieldSchema{"capacity", one(capacity_request)},
    FieldSchema{"derivedAttributes", list(derived)},
};
constexpr ObjectSchema exact{"ExactDeviceRequest", exact_fields};
constexpr std::array sub_request_fields{
    FieldSchema{"name", text},
    FieldSchema{"deviceClassName", text},
    FieldSchema{"selectors", list(selector)},
    FieldSchema{"allocationMode", text},
    FieldSchema{"count", integer},
    FieldSchema{"tolerations", list(toleration)},
    FieldSchema{"capacity", one(capacity_request)},
    FieldSchema{"derivedAttributes", list(derived)},
};
constexpr ObjectSchema sub_request{"DeviceSubRequest", sub_request_fields};
constexpr std::array request_fields{FieldSchema{"name", text}, FieldSchema{"exactly", one(exact)},
                                    FieldSchema{"firstAvailable", list(sub_request)}};
constexpr ObjectSchema request{"DeviceRequest", request_fields};
constexpr std::array constraint_fields{FieldSchema{"requests", texts},
                                       FieldSchema{"matchAttribute", text},
                                       FieldSchema{"distinctAttribute", text}};
constexpr ObjectSchema constraint{"DeviceConstraint", constraint_fields};
constexpr std::array opaque_fields{FieldSchema{"driver", text}, FieldSchema{"parameters", raw}};
constexpr ObjectSchema opaque{"OpaqueDeviceConfiguration", opaque_fields};
constexpr std::array claim_config_fields{FieldSchema{"requests", texts},
                                         FieldSchema{"opaque", one(opaque)}};
constexpr ObjectSchema claim_config{"DeviceClaimConfiguration", claim_config_fields};
constexpr std::array device_claim_fields{FieldSchema{"requests", list(request)},
                                         FieldSchema{"constraints", list(constraint)},
                                         FieldSchema{"config", list(claim_config)}};
constexpr ObjectSchema device_claim{"DeviceClaim", device_claim_fields};
constexpr std::array claim_spec_fields{FieldSchema{"devices", one(device_claim)}};
constexpr ObjectSchema claim_spec{"ResourceClaimSpec", claim_spec_fields};
constexpr std::array claim_fields{
    FieldSchema{"apiVersion", text}, FieldSchema{"kind", text}, FieldSchema{"metadata", one(meta)},
    FieldSchema{"spec", one(claim_spec)}, FieldSchema{"status", ignored}};
constexpr ObjectSchema claim{"ResourceClaim", claim_fields};
constexpr std::array template_spec_fields{FieldSchema{"metadata", one(meta)},
                                          FieldSchema{"spec", one(claim_spec)}};
constexpr ObjectSchema template_spec{"ResourceClaimTemplateSpec", template_spec_fields};
constexpr std::array template_fields{FieldSchema{"apiVersion", text}, FieldSchema{"kind", text},
                                     FieldSchema{"metadata", one(meta)},
                                     FieldSchema{"spec", one(template_spec)}};
constexpr ObjectSchema claim_template{"ResourceClaimTemplate", template_fields};

// ---- Classes ----

constexpr std::array class_config_fields{FieldSchema{"opaque", one(opaque)}};
constexpr ObjectSchema class_config{"DeviceClassConfiguration", class_config_fields};
constexpr std::array class_spec_fields{FieldSchema{"selectors", list(selector)},
                                       FieldSchema{"config", list(class_config)},
                                       FieldSchema{"extendedResourceName", text}};
constexpr ObjectSchema class_spec{"DeviceClassSpec", class_spec_fields};
constexpr std::array class_fields{FieldSchema{"apiVersion", text}, FieldSchema{"kind", text},
                                  FieldSchema{"metadata", one(meta)},
                                  FieldSchema{"spec", one(class_spec)}};
constexpr ObjectSchema device_class{"DeviceClass", class_fields};

// ---- Slices ----

constexpr std::array attribute_fields{
    FieldSchema{"int", integer},   FieldSchema{"bool", boolean},   FieldSchema{"string", text},
    FieldSchema{"version", text},  FieldSchema{"ints", integers},  FieldSchema{"bools", booleans},
    FieldSchema{"strings", texts}, FieldSchema{"versions", texts},
};
constexpr ObjectSchema attribute{"DeviceAttribute", attribute_fields};
constexpr std::array range_fields{FieldSchema{"min", quantity}, FieldSchema{"max", quantity},
                                  FieldSchema{"step", quantity}};
constexpr ObjectSchema range{"CapacityRequestPolicyRange", range_fields};
constexpr std::array request_policy_fields{FieldSchema{"default", quantity},
                                           FieldSchema{"validValues", quantities},
                                           FieldSchema{"validRange", one(range)}};
constexpr ObjectSchema request_policy{"CapacityRequestPolicy", request_policy_fields};
constexpr std::array capacity_fields{FieldSchema{"value", quantity},
                                     FieldSchema{"requestPolicy", one(request_policy)}};
constexpr ObjectSchema capacity{"DeviceCapacity", capacity_fields};
constexpr std::array counter_fields{FieldSchema{"value", quantity}};
constexpr ObjectSchema counter{"Counter", counter_fields};
constexpr std::array consumption_fields{FieldSchema{"counterSet", text},
                                        FieldSchema{"counters", map(counter)},
                                        FieldSchema{"compatibilityGroups", texts}};
constexpr ObjectSchema consumption{"DeviceCounterConsumption", consumption_fields};
constexpr std::array counter_set_fields{FieldSchema{"name", text},
                                        FieldSchema{"counters", map(counter)}};
constexpr ObjectSchema counter_set{"CounterSet", counter_set_fields};
constexpr std::array taint_fields{FieldSchema{"key", text}, FieldSchema{"value", text},
                                  FieldSchema{"effect", text},
                                  FieldSchema{"timeAdded", time_value}};
constexpr ObjectSchema taint{"DeviceTaint", taint_fields};
constexpr std::array mapping_fields{FieldSchema{"capacityKey", text},
                                    FieldSchema{"capacityMultiplier", quantity},
                                    FieldSchema{"deviceMultiplier", quantity}};
constexpr ObjectSchema mapping{"NodeAllocatableMapping", mapping_fields};
constexpr std::array overhead_fields{FieldSchema{"perPod", quantity},
                                     FieldSchema{"perContainer", quantity}};
constexpr ObjectSchema overhead{"NodeAllocatableOverhead", overhead_fields};
constexpr std::array node_resource_fields{FieldSchema{"mapping", one(mapping)},
                                          FieldSchema{"overhead", one(overhead)}};
constexpr ObjectSchema node_resource{"NodeAllocatableResource", node_resource_fields};
constexpr std::array device_fields{
    FieldSchema{"name", text},
    FieldSchema{"attributes", map(attribute)},
    FieldSchema{"capacity", map(capacity)},
    FieldSchema{"consumesCounters", list(consumption)},
    FieldSchema{"nodeName", text},
    FieldSchema{"nodeSelector", one(node_selector)},
    FieldSchema{"allNodes", boolean},
    FieldSchema{"taints", list(taint)},
    FieldSchema{"bindsToNode", boolean},
    FieldSchema{"bindingConditions", texts},
    FieldSchema{"bindingFailureConditions", texts},
    FieldSchema{"allowMultipleAllocations", boolean},
    FieldSchema{"nodeAllocatableResources", map(node_resource)},
};
constexpr ObjectSchema device{"Device", device_fields};
constexpr std::array pool_fields{FieldSchema{"name", text}, FieldSchema{"generation", integer},
                                 FieldSchema{"resourceSliceCount", integer}};
constexpr ObjectSchema pool{"ResourcePool", pool_fields};
constexpr std::array slice_spec_fields{
    FieldSchema{"driver", text},
    FieldSchema{"pool", one(pool)},
    FieldSchema{"nodeName", text},
    FieldSchema{"nodeSelector", one(node_selector)},
    FieldSchema{"allNodes", boolean},
    FieldSchema{"devices", list(device)},
    FieldSchema{"perDeviceNodeSelection", boolean},
    FieldSchema{"sharedCounters", list(counter_set)},
    FieldSchema{"partitionTypeAttribute", text},
    FieldSchema{"skipNodeOperations", texts},
};
constexpr ObjectSchema slice_spec{"ResourceSliceSpec", slice_spec_fields};
constexpr std::array slice_fields{FieldSchema{"apiVersion", text}, FieldSchema{"kind", text},
                                  FieldSchema{"metadata", one(meta)},
                                  FieldSchema{"spec", one(slice_spec)}};
constexpr ObjectSchema slice{"ResourceSlice", slice_fields};

// ---- Taint rules ----

constexpr std::array taint_selector_fields{FieldSchema{"driver", text}, FieldSchema{"pool", text},
                                           FieldSchema{"device", text}};
constexpr ObjectSchema taint_selector{"DeviceTaintSelector", taint_selector_fields};
constexpr std::array rule_spec_fields{FieldSchema{"deviceSelector", one(taint_selector)},
                                      FieldSchema{"taint", one(taint)}};
constexpr ObjectSchema rule_spec{"DeviceTaintRuleSpec", rule_spec_fields};
constexpr std::array rule_fields{
    FieldSchema{"apiVersion", text}, FieldSchema{"kind", text}, FieldSchema{"metadata", one(meta)},
    FieldSchema{"spec", one(rule_spec)}, FieldSchema{"status", ignored}};
constexpr ObjectSchema taint_rule{"DeviceTaintRule", rule_fields};

// ---- Pods ----

constexpr std::array pod_claim_fields{FieldSchema{"name", text},
                                      FieldSchema{"resourceClaimName", text},
                                      FieldSchema{"resourceClaimTemplateName", text}};
constexpr ObjectSchema pod_claim{"PodResourceClaim", pod_claim_fields};
constexpr std::array container_claim_fields{FieldSchema{"name", text},
                                            FieldSchema{"request", text}};
constexpr ObjectSchema container_claim{"ResourceClaim", container_claim_fields};

}  // namespace

const ObjectSchema* device_kind(std::string_view kind) {
  constexpr std::array all{&claim, &claim_template, &device_class, &slice, &taint_rule};
  const auto found = std::ranges::find(all, kind, [](const auto* each) { return each->name; });
  return found == all.end() ? nullptr : *found;
}

const ObjectSchema& pod_resource_claim() {
  return pod_claim;
}

const ObjectSchema& container_resource_claim() {
  return container_claim;
}

}  // namespace dray::wire::api_types
