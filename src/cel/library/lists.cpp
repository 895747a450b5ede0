#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

std::vector<Value> items_of(Context& context, const ListValue& list) {
  std::vector<Value> items;
  if (!context.afford(std::size_t{list.size} * sizeof(Value))) return items;
  items.reserve(list.size);
  for (std::uint32_t i = 0; i < list.size; ++i) items.push_back(list_at(context, list, i));
  return items;
}

Value slice(Evaluation& run, Args args) {
  Context& context = run.context;
  const auto [start, end] = std::pair(args[1].int64, args[2].int64);
  const auto size = static_cast<std::int64_t>(args[0].list->size);
  if (start < 0 || end < 0) {
    return context.error(
        fmt::format("cannot slice({}, {}), negative indexes not supported", start, end));
  }
  if (start > end) {
    return context.error(fmt::format(
        "cannot slice({}, {}), start index must be less than or equal to end index", start, end));
  }
  if (size < end) {
    return context.error(fmt::format("cannot slice({}, {}), list is length {}", start, end, size));
  }
  std::vector<Value> items;
  for (auto i = static_cast<std::uint32_t>(start); i < static_cast<std::uint32_t>(end); ++i) {
    items.push_back(list_at(context, *args[0].list, i));
  }
  return context.list(items);
}

bool flatten_into(Context& context, const ListValue& list, std::int64_t depth,
                  std::vector<Value>& out) {
  if (!context.afford((out.size() + list.size) * sizeof(Value))) return false;
  for (std::uint32_t i = 0; i < list.size; ++i) {
    const Value item = list_at(context, list, i);
    if (item.is(Kind::list) && depth > 0) {
      if (!flatten_into(context, *item.list, depth - 1, out)) return false;
    } else {
      out.push_back(item);
    }
  }
  return true;
}

Value flatten(Evaluation& run, Args args) {
  Context& context = run.context;
  const std::int64_t depth = args.size() == 2 ? args[1].int64 : 1;
  if (depth < 0) return context.error("level must be non-negative");
  std::vector<Value> out;
  if (!flatten_into(context, *args[0].list, depth, out)) return context.cancel({});
  return context.list(out);
}

// flatten's guards are off upstream: it says itself what it does not take.
Value flatten_any(Evaluation& run, Args args) {
  const std::string type = plain_text(type_of(args[0]));
  const auto wrong = [&] {
    if (args.size() == 1) {
      return run.context.error(fmt::format("no such overload: {}.flatten()", type));
    }
    return run.context.error(
        fmt::format("no such overload: {}.flatten({})", type, plain_text(type_of(args[1]))));
  };
  if (!args[0].is(Kind::list)) return wrong();
  if (args.size() == 2 && !args[1].is(Kind::int64)) return wrong();
  return flatten(run, args);
}

Value sorted_by(Evaluation& run, const Value& list, const Value& keys) {
  Context& context = run.context;
  const auto [size, key_count] = std::pair(list.list->size, keys.list->size);
  if (size != key_count) {
    return context.error(
        fmt::format("@sortByAssociatedKeys() expected a list of the same size as "
                    "the associated keys list, but got {} and {} elements "
                    "respectively",
                    size, key_count));
  }
  if (size == 0) return list;
  const std::vector<Value> key = items_of(context, *keys.list);
  const std::vector<Value> items = items_of(context, *list.list);
  if (context.cancelled != nullptr) return context.cancel({});
  if (!has_trait(key[0], Trait::comparer)) {
    return context.error("list elements must be comparable");
  }
  const bool one_type =
      std::ranges::all_of(key, [&](const Value& k) { return k.kind == key[0].kind; });
  if (!one_type && size > 1) return context.error("list elements must have the same type");
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  // Where keys cannot be ordered (NaN) any order is as good: they count as equal.
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const Value less = compare(context, key[a], key[b]);
    return less.is(Kind::int64) && less.int64 < 0;
  });
  std::vector<Value> sorted;
  sorted.reserve(size);
  for (const std::uint32_t i : order) sorted.push_back(items[i]);
  return context.list(sorted);
}

Value sort(Evaluation& run, Args args) {
  return sorted_by(run, args[0], args[0]);
}
Value sort_by_keys(Evaluation& run, Args args) {
  if (!args[1].is(Kind::list)) {
    return run.context.panic(
        fmt::format("interface conversion: {} is not traits.Lister: missing method {}",
                    go_type(args[1]), has_trait(args[1], Trait::adder) ? "Contains" : "Add"));
  }
  return sorted_by(run, args[0], args[1]);
}

constexpr std::int64_t longest_range = 1'000'000;

Value range(Evaluation& run, Args args) {
  Context& context = run.context;
  const std::int64_t count = args[0].int64;
  if (count < 0) {
    return context.error(fmt::format("lists.range: size must be non-negative, got {}", count));
  }
  if (count > longest_range) {
    return context.error(
        fmt::format("lists.range: size {} exceeds maximum allowed ({})", count, longest_range));
  }
  // Upstream makes the list before it counts the cost.
  if (!context.afford(static_cast<std::size_t>(count) * sizeof(Value))) {
    return context.cancel("operation cancelled: actual cost limit exceeded");
  }
  std::vector<Value> items;
  items.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) items.push_back(Value::of(i));
  return context.list(items);
}

Value reverse(Evaluation& run, Args args) {
  std::vector<Value> items = items_of(run.context, *args[0].list);
  std::ranges::reverse(items);
  return run.context.list(items);
}

Value distinct(Evaluation& run, Args args) {
  std::vector<Value> kept;
  const std::vector<Value> items = items_of(run.context, *args[0].list);
  for (std::size_t i = 0; i < items.size(); ++i) {
    bool seen = false;
    for (std::size_t j = 0; j < kept.size() && !seen; ++j) {
      seen = i != j && equal_values(run.context, items[i], kept[j]).is_true();
    }
    if (!seen) kept.push_back(items[i]);
    if (run.context.cancelled != nullptr) return run.context.cancel({});
  }
  return run.context.list(kept);
}

Value insert_entry(Evaluation& run, Args args) {
  if (args.size() == 3) return map_insert(run.context, args[0], args[1], args[2]);
  Value map = args[0];
  for (std::uint32_t i = 0; i < args[1].map->size && !map.is_error(); ++i) {
    const MapEntry entry = map_at(run.context, *args[1].map, i);
    map = map_insert(run.context, map, entry.key, entry.value);
  }
  return map;
}

constexpr BindingRow lists_rows[] = {
    {"list_slice", slice, Trait::none, true},
    {"list_flatten", flatten_any, Trait::none, false, true},
    {"list_flatten_int", flatten_any, Trait::none, false, true},
    {"=sort", sort, Trait::list},
    {"=@sortByAssociatedKeys", sort_by_keys, Trait::list},
    {"lists_range", range},
    {"list_reverse", reverse},
    {"list_distinct", distinct},
    {"@mapInsert_map_key_value", insert_entry, Trait::none, true},
    {"@mapInsert_map_map", insert_entry},
};

}  // namespace

std::span<const BindingRow> list_bindings() {
  return lists_rows;
}

}  // namespace dray::cel
