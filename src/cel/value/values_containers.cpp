#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "cel/text/number_text.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

constexpr std::uint32_t longest_list = std::numeric_limits<std::int32_t>::max();

Value value_of(const ListValue* list) {
  Value value;
  value.kind = Kind::list;
  value.list = list;
  return value;
}

Value value_of(const MapValue* map) {
  Value value;
  value.kind = Kind::map;
  value.map = map;
  return value;
}

/// Room for `more` items behind a growing container's.
template <class Item, class Container>
Item* grow(Context& context, Container& container, std::uint32_t more) {
  const std::uint64_t want = std::uint64_t{container.size} + more;
  if (want <= container.capacity) return container.room;
  const std::uint64_t capacity = std::max<std::uint64_t>(8, want * 2);
  if (capacity > longest_list || !context.afford(capacity * sizeof(Item))) return nullptr;
  const std::span<Item> room = context.arena.array<Item>(capacity);
  std::copy(container.room, container.room + container.size, room.begin());
  container.capacity = static_cast<std::uint32_t>(capacity);
  container.room = room.data();
  return room.data();
}

Value append(Context& context, const ListValue& into, const ListValue& more) {
  auto& list = *into.self;
  const std::uint32_t count = more.size;
  if (count == 0) return value_of(&list);
  Value* items = grow<Value>(context, list, count);
  if (items == nullptr) return context.cancel("operation cancelled: memory limit exceeded");
  for (std::uint32_t i = 0; i < count; ++i) items[list.size + i] = list_at(context, more, i);
  list.items = items;
  list.size += count;
  return value_of(&list);
}

}  // namespace

Value list_at(Context& context, const ListValue& list, std::uint32_t index) {
  const ListValue* at = &list;
  while (at->form == ListValue::Form::joined) {
    if (index < at->left->size) {
      at = at->left;
    } else {
      index -= at->left->size;
      at = at->right;
    }
  }
  if (index >= at->size) return context.panic("runtime error: index out of range");
  return at->items[index];
}

bool list_index(const Value& index, std::int64_t& out, std::string& error) {
  switch (index.kind) {
    case Kind::int64:
      out = index.int64;
      return true;
    case Kind::float64:
      if (double_to_int(index.float64, out) && static_cast<double>(out) == index.float64) {
        return true;
      }
      break;
    case Kind::uint64:
      if (index.uint64 <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        out = static_cast<std::int64_t>(index.uint64);
        return true;
      }
      break;
    default:
      error = fmt::format("unsupported index type '{}' in list", plain_text(type_of(index)));
      return false;
  }
  error = fmt::format("unsupported index value {} in list", go_text(index));
  return false;
}

Value list_get(Context& context, const Value& list, const Value& index) {
  std::int64_t i = 0;
  std::string error;
  if (!list_index(index, i, error)) return index.is_error() ? index : context.error(error);
  if (i < 0 || i >= static_cast<std::int64_t>(list.list->size)) {
    return context.error(
        fmt::format("index '{}' out of range in list size '{}'", i, list.list->size));
  }
  return list_at(context, *list.list, static_cast<std::uint32_t>(i));
}

Value list_add(Context& context, const Value& a, const Value& b) {
  if (!b.is(Kind::list)) return Context::no_such_overload(b);
  if (a.list->form == ListValue::Form::growing) return append(context, *a.list, *b.list);
  if (a.list->size == 0) return b;
  if (b.list->size == 0) return a;
  const std::uint64_t size = std::uint64_t{a.list->size} + b.list->size;
  if (size > longest_list) return context.cancel("operation cancelled: memory limit exceeded");
  auto* joined = context.arena.make<ListValue>();
  joined->form = ListValue::Form::joined;
  joined->size = static_cast<std::uint32_t>(size);
  joined->left = a.list;
  joined->right = b.list;
  return value_of(joined);
}

Value list_contains(Context& context, const Value& list, const Value& element) {
  for (std::uint32_t i = 0; i < list.list->size; ++i) {
    const Value same = equal_values(context, element, list_at(context, *list.list, i));
    if (context.cancelled != nullptr || same.is_true()) return same;
  }
  return Value::of(false);
}

