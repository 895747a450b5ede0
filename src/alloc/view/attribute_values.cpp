#include "alloc/view/attribute_values.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace dray::alloc {
namespace {

constexpr std::size_t most_values = 1'000'000;  // those published, and what claims derive
constexpr std::size_t column_costs = 64;        // in answers

std::string key_of(std::int64_t value) {
  return "i" + std::to_string(value);
}
std::string key_of(bool value) {
  return value ? "b1" : "b0";
}
std::string key_of(const std::string& value) {
  return "s" + value;
}
std::string key_of(const VersionText& value) {
  return "v" + value.get();
}

/// The published value, where the attribute was kept as it came.
const AttributeValue* find_published(const Attributes& attributes, const std::string& attribute,
                                     const std::string& driver) {
  if (const auto exact = attributes.find(attribute); exact != attributes.end()) {
    return &exact->second;
  }
  const auto slash = attribute.find('/');
  if (slash == std::string::npos || attribute.substr(0, slash) != driver) return nullptr;
  const auto bare = attributes.find(attribute.substr(slash + 1));
  return bare == attributes.end() ? nullptr : &bare->second;
}

}  // namespace

AttributeValues::AttributeValues(std::size_t most) : values_(1), most_(most) {}

bool AttributeValues::trim() {
  while (held_ > most_) {
    held_ -= column_costs + columns_.oldest().second.by_shape.held();
    columns_.erase_oldest();
  }
  if (values_.size() < most_values) return false;
  values_.resize(1);
  lists_.clear();
  scalars_.clear();
  elements_.clear();
  texts_.clear();
  text_numbers_.clear();
  element_keys_.clear();
  columns_.clear();
  held_ = 0;
  return true;
}

std::uint32_t AttributeValues::element(std::string key) {
  const auto next = static_cast<std::uint32_t>(elements_.size());
  const auto [at, added] = elements_.try_emplace(std::move(key), next);
  if (added) element_keys_.push_back(at->first);
  return at->second;
}

bool AttributeValues::stands_for_unknown(ValueId id) const {
  if (id == 0 || id >= values_.size() || !values_[id].scalar) return false;
  const auto& key = element_keys_[values_[id].elements.front()];
  return key == "i-1" || key == "s";
}

std::optional<std::string> AttributeValues::text(ValueId id) const {
  if (id == 0 || values_[id].elements.size() != 1) return std::nullopt;
  return element_keys_[values_[id].elements.front()].substr(1);
}

std::uint32_t AttributeValues::text_number(ValueId id) {
  if (id == 0 || id == value_error || values_[id].elements.size() != 1) return 0;
  const auto element = values_[id].elements.front();
  while (text_numbers_.size() <= element) {
    const auto& key = element_keys_[text_numbers_.size()];
    const auto next = static_cast<std::uint32_t>(texts_.size() + 1);
    const bool unknown = key == "i-1" || key == "s";
    text_numbers_.push_back(
        unknown ? 0 : texts_.try_emplace(std::string_view(key).substr(1), next).first->second);
  }
  return text_numbers_[element];
}

ValueId AttributeValues::intern_scalar(std::uint32_t element) {
  if (scalars_.size() <= element) scalars_.resize(elements_.size(), 0);
  auto& id = scalars_[element];
  if (id == 0) {
    id = static_cast<ValueId>(values_.size());
    values_.push_back({.scalar = true, .elements = {element}});
  }
  return id;
}

ValueId AttributeValues::intern(const AttributeValue& value) {
  std::vector<std::uint32_t> elements;
  std::optional<std::uint32_t> scalar;
  std::visit(
      [&]<class T>(const T& held) {
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool> ||
                      std::is_same_v<T, std::string> || std::is_same_v<T, VersionText>) {
          scalar = element(key_of(held));
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          for (const auto& each : held) elements.push_back(element(key_of(each)));
        }
      },
      value);
  if (scalar) return intern_scalar(*scalar);
  std::ranges::sort(elements);
  const auto repeated = std::ranges::unique(elements);
  elements.erase(repeated.begin(), repeated.end());
  const auto [at, added] =
      lists_.try_emplace(std::move(elements), static_cast<ValueId>(values_.size()));
  if (added) values_.push_back({.scalar = false, .elements = at->first});
  return at->second;
}

AttributeValues::Column& AttributeValues::column(const std::string& attribute) {
  auto [column, first] = columns_.obtain(attribute);
  if (first) {
    column.attribute = attribute;
    held_ += column_costs;
  }
  return column;
}

ValueId AttributeValues::published(Column& column, const std::string& driver,
                                   const cluster::PublishedDevice& device) {
  if (const auto& kept = device.traits->attributes) {
    const auto* value = find_published(*kept, column.attribute, driver);
    return value == nullptr ? 0 : intern(*value);
  }
  const auto before = column.by_shape.held();
  auto& known = column.by_shape[device.shape->index()];
  held_ += column.by_shape.held() - before;
  if (known.serial != device.shape->serial()) {
    known = {device.shape->serial(), from_shape(column, *device.shape)};
  }
  return known.id;
}

ValueId AttributeValues::from_shape(Column& column, const cel::DeviceShape& shape) {
  if (column.names != shape.names().serial()) {
    const auto name = cel::split_name(cel::Half::attribute, column.attribute, shape.driver());
    column.names = shape.names().serial();
    column.place = shape.names().find(cel::Half::attribute, name.domain, name.id);
  }
  return column.place < 0 ? 0 : intern(read(column.attribute, shape, column.place));
}

AttributeValue AttributeValues::read(const std::string& attribute, const cel::DeviceShape& shape,
                                     int column) {
  const auto& value = shape.at(column).value;
  if (value.is(cel::Kind::int64)) return value.int64;
  if (value.is(cel::Kind::boolean)) return value.boolean;
  if (value.is(cel::Kind::string)) return std::string(value.text());
  if (value.is(cel::Kind::semver)) return VersionText(value.semver->to_string());
  const auto name = cel::split_name(cel::Half::attribute, attribute, shape.driver());
  const auto program =
      cel::compile(fmt::format("device.attributes[\"{}\"].{}", name.domain, name.id),
                   {.environment = {}, .purpose = cel::Purpose::derived_attribute});
  if (!program) return std::monostate{};
  auto read = evaluator_.derive(**program, shape);
  return read ? std::move(*read) : AttributeValue{};
}

Result<ValueId> AttributeValues::derived(const cel::ProgramHandle& program,
                                         const cluster::PublishedDevice& device) {
  auto value = evaluator_.derive(*program, *device.shape);
  if (!value) return std::unexpected(std::move(value.error()));
  return intern(*value);
}

}  // namespace dray::alloc
