#pragma once

#include <string_view>

#include "wire/json_reader.h"
#include "wire/object_codec.h"

namespace dray::wire {

/// The object at `in`; `kind` and `api_version` are what its list says of it, if it is in one.
/// After a problem, as much of it as was read, for the message.
[[nodiscard]] DecodedObject read_object(const Reader& in, std::string_view kind,
                                        std::string_view api_version);

}  // namespace dray::wire
