#pragma once

#include <optional>
#include <string_view>

#include "wire/json/json_reader.h"
#include "wire/object/object_codec.h"

namespace dray::wire {

/// The object at `in`; `kind` and `api_version` are what its list says of it, if it is in one.
/// After a problem, as much of it as was read, for the message.
[[nodiscard]] DecodedObject read_object(const Reader& in, std::string_view kind,
                                        std::string_view api_version);

/// The problem with type and name of the object before it, as far as they are known.
[[nodiscard]] Error error_about(const Problem& problem, const std::optional<DecodedObject>& object);

}  // namespace dray::wire
