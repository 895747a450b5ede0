#include "dray/cel/device_shape.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cel/value/runtime.h"
#include "cel/value/serial.h"

namespace dray::cel {

Name split_name(Half half, std::string_view qualified, std::string_view driver) {
  const auto slash = qualified.find('/');
  if (slash == std::string_view::npos) return {half, std::string(driver), std::string(qualified)};
  return {half, std::string(qualified.substr(0, slash)), std::string(qualified.substr(slash + 1))};
}

DeviceNames::DeviceNames(std::string driver, std::vector<Name> names)
    : serial_(next_serial()), driver_(std::move(driver)), names_(std::move(names)) {}

int DeviceNames::find(Half half, std::string_view domain, std::string_view id) const {
  const auto key = std::tuple(half, domain, id);
  const auto at = std::ranges::lower_bound(names_, key, {}, [](const Name& name) {
    return std::tuple(name.half, std::string_view(name.domain), std::string_view(name.id));
  });
  const bool found = at != names_.end() && at->half == half && at->domain == domain && at->id == id;
  return found ? static_cast<int>(at - names_.begin()) : -1;
}

std::pair<int, int> DeviceNames::domain(Half half, std::string_view domain) const {
  const auto range = std::ranges::equal_range(
      names_, std::pair(half, domain), {},
      [](const Name& name) { return std::pair(name.half, std::string_view(name.domain)); });
  return {static_cast<int>(range.begin() - names_.begin()),
          static_cast<int>(range.end() - names_.begin())};
}

namespace {

/// What makes two values the same value: their kind and their text.
using ValueKey = std::string;

/// Owns what an interned version or list points into. (Strings and quantities, of which there are
/// many that only one device has, own themselves.)
struct Storage {
  std::vector<Semver> versions;
  std::vector<std::string> texts;
  std::vector<Value> items;
  ListValue list;
};

Value list_value(Storage& storage) {
  storage.list.size = static_cast<std::uint32_t>(storage.items.size());
  storage.list.items = storage.items.data();
  Value value;
  value.kind = Kind::list;
  value.list = &storage.list;
  return value;
}

Value semver_value(const Semver& version) {
  Value value;
  value.kind = Kind::semver;
  value.semver = &version;
  return value;
}

/// Kind and text of an attribute's value.
struct KeyOf {
  ValueKey operator()(std::monostate) { return {}; }
  ValueKey operator()(std::int64_t number) { return "i" + std::to_string(number); }
  ValueKey operator()(bool flag) { return flag ? "bt" : "bf"; }
  ValueKey operator()(const std::string& text) { return "s" + text; }
  ValueKey operator()(const VersionText& version) { return "v" + version.get(); }
  ValueKey operator()(const std::vector<std::int64_t>& numbers) {
    ValueKey key = "I";
    for (const std::int64_t number : numbers) key += std::to_string(number) + ",";
    return key;
  }
  ValueKey operator()(const std::vector<bool>& flags) {
    ValueKey key = "B";
    for (const bool flag : flags) key += flag ? 't' : 'f';
    return key;
  }
  ValueKey operator()(const std::vector<std::string>& texts) {
    ValueKey key = "S";
    for (const auto& text : texts) key += std::to_string(text.size()) + ":" + text;
    return key;
  }
  ValueKey operator()(const std::vector<VersionText>& versions) {
    ValueKey key = "V";
    for (const auto& version : versions) {
      key += std::to_string(version.get().size()) + ":" + version.get();
    }
    return key;
  }
};

/// Makes attribute values, as upstream's getAttributeValue.
struct Converter {
  std::string error;
  std::shared_ptr<const void> owner;