namespace {

const MapEntry* find_exact(const MapValue& map, const Value& key) {
  if (key.is(Kind::float64) && std::isnan(key.float64)) return nullptr;
  const bool growing = map.form == MapValue::Form::growing;
  const MapEntry* end = map.entries + (growing ? map.sorted : map.size);
  const MapEntry* at =
      std::lower_bound(map.entries, end, key, [](const MapEntry& entry, const Value& wanted) {
        return compare_keys(entry.key, wanted) < 0;
      });
  if (at != end && compare_keys(at->key, key) == 0) return at;
  for (; growing && end != map.entries + map.size; ++end) {
    if (compare_keys(end->key, key) == 0) return end;
  }
  return nullptr;
}

/// The key itself, then the same number as another type.
const MapEntry* find_number(const MapValue& map, const Value& key) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (const MapEntry* exact = find_exact(map, key)) return exact;
  if (key.is(Kind::int64) && key.int64 >= 0) {
    return find_exact(map, Value::of(static_cast<std::uint64_t>(key.int64)));
  }
  if (key.is(Kind::uint64) && key.uint64 <= largest) {
    return find_exact(map, Value::of(static_cast<std::int64_t>(key.uint64)));
  }
  if (!key.is(Kind::float64)) return nullptr;
  std::int64_t i = 0;
  if (double_to_int(key.float64, i) && static_cast<double>(i) == key.float64) {
    if (const MapEntry* found = find_exact(map, Value::of(i))) return found;
  }
  std::uint64_t u = 0;
  if (double_to_uint(key.float64, u) && static_cast<double>(u) == key.float64) {
    return find_exact(map, Value::of(u));
  }
  return nullptr;
}

Value domain_map(Context& context, const MapValue& domains, int first, int last) {
  auto* names = context.arena.make<MapValue>();
  names->form = MapValue::Form::names;
  names->half = domains.half;
  names->known = true;
  names->device = domains.device;
  names->first = first;
  names->size = static_cast<std::uint32_t>(last - first);
  return value_of(names);
}

/// What a domain that no device has is: upstream has one such map, so that as a key of a map it is
/// the same each time.
Value missing_domain() {
  static const MapValue empty = [] {
    MapValue made;
    made.form = MapValue::Form::names;
    made.known = false;
    return made;
  }();
  return value_of(&empty);
}

Value half_map(Context& context, const DeviceShape& device, Half half) {
  auto* domains = context.arena.make<MapValue>();
  domains->form = MapValue::Form::domains;
  domains->half = half;
  domains->device = &device;
  const auto names = device.names().names();
  const Name* previous = nullptr;
  for (const Name& name : names) {
    if (name.half != half) continue;
    if (previous == nullptr || previous->domain != name.domain) ++domains->size;
    previous = &name;
  }
  return value_of(domains);
}

constexpr std::string_view device_keys[] = {"allowMultipleAllocations", "attributes", "capacity",
                                            "driver"};

Value device_field(Context& context, const DeviceShape& device, std::size_t field) {
  switch (field) {
    case 0:
      return Value::of(device.allow_multiple_allocations());
    case 1:
      return half_map(context, device, Half::attribute);
    case 2:
      return half_map(context, device, Half::capacity);
    default:
      return Value::of(device.driver());
  }
}

}  // namespace

Value column_value(Context& context, const Value& value) {
  if (!value.is(Kind::list)) return value;
  Value made = value;
  made.list = context.arena.make<ListValue>(*value.list);
  return made;
}

