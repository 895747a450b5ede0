#include "dray/engine/write_class.h"

#include <array>
#include <variant>

namespace dray::engine {
namespace {

template <class... T>
bool is_any_of(const Write& write) {
  return (std::holds_alternative<T>(write) || ...);
}

}  // namespace

Duration deadline_of(const Write& write) {
  return is_any_of<EvictPod>(write) ? eviction_deadline : write_deadline;
}

WriteClass class_of(const Write& write) {
  if (is_any_of<ReleaseClaim, DeleteClaim, WithdrawNodes>(write)) return WriteClass::undo;
  if (is_any_of<EvictPod>(write)) return WriteClass::evict;
  if (is_any_of<LiftGate, AnnotatePod, NominateNode, RequestNodes>(write)) return WriteClass::lift;
  if (const auto* set = std::get_if<SetPodCondition>(&write)) {
    return set->wakes ? WriteClass::lift : WriteClass::note;
  }
  if (is_any_of<RecordEvent, ReadConfigMap, PutConfigMap>(write)) return WriteClass::note;
  return WriteClass::bind;
}

std::string_view name(WriteClass write_class) {
  static constexpr std::array<std::string_view, write_classes> names{"undo", "bind", "evict",
                                                                     "lift", "note"};
  return names[static_cast<std::size_t>(write_class)];
}

bool is_lease_write(const Write& write) {
  return is_any_of<ReadLease, PutLease>(write);
}

std::string line_of(const Write& write) {
  if (is_any_of<RecordEvent>(write) || is_lease_write(write)) return {};
  if (is_any_of<SetPodCondition>(write)) return "condition/" + subject(write);
  if (is_any_of<ReadConfigMap, PutConfigMap>(write)) return "config/" + subject(write);
  if (is_any_of<RequestNodes, WithdrawNodes>(write)) return "nodes/" + subject(write);
  if (is_any_of<ProtectClaim, AllocateClaim, ReserveClaim, ReleaseClaim, ReadClaim, CreateClaim,
                DeleteClaim>(write)) {
    return "claim/" + subject(write);
  }
  return "pod/" + subject(write);
}

}  // namespace dray::engine
