#include "app/serve/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

#include "dray/base/suggest.h"
#include "wire/yaml/duration.h"

namespace dray::app {
namespace {

struct ByteUnit {
  std::string_view suffix;
  std::int64_t bytes;
};
constexpr std::array<ByteUnit, 3> byte_units{
    {{"Gi", std::int64_t{1} << 30}, {"Mi", std::int64_t{1} << 20}, {"Ki", std::int64_t{1} << 10}}};

std::optional<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t number = 0;
  const auto* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || number < 0) return std::nullopt;
  return number;
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  std::int64_t factor = 1;
  for (const auto& unit : byte_units) {
    if (!text.ends_with(unit.suffix)) continue;
    text.remove_suffix(unit.suffix.size());
    factor = unit.bytes;
    break;
  }
  const auto number = parse_whole(text);
  if (!number || *number > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
  return *number * factor;
}

std::string bytes_text(std::int64_t value) {
  for (const auto& unit : byte_units) {
    if (value > 0 && value % unit.bytes == 0) {
      return fmt::format("{}{}", value / unit.bytes, unit.suffix);
    }
  }
  return fmt::format("{}", value);
}

std::string_view example_of(LimitUnit unit) {
  switch (unit) {
    case LimitUnit::bytes:
      return "a number of bytes, as 65536, 64Ki or 32Mi";
    case LimitUnit::time:
      return "a time, as 500ms, 90s or 10m";
    case LimitUnit::count:
      break;
  }
  return "a whole number";
}

std::int64_t get(const LimitMember& member) {
  return std::visit(
      [](const auto* at) -> std::int64_t {
        if constexpr (requires { at->count(); }) {
          return std::chrono::duration_cast<std::chrono::milliseconds>(*at).count();
        } else {
          return static_cast<std::int64_t>(*at);
        }
      },
      member);
}

void set(const LimitMember& member, std::int64_t value) {
  std::visit(
      [&](auto* at) {
        using Value = std::remove_pointer_t<decltype(at)>;
        if constexpr (requires { at->count(); }) {
          *at = std::chrono::duration_cast<Value>(std::chrono::milliseconds(value));
        } else {
          *at = static_cast<Value>(value);
        }
      },
      member);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& limit : all_limits()) all.emplace_back(limit.name);
  return all;
}

/// One NAME=VALUE.
Result<void> set_limit(LimitedParts& parts, std::string_view given, std::set<std::string>& seen) {
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::invalid, fmt::format("--limit {}: {}", given, what));
  };
  const auto equals = given.find('=');
  if (equals == std::string_view::npos) {
    return wrong("write NAME=VALUE, as extender.body=32Mi; `dray limits` lists the names");
  }
  const std::string name(given.substr(0, equals));
  const auto all = all_limits();
  const auto limit = std::ranges::find(all, name, &Limit::name);
  if (limit == all.end()) {
    return wrong(fmt::format("there is no limit \"{}\"{}; `dray limits` lists them", name,
                             suggest_near(name, names())));
  }
  if (!seen.insert(name).second) return wrong("is given twice");
  const auto value = parse_limit(limit->unit, given.substr(equals + 1));
  if (!value) return wrong(fmt::format("expected {}", example_of(limit->unit)));
  if (*value < limit->least || *value > limit->most) {
    return wrong(fmt::format("expected {} to {}", limit_text(limit->unit, limit->least),
                             limit_text(limit->unit, limit->most)));
  }
  for (const auto& member : limit->members(parts)) set(member, *value);
  return {};
}

}  // namespace

std::int64_t Limit::standard() const {
  LimitedParts parts;
  return get(members(parts).front());
}

std::string limit_text(LimitUnit unit, std::int64_t value) {
  switch (unit) {
    case LimitUnit::bytes:
      return bytes_text(value);
    case LimitUnit::time:
      return wire::format_duration(
          std::chrono::duration_cast<Duration>(std::chrono::milliseconds(value)));
    case LimitUnit::count:
      break;
  }
  return fmt::format("{}", value);
}

std::optional<std::int64_t> parse_limit(LimitUnit unit, std::string_view text) {
  if (unit == LimitUnit::bytes) return parse_bytes(text);
  if (unit == LimitUnit::count) return parse_whole(text);
  const auto time = wire::parse_duration(text);
  if (!time) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(*time).count();
}

Result<LimitedParts> limited_parts(std::span<const std::string> given) {
  LimitedParts parts;
  std::set<std::string> seen;
  for (const auto& each : given) {
    if (auto done = set_limit(parts, each, seen); !done) {
      return std::unexpected(std::move(done.error()));
    }
  }
  return parts;
}

}  // namespace dray::app
