#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "dray/simulate/trace.h"
#include "simulate/trace/csv.h"
#include "simulate/trace/random.h"

namespace dray::simulate {
namespace {

Result<std::uint64_t> number_in(const CsvField& field, std::string_view name, std::uint64_t limit) {
  std::uint64_t value = 0;
  const auto end = field.text.data() + field.text.size();
  const auto [at, error] = std::from_chars(field.text.data(), end, value);
  if (error == std::errc{} && at == end && value < limit) return value;
  return std::unexpected(field.expected(name, fmt::format("a whole number below {}", limit)));
}

/// The numbers of a line after its first two fields.
Result<std::vector<std::uint32_t>> numbers_of(const std::vector<CsvField>& row,
                                              std::string_view name, std::size_t limit) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(row.size());
  for (std::size_t i = 2; i < row.size(); ++i) {
    const auto value = number_in(row[i], name, limit);
    if (!value) return std::unexpected(value.error());
    numbers.push_back(static_cast<std::uint32_t>(*value));
  }
  return numbers;
}

bool all_different(std::vector<std::uint32_t> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

/// Jobs come again where they do not ask for all that is to be asked for.
constexpr std::size_t most_rounds = 64;

constexpr auto any_seed = std::uint64_t{1} << 62U;

}  // namespace

Result<ArrivalOrder> read_order(std::string_view csv, std::uint64_t seed, std::size_t rows,
                                std::size_t nodes) {
  ArrivalOrder order;
  std::size_t line = 0;
  while (!csv.empty()) {
    const auto text = csv.substr(0, csv.find('\n'));
    const auto values = static_cast<std::size_t>(std::ranges::count(text, ',')) + 1;
    if (const auto most = most_rounds * (std::max(rows, nodes) + 1); values > most) {
      return fail(ErrorCode::invalid, fmt::format("{}:1: expected at most {} values, found {}",
                                                  line + 1, most, values));
    }
    const auto row = next_csv_row(csv, ++line);
    if (row.empty()) continue;
    const auto of = number_in(row[0], "seed", any_seed);
    if (!of) return std::unexpected(of.error());
    if (row.size() < 2 || (row[1].text != "pods" && row[1].text != "nodes")) {
      return std::unexpected(row[row.size() < 2 ? 0 : 1].expected("kind", "pods or nodes"));
    }
    if (*of != seed) continue;
    const bool pods = row[1].text == "pods";
    auto numbers = numbers_of(row, pods ? "row" : "rank", pods ? rows : nodes);
    if (!numbers) return std::unexpected(numbers.error());
    if (!pods && (numbers->size() != nodes || !all_different(*numbers))) {
      return fail(ErrorCode::invalid,
                  fmt::format("{}:1: expected the ranks of {} nodes, all different", line, nodes));
    }
    (pods ? order.jobs : order.ranks) = std::move(*numbers);
  }
  if (order.jobs.empty() || order.ranks.empty()) {
    return fail(ErrorCode::not_found, fmt::format("no order of seed {}", seed));
  }
  return order;
}

Result<std::vector<std::uint64_t>> seeds_of(std::string_view csv) {
  std::vector<std::uint64_t> seeds;
  for (std::size_t line = 1; !csv.empty(); ++line) {
    auto text = csv.substr(0, csv.find('\n'));
    csv.remove_prefix(std::min(text.size() + 1, csv.size()));
    text = text.substr(0, text.find(','));
    if (text.empty()) continue;
    const auto seed = number_in({text, line, 1}, "seed", any_seed);
    if (!seed) return std::unexpected(seed.error());
    if (std::ranges::find(seeds, *seed) == seeds.end()) seeds.push_back(*seed);
  }
  return seeds;
}

ArrivalOrder draw_order(const Workload& workload, const std::vector<GpuNode>& nodes, double demand,
                        std::uint64_t seed) {
  ArrivalOrder order;
  Random random(seed);
  order.jobs.resize(workload.jobs.size());
  order.ranks.resize(nodes.size());
  std::iota(order.jobs.begin(), order.jobs.end(), 0U);
  std::iota(order.ranks.begin(), order.ranks.end(), 0U);
  random.shuffle(std::span(order.jobs));
  random.shuffle(std::span(order.ranks));
  double capacity = 0;
  double asked = 0;
  const auto gpu_milli = [&](std::uint32_t job) {
    return static_cast<double>(workload.jobs[job].ask.total_gpu_milli() * workload.jobs[job].pods);
  };
  for (const auto& node : nodes) capacity += static_cast<double>(node.gpus) * whole_gpu;
  for (const auto job : order.jobs) asked += gpu_milli(job);
  // A workload that asks for no GPU at all would never get there.
  if (asked <= 0) return order;
  while (asked > demand * capacity && order.jobs.size() > 1) {
    const auto at = random.below(order.jobs.size());
    asked -= gpu_milli(order.jobs[at]);
    order.jobs.erase(order.jobs.begin() + static_cast<std::ptrdiff_t>(at));
  }
  while (true) {
    const auto job = static_cast<std::uint32_t>(random.below(workload.jobs.size()));
    if (asked + gpu_milli(job) > demand * capacity) return order;
    asked += gpu_milli(job);
    order.jobs.push_back(job);
  }
}

}  // namespace dray::simulate
