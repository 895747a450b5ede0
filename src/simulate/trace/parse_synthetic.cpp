#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "dray/simulate/synthetic.h"

namespace dray::simulate {
namespace {

constexpr std::string_view keys = "jobs, per-hour, swing, median, sigma, most, queues, sizes, seed";
constexpr std::int64_t most_jobs = 10'000'000;
constexpr std::int64_t most_pods = 1 << 14;

std::vector<std::string_view> parts_of(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class T>
std::optional<T> number(std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::unexpected<Error> expected(std::string_view key, std::string_view what,
                                std::string_view found) {
  return fail(ErrorCode::invalid, fmt::format("{}: expected {}, found \"{}\"", key, what, found));
}

Result<void> read_number(std::string_view key, std::string_view text, double least, double most,
                         double& value) {
  const auto read = number(text, least, most);
  if (!read) return expected(key, fmt::format("a number from {} to {}", least, most), text);
  value = *read;
  return {};
}

/// What stands before the `*`, and its weight.
std::optional<std::pair<std::string_view, double>> weighted(std::string_view part) {
  const auto star = part.find('*');
  const auto item = part.substr(0, star);
  if (item.empty()) return std::nullopt;
  if (star == std::string_view::npos) return std::pair(item, 1.0);
  constexpr double least = 1e-9;
  constexpr double most = 1e9;
  const auto weight = number(part.substr(star + 1), least, most);
  return weight ? std::optional(std::pair(item, *weight)) : std::nullopt;
}

Result<void> read_queues(std::string_view text, SyntheticWorkload& spec) {
  auto queues = parse_queues(text);
  if (!queues) return std::unexpected(std::move(queues.error()));
  spec.queues = *std::move(queues);
  return {};
}

Result<void> read_sizes(std::string_view text, SyntheticWorkload& spec) {
  spec.sizes.clear();
  constexpr auto most = static_cast<std::int64_t>(most_gpus);
  for (const auto part : parts_of(text, '+')) {
    const auto size = weighted(part);
    const auto by = size ? size->first.find('x') : std::string_view::npos;
    const bool gang = by != std::string_view::npos;
    const auto pods = gang ? number<std::int64_t>(size->first.substr(0, by), 1, most_pods) : 1;
    const auto gpus =
        size ? number<std::int64_t>(gang ? size->first.substr(by + 1) : size->first, 0, most)
             : std::nullopt;
    if (!pods || !gpus) {
      return expected("sizes",
                      fmt::format("GPUS or PODSxGPUS, each with *WEIGHT or without, up to {} GPUs "
                                  "a pod, with + between",
                                  most),
                      part);
    }
    spec.sizes.push_back(
        {static_cast<std::int32_t>(*pods), static_cast<std::int32_t>(*gpus), size->second});
  }
  return {};
}

Result<void> read_key(std::string_view key, std::string_view value, SyntheticWorkload& spec) {
  constexpr double year = 365 * 86'400.0;
  if (key == "jobs") {
    const auto jobs = number<std::int64_t>(value, 1, most_jobs);
    if (!jobs) return expected(key, fmt::format("a whole number from 1 to {}", most_jobs), value);
    spec.jobs = static_cast<std::size_t>(*jobs);
    return {};
  }
  if (key == "seed") {
    const auto seed = number<std::uint64_t>(value, 0, ~std::uint64_t{0});
    if (!seed) return expected(key, "a whole number", value);
    spec.seed = *seed;
    return {};
  }
  if (key == "per-hour") return read_number(key, value, 1e-6, 1e9, spec.jobs_per_hour);
  if (key == "swing") return read_number(key, value, 0, 1, spec.day_swing);
  if (key == "median") return read_number(key, value, 1e-3, year, spec.run_time_median);
  if (key == "sigma") return read_number(key, value, 0, 10, spec.run_time_sigma);
  if (key == "most") return read_number(key, value, 1e-3, 100 * year, spec.run_time_most);
  if (key == "queues") return read_queues(value, spec);
  if (key == "sizes") return read_sizes(value, spec);
  return expected("key", fmt::format("one of {}", keys), key);
}

}  // namespace

Result<SyntheticWorkload> parse_synthetic(std::string_view text) {
  SyntheticWorkload spec;
  if (text.empty()) return spec;
  for (const auto part : parts_of(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) {
      return expected("synthetic", fmt::format("KEY=VALUE of {}, with commas between", keys), part);
    }
    auto read = read_key(part.substr(0, equals), part.substr(equals + 1), spec);
    if (!read) return std::unexpected(std::move(read.error()));
  }
  return spec;
}

Result<std::vector<WeightedQueue>> parse_queues(std::string_view text) {
  std::vector<WeightedQueue> queues;
  for (const auto part : parts_of(text, '+')) {
    const auto queue = weighted(part);
    if (!queue) return expected("queues", "NAME or NAME*WEIGHT, with + between", part);
    queues.push_back({std::string(queue->first), queue->second});
  }
  return queues;
}

}  // namespace dray::simulate
