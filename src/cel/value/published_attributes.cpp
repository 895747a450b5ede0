#include "dray/cel/published_attributes.h"

#include <string>
#include <utility>
#include <vector>

#include "cel/value/runtime.h"

namespace dray::cel {
namespace {

AttributeValue scalar_of(const Value& value) {
  switch (value.kind) {
    case Kind::int64:
      return value.int64;
    case Kind::boolean:
      return value.boolean;
    case Kind::string:
      return std::string(value.text());
    case Kind::semver:
      return VersionText(value.semver->to_string());
    default:
      return std::monostate{};
  }
}

/// An interned list is plain, of one type, and never empty where its type is to be told.
template <class T>
AttributeValue list_of(const ListValue& list) {
  std::vector<T> items;
  items.reserve(list.size);
  for (std::uint32_t i = 0; i < list.size; ++i) {
    items.push_back(std::get<T>(scalar_of(list.items[i])));
  }
  return items;
}

AttributeValue attribute_of(const Value& value) {
  if (value.kind != Kind::list) return scalar_of(value);
  const auto& list = *value.list;
  if (list.size == 0) return std::vector<std::string>{};
  switch (list.items[0].kind) {
    case Kind::int64:
      return list_of<std::int64_t>(list);
    case Kind::boolean:
      return list_of<bool>(list);
    case Kind::semver:
      return list_of<VersionText>(list);
    default:
      return list_of<std::string>(list);
  }
}

}  // namespace

Attributes published_attributes(const DeviceShape& shape) {
  Attributes attributes;
  if (shape.conversion_error()) return attributes;
  const auto names = shape.names().names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& name = names[i];
    if (name.half != Half::attribute) continue;
    auto key = name.domain == shape.driver() ? name.id : name.domain + "/" + name.id;
    attributes.emplace(std::move(key), attribute_of(shape.at(static_cast<int>(i)).value));
  }
  return attributes;
}

}  // namespace dray::cel
