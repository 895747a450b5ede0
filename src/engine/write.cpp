#include "dray/engine/write.h"

#include <array>
#include <type_traits>

namespace dray::engine {

std::string_view name(const Write& write) {
  // In the order of the variant.
  static constexpr std::array<std::string_view, std::variant_size_v<Write>> names{
      "LiftGate",           "AnnotatePod",       "NominateNode",  "SetPodCondition",
      "ProtectClaim",       "AllocateClaim",     "ReserveClaim",  "ReleaseClaim",
      "ReadClaim",          "ReadPod",           "BindPod",       "EvictPod",
      "RecordEvent",        "ReadLease",         "PutLease",      "CreateClaim",
      "DeleteClaim",        "NameExtendedClaim", "ReadConfigMap", "PutConfigMap",
      "SetNodeAllocatable", "RequestNodes",      "WithdrawNodes"};
  return names[write.index()];
}

bool belongs_to_allocation(const Write& write) {
  return std::visit(
      []<class T>(const T& /*of*/) {
        return std::is_same_v<T, ProtectClaim> || std::is_same_v<T, AllocateClaim> ||
               std::is_same_v<T, ReserveClaim> || std::is_same_v<T, ReleaseClaim> ||
               std::is_same_v<T, CreateClaim> || std::is_same_v<T, DeleteClaim> ||
               std::is_same_v<T, NameExtendedClaim> || std::is_same_v<T, SetNodeAllocatable> ||
               std::is_same_v<T, NominateNode> || std::is_same_v<T, BindPod>;
      },
      write);
}

std::string subject(const Write& write) {
  const auto key = [](const auto& each) {
    if constexpr (requires { each.pod; }) {
      return each.pod.to_string();
    } else if constexpr (requires { each.claim.meta; }) {
      return ClaimKey{each.claim.meta.namespace_name, each.claim.meta.name}.to_string();
    } else if constexpr (requires { each.claim; }) {
      return each.claim.to_string();
    } else if constexpr (requires { each.request.meta; }) {
      return ProvisioningKey{each.request.meta.namespace_name, each.request.meta.name}.to_string();
    } else if constexpr (requires { each.request; }) {
      return each.request.to_string();
    } else if constexpr (requires { each.map; }) {
      return each.map.to_string();
    } else {
      return each.lease.to_string();
    }
  };
  return std::visit(key, write);
}

}  // namespace dray::engine
