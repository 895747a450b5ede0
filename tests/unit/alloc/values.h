#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "alloc/view/attribute_values.h"
#include "dray/cel/device_shape.h"
#include "dray/cluster/devices.h"

namespace dray::testing {

/// Ids of attribute values, as the constraints of a search see them.
struct Values {
  cel::Interner interner;
  alloc::AttributeValues known;

  [[nodiscard]] cluster::PublishedDevice device(Attributes attributes) {
    Device made;
    made.name = DeviceName("d");
    made.attributes = std::move(attributes);
    return {.name = std::make_shared<const std::string>("d"),
            .shape = interner.intern("d.io", made),
            .traits = std::make_shared<const cluster::DeviceTraits>()};
  }
  /// Of a device that has this value, or lacks the attribute.
  [[nodiscard]] alloc::ValueId of(std::optional<AttributeValue> value) {
    Attributes attributes;
    if (value) attributes.emplace("x", std::move(*value));
    return known.published(known.column("d.io/x"), "d.io", device(std::move(attributes)));
  }
  [[nodiscard]] alloc::ValueId text(const char* value) { return of(std::string(value)); }
  [[nodiscard]] alloc::ValueId list(std::vector<std::string> values) {
    return of(AttributeValue(std::move(values)));
  }
};

}  // namespace dray::testing
