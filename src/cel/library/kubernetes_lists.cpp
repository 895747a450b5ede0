#include <string>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

Value is_sorted(Evaluation& run, Args args) {
  const ListValue& list = *args[0].list;
  Value previous;
  for (std::uint32_t i = 0; i < list.size; ++i) {
    const Value next = list_at(run.context, list, i);
    if (!has_trait(next, Trait::comparer)) return Context::no_such_overload(next);
    if (i > 0) {
      const Value order = compare(run.context, previous, next);
      if (order.is(Kind::int64) && order.int64 > 0) return Value::of(false);
    }
    previous = next;
  }
  return Value::of(true);
}

Value sum_from(Evaluation& run, const ListValue& list, Value total) {
  for (std::uint32_t i = 0; i < list.size; ++i) {
    const Value next = list_at(run.context, list, i);
    if (!has_trait(next, Trait::adder)) return Context::no_such_overload(next);
    total = add_values(run.context, total, next);
    if (!has_trait(total, Trait::adder)) return Context::no_such_overload(total);
  }
  return total;
}

Value sum_int(Evaluation& run, Args args) {
  return sum_from(run, *args[0].list, Value::of(std::int64_t{0}));
}
Value sum_uint(Evaluation& run, Args args) {
  return sum_from(run, *args[0].list, Value::of(std::uint64_t{0}));
}
Value sum_double(Evaluation& run, Args args) {
  return sum_from(run, *args[0].list, Value::of(0.0));
}
Value sum_duration(Evaluation& run, Args args) {
  return sum_from(run, *args[0].list, Context::duration(0));
}

template <int wanted>
Value extreme(Evaluation& run, Args args) {
  const ListValue& list = *args[0].list;
  if (list.size == 0) {
    return run.context.error(std::string(wanted > 0 ? "min" : "max") + " called on empty list");
  }
  Value best;
  for (std::uint32_t i = 0; i < list.size; ++i) {
    const Value next = list_at(run.context, list, i);
    if (!has_trait(next, Trait::comparer)) return Context::no_such_overload(next);
    if (i == 0) {
      best = next;
      continue;
    }
    const Value order = compare(run.context, best, next);
    if (order.is(Kind::int64) && order.int64 == wanted) best = next;
  }
  return best;
}

Value list_index_of(Evaluation& run, Args args) {
  const ListValue& list = *args[0].list;
  for (std::uint32_t i = 0; i < list.size; ++i) {
    if (equal_values(run.context, list_at(run.context, list, i), args[1]).is_true()) {
      return Value::of(static_cast<std::int64_t>(i));
    }
    if (run.context.cancelled != nullptr) break;
  }
  return Value::of(std::int64_t{-1});
}

Value list_last_index_of(Evaluation& run, Args args) {
  const ListValue& list = *args[0].list;
  for (std::uint32_t i = list.size; i > 0; --i) {
    if (equal_values(run.context, list_at(run.context, list, i - 1), args[1]).is_true()) {
      return Value::of(static_cast<std::int64_t>(i) - 1);
    }
    if (run.context.cancelled != nullptr) break;
  }
  return Value::of(std::int64_t{-1});
}

Value includes(Evaluation& run, Args args) {
  if (!args[0].is(Kind::list)) {
    return Value::of(equal_values(run.context, args[0], args[1]).is_true());
  }
  return Value::of(list_index_of(run, args).int64 >= 0);
}

constexpr BindingRow kubernetes_lists_rows[] = {
    {"list_int_is_sorted_bool", is_sorted},
    {"list_uint_is_sorted_bool", is_sorted},
    {"list_double_is_sorted_bool", is_sorted},
    {"list_bool_is_sorted_bool", is_sorted},
    {"list_duration_is_sorted_bool", is_sorted},
    {"list_timestamp_is_sorted_bool", is_sorted},
    {"list_string_is_sorted_bool", is_sorted},
    {"list_bytes_is_sorted_bool", is_sorted},
    {"list_int_sum_int", sum_int},
    {"list_uint_sum_uint", sum_uint},
    {"list_double_sum_double", sum_double},
    {"list_duration_sum_duration", sum_duration},
    {"list_int_max_int", extreme<-1>},
    {"list_uint_max_uint", extreme<-1>},
    {"list_double_max_double", extreme<-1>},
    {"list_bool_max_bool", extreme<-1>},
    {"list_duration_max_duration", extreme<-1>},
    {"list_timestamp_max_timestamp", extreme<-1>},
    {"list_string_max_string", extreme<-1>},
    {"list_bytes_max_bytes", extreme<-1>},
    {"list_int_min_int", extreme<1>},
    {"list_uint_min_uint", extreme<1>},
    {"list_double_min_double", extreme<1>},
    {"list_bool_min_bool", extreme<1>},
    {"list_duration_min_duration", extreme<1>},
    {"list_timestamp_min_timestamp", extreme<1>},
    {"list_string_min_string", extreme<1>},
    {"list_bytes_min_bytes", extreme<1>},
    {"list_a_index_of_int", list_index_of},
    {"list_a_last_index_of_int", list_last_index_of},
    {"list_includes_dyn_dyn", includes},
};

}  // namespace

std::span<const BindingRow> kubernetes_list_bindings() {
  return kubernetes_lists_rows;
}

}  // namespace dray::cel
