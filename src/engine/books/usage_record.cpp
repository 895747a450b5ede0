#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "engine/books/usage_keeper.h"

// A UsageHistory as text: `capacity: gpu=12.5 cpu=100`, `held.research: gpu=3`.

namespace dray::engine {
namespace {

constexpr std::string_view held_prefix = "held.";

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
    const bool valid = error == std::errc() && last == number.data() + number.size() && value >= 0;
    if (index && valid) amounts[*index] = value;
  }
  return amounts;
}

std::optional<std::int64_t> integer_in(const Labels& data, std::string_view key) {
  const auto found = data.find(key);
  if (found == data.end()) return std::nullopt;
  std::int64_t value = 0;
  const auto& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Labels encode_usage(const policy::UsageHistory& history, const policy::ResourceTable& resources) {
  Labels data;
  data["halfLifeMicros"] = std::to_string(history.half_life.count());
  if (history.at) data["atMicros"] = std::to_string(history.at->time_since_epoch().count());
  data["capacity"] = amounts_text(history.capacity, resources);
  for (const auto& [queue, held] : history.held) {
    data[std::string(held_prefix) + queue.get()] = amounts_text(held, resources);
  }
  return data;
}

policy::UsageHistory decode_usage(const Labels& data, const policy::ResourceTable& resources) {
  policy::UsageHistory history;
  history.half_life = Duration(integer_in(data, "halfLifeMicros").value_or(0));
  const auto at = integer_in(data, "atMicros");
  if (!at) return history;
  history.at = Time(Duration(*at));
  const auto capacity = data.find("capacity");
  history.capacity = amounts_in(capacity == data.end() ? "" : capacity->second, resources);
  for (const auto& [key, text] : data) {
    if (!key.starts_with(held_prefix)) continue;
    history.held[policy::QueueName(key.substr(held_prefix.size()))] = amounts_in(text, resources);
  }
  return history;
}

}  // namespace dray::engine