  std::optional<Value> operator()(std::monostate) {
    error = "unsupported attribute value";
    return std::nullopt;
  }
  std::optional<Value> operator()(std::int64_t number) { return Value::of(number); }
  std::optional<Value> operator()(bool flag) { return Value::of(flag); }
  std::optional<Value> operator()(const std::string& text) {
    auto own = std::make_shared<const std::string>(text);
    const auto value = Value::of(*own);
    owner = std::move(own);
    return value;
  }
  std::optional<Value> operator()(const VersionText& version) {
    auto& storage = own_storage();
    if (!parse(version, storage)) return std::nullopt;
    return semver_value(storage.versions.back());
  }
  std::optional<Value> operator()(const std::vector<std::int64_t>& numbers) {
    auto& storage = own_storage();
    for (const std::int64_t number : numbers) storage.items.push_back(Value::of(number));
    return list_value(storage);
  }
  std::optional<Value> operator()(const std::vector<bool>& flags) {
    auto& storage = own_storage();
    for (const bool flag : flags) storage.items.push_back(Value::of(flag));
    return list_value(storage);
  }
  std::optional<Value> operator()(const std::vector<std::string>& texts) {
    auto& storage = own_storage();
    storage.texts = texts;
    for (const std::string& text : storage.texts) storage.items.push_back(Value::of(text));
    return list_value(storage);
  }
  std::optional<Value> operator()(const std::vector<VersionText>& versions) {
    auto& storage = own_storage();
    storage.versions.reserve(versions.size());
    for (const VersionText& version : versions) {
      if (!parse(version, storage)) return std::nullopt;
    }
    for (const Semver& version : storage.versions) {
      storage.items.push_back(semver_value(version));
    }
    return list_value(storage);
  }

 private:
  Storage& own_storage() {
    auto made = std::make_shared<Storage>();
    auto& storage = *made;
    owner = std::move(made);
    return storage;
  }

  bool parse(const VersionText& text, Storage& storage) {
    auto version = Semver::parse(text.get());
    if (!version) {
      error = "parse semantic version: " + version.error().message;
      return false;
    }
    storage.versions.push_back(*std::move(version));
    return true;
  }
};

/// Go tells quantities as keys of a map apart by their addresses: those of two names of a device
/// are never the same.
std::string column_key(const Name& name) {
  return "@" + name.domain + "/" + name.id;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 29U;
}

}  // namespace

using ValueHandle = std::shared_ptr<const InternedValue>;

struct Interner::Tables {
  std::unordered_map<std::string, std::shared_ptr<const DeviceNames>> names;
  std::unordered_map<ValueKey, ValueHandle> values;
  std::unordered_multimap<std::uint64_t, DeviceShapeHandle> shapes;  // by hash
  std::vector<std::uint32_t> free_indexes;
  std::uint32_t next_index = 0;
  std::uint64_t next_serial = 1;
  std::size_t sweep_at = 1024;

  /// Where the values of a device go, which is the same for all that have the same names.
  struct Layout {
    std::string driver;
    std::vector<std::string> qualified;  // attributes, then capacities, in their order
    std::size_t attributes = 0;
    std::vector<int> columns;  // of `names`; -1: hidden by the qualified name
    std::shared_ptr<const DeviceNames> names;

    [[nodiscard]] bool fits(std::string_view other_driver, const Attributes& given,
                            const Capacities& capacity) const {
      if (!names || driver != other_driver || attributes != given.size() ||
          qualified.size() != given.size() + capacity.size()) {
        return false;
      }
      auto at = qualified.begin();
      const auto same = [&](const auto& entry) { return entry.first == *at++; };
      return std::ranges::all_of(given, same) && std::ranges::all_of(capacity, same);
    }
  };
  Layout last;  // devices of a slice mostly have one

  ValueHandle attribute(const AttributeValue& given, std::string& error) {
    auto key = std::visit(KeyOf{}, given);
    if (const auto known = values.find(key); known != values.end()) return known->second;
    Converter converter;
    const auto value = std::visit(converter, given);
    if (!value) {
      error = std::move(converter.error);
      return nullptr;
    }
    auto made = std::make_shared<const InternedValue>(*value, std::move(converter.owner));
    values.emplace(std::move(key), made);
    return made;
  }

  ValueHandle quantity(const Quantity& given, const Name& name) {
    const auto format = static_cast<char>('0' + static_cast<int>(given.format()));
    auto key = "q" + std::string(1, format) + given.to_decimal() + column_key(name);
    auto& known = values[std::move(key)];
    if (known) return known;
    auto own = std::make_shared<const Quantity>(given);
    Value value;
    value.kind = Kind::quantity;
    value.quantity = own.get();
    known = std::make_shared<const InternedValue>(value, std::move(own));
    return known;
  }

  std::shared_ptr<const DeviceNames> names_of(std::string_view driver, std::vector<Name> sorted) {
    std::string key(driver);
    for (const Name& name : sorted) {
      key += name.half == Half::attribute ? "\na" : "\nc";
      key += std::to_string(name.domain.size()) + ":" + name.domain + "/" + name.id;
    }
    auto& known = names[key];
    if (!known) known = std::make_shared<const DeviceNames>(std::string(driver), std::move(sorted));
    return known;
  }

