#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "engine/books/usage_keeper.h"

// A UsageHistory as text: `capacity: gpu=12.5 cpu=100`, `held.research: gpu=3`; and the parts of
// its window: `part.0.micros: 5 9`, `part.0.capacity: gpu=2`, `part.0.held.research: gpu=1`.

namespace dray::engine {
namespace {

constexpr std::string_view held_prefix = "held.";
constexpr std::string_view part_prefix = "part.";
constexpr std::size_t most_parts = 100;  // of a record that somebody else may have written

std::string amounts_text(const policy::Amounts& amounts, const policy::ResourceTable& resources) {
  std::string text;
  for (std::size_t i = 0; i < amounts.size() && i < resources.size(); ++i) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}", resources[i].name, amounts[i]);
  }
  return text;
}

policy::Amounts amounts_in(std::string_view text, const policy::ResourceTable& resources) {
  policy::Amounts amounts(resources.size());
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto equals = word.rfind('=');
    if (equals == std::string_view::npos) continue;
    const auto index = policy::find_resource(resources, word.substr(0, equals));
    double value = 0;
    const auto number = word.substr(equals + 1);
    const auto [last, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool valid = error == std::errc() && last == number.data() + number.size() &&
                       std::isfinite(value) && value >= 0;
    if (index && valid) amounts[*index] = value;
  }
  return amounts;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_in(const Labels& data, std::string_view key) {
  const auto found = data.find(key);
  if (found == data.end()) return std::nullopt;
  return number_in<std::int64_t>(found->second);
}

/// Of this era: what somebody else may have written overflows nothing.
bool is_moment(std::int64_t micros) {
  constexpr auto least = std::chrono::sys_days(std::chrono::year(1970) / 1 / 1).time_since_epoch();
  constexpr auto most = std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1).time_since_epoch();
  return micros >= Duration(least).count() && micros < Duration(most).count();
}

void encode_sums(const policy::UsageSums& sums, const policy::ResourceTable& resources,
                 const std::string& prefix, bool with_nothing, Labels& data) {
  data[prefix + "capacity"] = amounts_text(sums.capacity, resources);
  for (const auto& [queue, held] : sums.held) {
    if (!with_nothing && held == policy::Amounts(held.size())) continue;
    data[fmt::format("{}{}{}", prefix, held_prefix, queue.get())] = amounts_text(held, resources);
  }
}

/// `key` is what is behind the prefix of the sums.
void decode_sums(std::string_view key, std::string_view text,
                 const policy::ResourceTable& resources, policy::UsageSums& sums) {
  if (key == "capacity") {
    sums.capacity = amounts_in(text, resources);
  } else if (key.starts_with(held_prefix)) {
    sums.held[policy::QueueName(std::string(key.substr(held_prefix.size())))] =
        amounts_in(text, resources);
  }
}

/// `key` is what is behind "part.", as "3.capacity".
void decode_part(std::string_view key, std::string_view text,
                 const policy::ResourceTable& resources,
                 std::map<std::size_t, policy::UsagePart>& parts) {
  const auto dot = key.find('.');
  if (dot == std::string_view::npos) return;
  const auto number = number_in<std::size_t>(key.substr(0, dot));
  if (!number || *number >= most_parts) return;
  auto& part = parts[*number];
  key.remove_prefix(dot + 1);
  if (key != "micros") {
    decode_sums(key, text, resources, part.sums);
    return;
  }
  const auto space = std::min(text.find(' '), text.size());
  const auto from = number_in<std::int64_t>(text.substr(0, space));
  const auto until = number_in<std::int64_t>(text.substr(std::min(space + 1, text.size())));
  if (!from || !until || !is_moment(*from) || !is_moment(*until)) return;
  part.from = Time(Duration(*from));
  part.until = Time(Duration(*until));
}

/// Those that have a beginning and an end, one after the other.
std::deque<policy::UsagePart> usable(std::map<std::size_t, policy::UsagePart> parts,
                                     std::size_t resources) {
  std::deque<policy::UsagePart> usable;
  for (auto& [number, part] : parts) {
    if (part.from >= part.until || part.sums.capacity.size() != resources) continue;
    if (!usable.empty() && part.from < usable.back().until) continue;
    usable.push_back(std::move(part));
  }
  return usable;
}

}  // namespace

Labels encode_usage(const policy::UsageHistory& history, const policy::ResourceTable& resources) {
  Labels data;
  data["halfLifeMicros"] = std::to_string(history.half_life.count());
  if (history.at) data["atMicros"] = std::to_string(history.at->time_since_epoch().count());
  encode_sums(history.sums, resources, "", true, data);
  for (std::size_t i = 0; i < history.parts.size(); ++i) {
    const auto& part = history.parts[i];
    const auto prefix = fmt::format("{}{}.", part_prefix, i);
    data[prefix + "micros"] = fmt::format("{} {}", part.from.time_since_epoch().count(),
                                          part.until.time_since_epoch().count());
    encode_sums(part.sums, resources, prefix, false, data);
  }
  return data;
}

policy::UsageHistory decode_usage(const Labels& data, const policy::ResourceTable& resources) {
  policy::UsageHistory history;
  history.half_life =
      std::max(Duration(integer_in(data, "halfLifeMicros").value_or(0)), Duration(0));
  const auto at = integer_in(data, "atMicros");
  if (!at || !is_moment(*at)) return history;
  history.at = Time(Duration(*at));
  history.sums.capacity = policy::Amounts(resources.size());
  std::map<std::size_t, policy::UsagePart> parts;
  for (const auto& [key, text] : data) {
    if (key.starts_with(part_prefix)) {
      decode_part(std::string_view(key).substr(part_prefix.size()), text, resources, parts);
    } else {
      decode_sums(key, text, resources, history.sums);
    }
  }
  history.parts = usable(std::move(parts), resources.size());
  return history;
}

}  // namespace dray::engine
