#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/text/time_text.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

std::int64_t year(const CivilTime& t, std::int32_t) {
  return t.year;
}
std::int64_t month(const CivilTime& t, std::int32_t) {
  return t.month - 1;
}
std::int64_t day_of_year(const CivilTime& t, std::int32_t) {
  return t.day_of_year - 1;
}
std::int64_t day_of_month(const CivilTime& t, std::int32_t) {
  return t.day - 1;
}
std::int64_t date(const CivilTime& t, std::int32_t) {
  return t.day;
}
std::int64_t day_of_week(const CivilTime& t, std::int32_t) {
  return t.day_of_week;
}
std::int64_t hours(const CivilTime& t, std::int32_t) {
  return t.hour;
}
std::int64_t minutes(const CivilTime& t, std::int32_t) {
  return t.minute;
}
std::int64_t seconds(const CivilTime& t, std::int32_t) {
  return t.second;
}
std::int64_t milliseconds(const CivilTime&, std::int32_t nanoseconds) {
  return nanoseconds / 1'000'000;
}

using Part = std::int64_t (*)(const CivilTime&, std::int32_t);

template <Part part>
Value in_utc(Evaluation&, Args args) {
  const TimestampValue& time = *args[0].timestamp;
  return Value::of(part(civil_time(time.seconds), time.nanoseconds));
}

template <Part part>
Value in_zone(Evaluation& run, Args args) {
  const TimestampValue& time = *args[0].timestamp;
  std::string error;
  const auto offset = zone_offset(args[1].text(), time.seconds, error);
  if (!offset) return run.context.error(error);
  return Value::of(part(civil_time(time.seconds + *offset), time.nanoseconds));
}

template <std::int64_t unit>
Value duration_in(Evaluation&, Args args) {
  return Value::of(args[0].nanoseconds / unit);
}

constexpr BindingRow time_rows[] = {
    {"timestamp_to_year", in_utc<year>},
    {"timestamp_to_year_with_tz", in_zone<year>},
    {"timestamp_to_month", in_utc<month>},
    {"timestamp_to_month_with_tz", in_zone<month>},
    {"timestamp_to_day_of_year", in_utc<day_of_year>},
    {"timestamp_to_day_of_year_with_tz", in_zone<day_of_year>},
    {"timestamp_to_day_of_month", in_utc<day_of_month>},
    {"timestamp_to_day_of_month_with_tz", in_zone<day_of_month>},
    {"timestamp_to_day_of_month_1_based", in_utc<date>},
    {"timestamp_to_day_of_month_1_based_with_tz", in_zone<date>},
    {"timestamp_to_day_of_week", in_utc<day_of_week>},
    {"timestamp_to_day_of_week_with_tz", in_zone<day_of_week>},
    {"timestamp_to_hours", in_utc<hours>},
    {"timestamp_to_hours_with_tz", in_zone<hours>},
    {"timestamp_to_minutes", in_utc<minutes>},
    {"timestamp_to_minutes_with_tz", in_zone<minutes>},
    {"timestamp_to_seconds", in_utc<seconds>},
    {"timestamp_to_seconds_tz", in_zone<seconds>},
    {"timestamp_to_milliseconds", in_utc<milliseconds>},
    {"timestamp_to_milliseconds_with_tz", in_zone<milliseconds>},
    {"duration_to_hours", duration_in<3'600'000'000'000>},
    {"duration_to_minutes", duration_in<60'000'000'000>},
    {"duration_to_seconds", duration_in<1'000'000'000>},
    {"duration_to_milliseconds", duration_in<1'000'000>},
};

}  // namespace

std::span<const BindingRow> time_bindings() {
  return time_rows;
}

}  // namespace dray::cel
