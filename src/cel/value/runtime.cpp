#include "cel/value/runtime.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "cel/value/values.h"

namespace dray::cel {

namespace {

Value error_of(const ErrorValue* error) {
  Value value;
  value.kind = Kind::error;
  value.error = error;
  return value;
}

}  // namespace

Value Context::error(std::string_view text) {
  return error_of(arena.make<ErrorValue>(ErrorValue::Code::text, false, arena.copy(text), Value{}));
}

Value Context::no_such_key(const Value& key) {
  return error_of(
      arena.make<ErrorValue>(ErrorValue::Code::no_such_key, false, std::string_view{}, key));
}

Value Context::index_out_of_bounds(const Value& index) {
  return error_of(arena.make<ErrorValue>(ErrorValue::Code::index_out_of_bounds, false,
                                         std::string_view{}, index));
}

Value Context::no_such_overload() {
  static const ErrorValue error{ErrorValue::Code::text, false, "no such overload", Value{}};
  return error_of(&error);
}

Value Context::cancel(std::string_view text) {
  if (cancelled == nullptr) {
    cancelled = arena.make<ErrorValue>(ErrorValue::Code::text, true, arena.copy(text), Value{});
  }
  return error_of(cancelled);
}

bool Context::afford(std::size_t bytes) {
  if (cancelled == nullptr && bytes <= memory_limit && arena.used() + bytes <= memory_limit) {
    return true;
  }
  cancel("operation cancelled: memory limit exceeded");
  return false;
}

Value Context::made_text(std::string_view text, Kind kind) {
  if (!afford(text.size())) return error_of(cancelled);
  return Value::of(arena.copy(text), kind);
}

Value Context::string(std::string_view text, char (*change)(char)) {
  if (!afford(text.size())) return error_of(cancelled);
  const auto made = arena.array<char>(text.size());
  std::ranges::transform(text, made.begin(), change);
  return Value::of(std::string_view(made.data(), made.size()));
}

Value Context::list(std::span<const Value> items) {
  if (!afford(items.size_bytes())) return error_of(cancelled);
  auto* list = arena.make<ListValue>();
  list->size = static_cast<std::uint32_t>(items.size());
  list->items = arena.copy(items).data();
  Value value;
  value.kind = Kind::list;
  value.list = list;
  return value;
}

Value Context::map(std::span<MapEntry> entries) {
  if (!afford(entries.size_bytes())) return error_of(cancelled);
  std::stable_sort(entries.begin(), entries.end(), [](const MapEntry& a, const MapEntry& b) {
    return compare_keys(a.key, b.key) < 0;
  });
  const std::span<MapEntry> kept = arena.array<MapEntry>(entries.size());
  std::uint32_t size = 0;
  for (const MapEntry& entry : entries) {
    const bool same = size > 0 && compare_keys(kept[size - 1].key, entry.key) == 0;
    if (same && !(entry.key.is(Kind::float64) && std::isnan(entry.key.float64))) --size;
    kept[size++] = entry;
  }
  auto* map = arena.make<MapValue>();
  map->size = size;
  map->entries = kept.data();
  Value value;
  value.kind = Kind::map;
  value.map = map;
  return value;
}

Value Context::optional(const Value& inner) {
  Value value;
  value.kind = Kind::optional;
  value.optional = arena.make<OptionalValue>(true, inner);
  return value;
}

Value Context::none() {
  static const OptionalValue none;
  Value value;
  value.kind = Kind::optional;
  value.optional = &none;
  return value;
}

Value Context::timestamp(std::int64_t seconds, std::int32_t nanoseconds, std::int32_t zone) {
  Value value;
  value.kind = Kind::timestamp;
  value.timestamp = arena.make<TimestampValue>(seconds, nanoseconds, zone);
  return value;
}

Value Context::duration(std::int64_t nanoseconds) {
  Value value;
  value.kind = Kind::duration;
  value.nanoseconds = nanoseconds;
  return value;
}

Value Context::type(const Type& type) {
  Value value;
  value.kind = Kind::type;
  value.type = &type;
  return value;
}

Value Context::ip(const IpAddress& address) {
  Value value;
  value.kind = Kind::ip;
  value.ip = arena.make<IpAddress>(address);
  return value;
}

Value Context::cidr(const CidrBlock& block) {
  Value value;
  value.kind = Kind::cidr;
  value.cidr = arena.make<CidrBlock>(block);
  return value;
}

Value Context::quantity(Quantity quantity, bool computed) {
  if (!afford(sizeof(Quantity))) return error_of(cancelled);
  quantities_.push_back(std::make_unique<Quantity>(std::move(quantity)));
  Value value;
  value.kind = Kind::quantity;
  value.computed = computed;
  value.quantity = quantities_.back().get();
  return value;
}

Value Context::semver(Semver version) {
  if (!afford(sizeof(Semver))) return error_of(cancelled);
  semvers_.push_back(std::make_unique<Semver>(std::move(version)));
  Value value;
  value.kind = Kind::semver;
  value.semver = semvers_.back().get();
  return value;
}

Value Context::growing_list() {
  auto* list = arena.make<ListValue>();
  list->form = ListValue::Form::growing;
  list->self = list;
  Value value;
  value.kind = Kind::list;
  value.list = list;
  return value;
}

Value Context::growing_map() {
  auto* map = arena.make<MapValue>();
  map->form = MapValue::Form::growing;
  map->self = map;
  Value value;
  value.kind = Kind::map;
  value.map = map;
  return value;
}

void Context::clear() {
  arena.reset();
  quantities_.clear();
  semvers_.clear();
  cancelled = nullptr;
}

}  // namespace dray::cel
