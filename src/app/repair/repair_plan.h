#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dray/engine/write.h"
#include "dray/model/object.h"

namespace dray::app {

enum class Repair : std::uint8_t {
  double_use,  ///< another claim has one of its devices, too
  orphan,      ///< it is reserved for pods that are gone or finished
  unused,      ///< it has devices and is reserved for nobody
};
/// `device in two claims`.
[[nodiscard]] std::string_view text(Repair kind);

/// Something wrong with a claim, and what mends it.
struct RepairFinding {
  Repair kind = Repair::unused;
  ClaimKey claim;
  Uid uid;
  std::string what;  ///< `gpu.example.com/n0/gpu-0 is also in team-a/train-gpus`
  /// Whose use of it ends, with the devices where nobody else uses it. None: it is not dray's to
  /// mend, and `advice` says what a person can do.
  std::vector<ClaimConsumer> users;
  std::string advice;

  /// Whether there is something that dray may do.
  [[nodiscard]] bool mendable() const { return advice.empty(); }
};

/// All that is wrong with the claims among the objects, in the order of their names. Pods have to
/// be as new as the claims or newer, or users that came between count as gone.
[[nodiscard]] std::vector<RepairFinding> plan_repair(const std::vector<KubeObject>& objects,
                                                     const std::string& scheduler_name);

/// The writes that mend it, in their order. Each names the claim's uid and is harmless where the
/// claim has changed.
[[nodiscard]] std::vector<engine::ReleaseClaim> releases(const RepairFinding& finding);

}  // namespace dray::app