Found map_find(Context& context, const MapValue& map, const Value& key) {
  switch (map.form) {
    case MapValue::Form::plain:
    case MapValue::Form::growing: {
      if (map.size == 0) return {};
      if (!hashable(key)) {
        return {true, context.panic(
                          fmt::format("runtime error: hash of unhashable type {}", go_type(key)))};
      }
      const MapEntry* entry = find_number(map, key);
      return entry == nullptr ? Found{} : Found{true, entry->value};
    }
    case MapValue::Form::device:
      for (std::size_t i = 0; i < std::size(device_keys) && key.is(Kind::string); ++i) {
        if (key.text() == device_keys[i]) return {true, device_field(context, *map.device, i)};
      }
      return {};
    case MapValue::Form::domains: {
      auto [first, last] = std::pair(0, 0);
      if (key.is(Kind::string)) {
        std::tie(first, last) = map.device->names().domain(map.half, key.text());
      }
      return {true, first == last ? missing_domain() : domain_map(context, map, first, last)};
    }
    case MapValue::Form::names: {
      if (!map.known || !key.is(Kind::string)) return {};
      const auto names = map.device->names().names();
      const std::string& domain = names[static_cast<std::size_t>(map.first)].domain;
      const int column = map.device->names().find(map.half, domain, key.text());
      return column < 0 ? Found{}
                        : Found{true, column_value(context, map.device->at(column).value)};
    }
  }
  return {};
}

MapEntry map_at(Context& context, const MapValue& map, std::uint32_t index) {
  switch (map.form) {
    case MapValue::Form::plain:
    case MapValue::Form::growing:
      return map.entries[index];
    case MapValue::Form::device:
      return {Value::of(device_keys[index]), device_field(context, *map.device, index)};
    case MapValue::Form::names: {
      const auto column = static_cast<std::size_t>(map.first) + index;
      return {Value::of(map.device->names().names()[column].id),
              column_value(context, map.device->at(static_cast<int>(column)).value)};
    }
    case MapValue::Form::domains:
      break;
  }
  const auto names = map.device->names().names();
  int first = 0;
  while (names[static_cast<std::size_t>(first)].half != map.half) ++first;
  for (;;) {
    const std::string& domain = names[static_cast<std::size_t>(first)].domain;
    const auto [begin, end] = map.device->names().domain(map.half, domain);
    if (index-- == 0) return {Value::of(domain), domain_map(context, map, begin, end)};
    first = end;
  }
}

namespace {

void sort_entries(MapValue& map) {
  auto* entries = map.room;
  const auto before = [](const MapEntry& a, const MapEntry& b) {
    return compare_keys(a.key, b.key) < 0;
  };
  std::sort(entries + map.sorted, entries + map.size, before);
  std::inplace_merge(entries, entries + map.sorted, entries + map.size, before);
  map.sorted = map.size;
}

}  // namespace

Value map_insert(Context& context, const Value& map, const Value& key, const Value& value) {
  const Found found = map_find(context, *map.map, key);
  if (context.cancelled != nullptr) return found.value;
  if (found.found) {
    return context.error(fmt::format("insert failed: key {} already exists", go_text(key)));
  }
  if (!hashable(key)) {
    return context.panic(fmt::format("runtime error: hash of unhashable type {}", go_type(key)));
  }
  auto& into = *map.map->self;
  auto* entries = grow<MapEntry>(context, into, 1);
  if (entries == nullptr) return context.cancel("operation cancelled: memory limit exceeded");
  entries[into.size++] = {key, value};
  into.entries = entries;
  // A short tail without order keeps adding n entries well below n squared.
  const double tail = into.size - into.sorted;
  if (tail > 64 && tail > 2 * std::sqrt(into.size)) sort_entries(into);
  return map;
}

Value frozen(Context& context, const Value& value) {
  if (value.is(Kind::list) && value.list->form == ListValue::Form::growing) {
    auto* list = context.arena.make<ListValue>(*value.list);
    list->form = ListValue::Form::plain;
    return value_of(list);
  }
  if (value.is(Kind::map) && value.map->form == MapValue::Form::growing) {
    auto* map = context.arena.make<MapValue>(*value.map);
    sort_entries(*map);
    map->form = MapValue::Form::plain;
    return value_of(map);
  }
  return value;
}

Value device_value(Context& context) {
  auto* map = context.arena.make<MapValue>();
  map->form = MapValue::Form::device;
  map->size = static_cast<std::uint32_t>(std::size(device_keys));
  map->device = context.device;
  return value_of(map);
}

}  // namespace dray::cel
