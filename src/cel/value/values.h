#pragma once

#include <string>
#include <string_view>

#include "cel/value/runtime.h"
#include "cel/value/trait.h"

// What values of every kind can do, as cel-go's common/types.

namespace dray::cel {

// --- kinds and types ---
/// The run-time type: `list` for every list.
[[nodiscard]] const Type& type_of(const Value& value);
/// Go's %T of the value: `types.Int`.
[[nodiscard]] std::string_view go_type(const Value& value);
/// Go's %v of the value, as error messages print it.
[[nodiscard]] std::string go_text(const Value& value);
/// The text of an error value.
[[nodiscard]] std::string error_text(const ErrorValue& error);
/// Whether a declared argument type takes the value; of a list or map only the first element
/// counts.
[[nodiscard]] bool takes(Context& context, const Type& type, const Value& value);
/// The value's zero-ness for optional.ofNonZeroValue.
[[nodiscard]] bool is_zero(const Value& value);

[[nodiscard]] bool has_trait(const Value& value, Trait trait);

// --- comparison ---
/// types.Equal: a boolean or an error.
[[nodiscard]] Value equal(Context& context, const Value& a, const Value& b);
/// a.Equal(b), without the rule for null.
[[nodiscard]] Value equal_values(Context& context, const Value& a, const Value& b);
/// a.Compare(b): -1, 0 or 1 as an int, or an error. `a` has the comparer trait.
[[nodiscard]] Value compare(Context& context, const Value& a, const Value& b);
/// The order in which maps are kept and iterated; 0 where Go's map sees the same key.
[[nodiscard]] int compare_keys(const Value& a, const Value& b);
/// False for what Go cannot use as a map key (bytes, semver, format): it panics.
[[nodiscard]] bool hashable(const Value& value);

// --- containers ---
/// The element; `index` is in range.
[[nodiscard]] Value list_at(Context& context, const ListValue& list, std::uint32_t index);
/// list.Get: int, or a double or uint that is one; else an error.
[[nodiscard]] Value list_get(Context& context, const Value& list, const Value& index);
/// types.IndexOrError: false and an error text where the index is none.
[[nodiscard]] bool list_index(const Value& index, std::int64_t& out, std::string& error);
[[nodiscard]] Value list_add(Context& context, const Value& a, const Value& b);
[[nodiscard]] Value list_contains(Context& context, const Value& list, const Value& element);

struct Found {
  bool found = false;
  Value value;
};
/// map.Find, numbers across types included.
[[nodiscard]] Found map_find(Context& context, const MapValue& map, const Value& key);
/// An attribute as a look-up gives it: a list is another one each time, as upstream's wrapper
/// around it is, which shows where it is the key of a map.
[[nodiscard]] Value column_value(Context& context, const Value& value);
/// The entry at a place of the iteration order.
[[nodiscard]] MapEntry map_at(Context& context, const MapValue& map, std::uint32_t index);
/// map.Insert into a growing map.
[[nodiscard]] Value map_insert(Context& context, const Value& map, const Value& key,
                               const Value& value);
/// A growing list or map as it is now.
[[nodiscard]] Value frozen(Context& context, const Value& value);

/// Size() for strings (code points), bytes, lists, maps, addresses; 1 for all else (`sized` false).
[[nodiscard]] std::uint64_t size_of(const Value& value, bool& sized);
[[nodiscard]] inline std::uint64_t actual_size(const Value& value) {
  bool sized = false;
  return size_of(value, sized);
}

// --- numbers ---
[[nodiscard]] bool double_to_int(double value, std::int64_t& out);
[[nodiscard]] bool double_to_uint(double value, std::uint64_t& out);

/// a + b; `a` has the adder trait.
[[nodiscard]] Value add_values(Context& context, const Value& a, const Value& b);

/// The variable `device` of a shape.
[[nodiscard]] Value device_value(Context& context);

}  // namespace dray::cel
