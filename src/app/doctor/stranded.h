#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/doctor/manifests.h"
#include "app/doctor/own_objects.h"
#include "dray/model/object.h"

namespace dray::app {

/// What is left behind where dray is taken away.
enum class StrandedKind : std::uint8_t {
  gated_pod,     ///< nobody lifts its gate
  waiting_pod,   ///< no scheduler of that name binds it
  share_pod,     ///< it waits for a claim that dray alone makes
  reserved_pod,  ///< it has the mark of a reservation that nobody keeps
  marked_claim,  ///< it has annotations of dray's
  half_bound,    ///< a claim has devices for a pod that has no node
  policy,        ///< an admission policy or binding that acts on
};
/// `gated-pod`.
[[nodiscard]] std::string_view stranded_name(StrandedKind kind);

struct Stranded {
  StrandedKind kind = StrandedKind::gated_pod;
  std::string object;
  std::string what;

  bool operator==(const Stranded&) const = default;
};

/// An annotation that dray writes. `dray.dev/queue` is not: it is the pod's owner's.
[[nodiscard]] bool is_drays_mark(std::string_view annotation);

/// The pod has dray's entry for a part of a device (`gpu-fraction`), and no claim for it: dray
/// alone makes one.
[[nodiscard]] bool waits_for_share(const Pod& pod);

/// Dray's own pods and claims among the objects that would be left behind, by kind and name.
[[nodiscard]] std::vector<Stranded> stranded_objects(const std::vector<KubeObject>& objects,
                                                     const OwnContext& context);
/// The admission policies and bindings that are there.
[[nodiscard]] std::vector<Stranded> stranded_policies(const std::vector<Installed>& there);

}  // namespace dray::app
