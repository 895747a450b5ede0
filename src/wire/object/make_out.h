#pragma once

#include <string_view>

#include "dray/model/claim.h"

namespace dray::wire {

// What can be made out of an object that cannot be read as a whole.

/// Its name, namespace, uid and resourceVersion; empty if not even these can be read.
[[nodiscard]] ObjectMeta identity_in(std::string_view json);

/// The devices that the claim holds, and its users. Where more than the devices' names cannot be
/// read, each counts as held whole: that a part of it is free is not known.
void make_out_use(std::string_view json, ResourceClaim& claim);

}  // namespace dray::wire
