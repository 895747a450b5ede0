#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "dray/engine/write.h"

// Changes to an object's JSON as the API server sent it: GET, edit, PUT. All that dray does not
// know stays. Each checks that the object is the one that was meant (conflict if not).

namespace dray::wire {

/// The delete-protection finalizer and the annotations: PUT to the claim itself, since /status
/// drops metadata.
[[nodiscard]] Result<std::string> protect_claim(std::string_view claim,
                                                const engine::ProtectClaim& write);
/// status.allocation and status.reservedFor: PUT to /status.
[[nodiscard]] Result<std::string> allocate_claim(std::string_view claim,
                                                 const engine::AllocateClaim& write);
/// One more user; the text as it was if it is there already.
[[nodiscard]] Result<std::string> reserve_claim(std::string_view claim,
                                                const engine::ReserveClaim& write);
/// One user less and, as asked, no allocation once nobody is left. Nothing if there is nothing to
/// change.
[[nodiscard]] Result<std::optional<std::string>> release_claim(std::string_view claim,
                                                               const engine::ReleaseClaim& write);
/// Takes the finalizer off; nothing if it is not there.
[[nodiscard]] Result<std::optional<std::string>> unprotect_claim(std::string_view claim);

/// The Lease's spec and annotations.
[[nodiscard]] Result<std::string> put_lease(std::string_view lease, const engine::PutLease& write);

}  // namespace dray::wire