  /// Puts `found` (null: cannot be converted) into columns; a qualified name wins over a bare one.
  Layout lay_out(std::string_view driver, const Attributes& attributes, const Capacities& capacity,
                 const std::vector<ValueHandle>& found) {
    Layout made{.driver = std::string(driver),
                .qualified = {},
                .attributes = attributes.size(),
                .columns = {},
                .names = nullptr};
    std::map<Name, std::size_t> places;
    const auto place = [&](Half half, const std::string& qualified) {
      const auto number = made.qualified.size();
      made.qualified.push_back(qualified);
      if (!found[number]) return;
      const auto [at, added] = places.try_emplace(split_name(half, qualified, driver), number);
      if (!added && qualified.find('/') != std::string::npos) at->second = number;
    };
    for (const auto& entry : attributes) place(Half::attribute, entry.first);
    for (const auto& entry : capacity) place(Half::capacity, entry.first);
    std::vector<Name> sorted;
    made.columns.assign(found.size(), -1);
    for (const auto& [name, number] : places) {
      made.columns[number] = static_cast<int>(sorted.size());
      sorted.push_back(name);
    }
    made.names = names_of(driver, std::move(sorted));
    return made;
  }
};

Interner::Interner() : tables_(std::make_unique<Tables>()) {}
Interner::~Interner() = default;

DeviceShapeHandle Interner::intern(std::string_view driver, const Attributes& attributes,
                                   const Capacities& capacity, bool allow_multiple) {
  auto shape = std::make_shared<DeviceShape>();
  shape->allow_multiple_ = allow_multiple;
  std::vector<ValueHandle> found;
  found.reserve(attributes.size() + capacity.size());
  for (const auto& [qualified, given] : attributes) {
    std::string error;
    found.push_back(tables_->attribute(given, error));
    if (found.back() || shape->error_) continue;
    shape->error_.emplace("attribute ").append(qualified).append(": ").append(error);
  }
  for (const auto& [qualified, given] : capacity) {
    found.push_back(tables_->quantity(given.value, split_name(Half::capacity, qualified, driver)));
  }
  if (shape->error_ || !tables_->last.fits(driver, attributes, capacity)) {
    tables_->last = tables_->lay_out(driver, attributes, capacity, found);
  }
  const auto& layout = tables_->last;
  shape->names_ = layout.names;
  shape->values_.resize(layout.names->names().size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto column = layout.columns[i];
    if (column >= 0) shape->values_[static_cast<std::size_t>(column)] = std::move(found[i]);
  }
  // A layout that lacks what could not be converted is no other device's.
  if (shape->error_) tables_->last = {};
  return share(std::move(shape));
}

/// The shape that looks the same, if there is one; else this one gets its numbers.
DeviceShapeHandle Interner::share(std::shared_ptr<DeviceShape> shape) {
  auto hash =
      mix(shape->allow_multiple_ ? 1 : 0, reinterpret_cast<std::uintptr_t>(shape->names_.get()));
  for (const auto& value : shape->values_) {
    hash = mix(hash, reinterpret_cast<std::uintptr_t>(value.get()));
  }
  const auto [first, last] = tables_->shapes.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const DeviceShape& other = *known->second;
    if (other.names_ == shape->names_ && other.values_ == shape->values_ &&
        other.allow_multiple_ == shape->allow_multiple_ && other.error_ == shape->error_) {
      return known->second;
    }
  }
  if (tables_->shapes.size() >= tables_->sweep_at) sweep();
  auto& free = tables_->free_indexes;
  if (free.empty()) {
    shape->index_ = tables_->next_index++;
  } else {
    shape->index_ = free.back();
    free.pop_back();
  }
  shape->serial_ = tables_->next_serial++;
  tables_->shapes.emplace(hash, shape);
  return shape;
}

void Interner::sweep() {
  std::erase_if(tables_->shapes, [&](const auto& entry) {
    if (entry.second.use_count() > 1) return false;
    tables_->free_indexes.push_back(entry.second->index());
    return true;
  });
  std::erase_if(tables_->values, [](const auto& entry) { return entry.second.use_count() == 1; });
  std::erase_if(tables_->names, [](const auto& entry) { return entry.second.use_count() == 1; });
  tables_->sweep_at = std::max<std::size_t>(1024, tables_->shapes.size() * 2);
}

std::size_t Interner::size() const {
  return tables_->shapes.size();
}

}  // namespace dray::cel
