#include "app/simulate/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <utility>

#include "app/simulate/read_input.h"
#include "dray/base/suggest.h"
#include "dray/simulate/synthetic.h"

namespace dray::app {
namespace {

template <class T>
Result<T> read_trace(const std::string& path,
                     Result<simulate::Traced<T>> (*read)(std::string_view,
                                                         const simulate::TraceRules&),
                     const simulate::TraceRules& rules, std::vector<std::string>& warnings) {
  const auto text = read_input(path);
  if (!text) return std::unexpected(text.error());
  auto traced = read(*text, rules);
  if (!traced) return fail(traced.error().code, path + ":" + traced.error().message);
  if (const auto& skipped = traced->skipped; skipped.count > 0) {
    warnings.push_back(fmt::format("{}: {} {} skipped, the first: {}", path, skipped.count,
                                   skipped.count == 1 ? "row" : "rows", skipped.first));
  }
  return std::move(traced->value);
}

/// `64x8` or `64x8:MODEL`: so many nodes with so many GPUs.
Result<std::vector<simulate::GpuNode>> make_nodes(const std::string& text) {
  constexpr std::int64_t most_nodes = 1'000'000;
  std::int64_t count = 0;
  std::int32_t gpus = 0;
  const auto end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, count);
  const bool by = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
  const auto second = by ? std::from_chars(first.ptr + 1, end, gpus) : first;
  const bool model = second.ptr != end && *second.ptr == ':';
  if (!by || second.ec != std::errc{} || (second.ptr != end && !model) || count < 1 ||
      count > most_nodes || gpus < 1 || gpus > static_cast<std::int32_t>(simulate::most_gpus)) {
    return fail(ErrorCode::invalid,
                fmt::format("--cluster nodes:{}: expected COUNTxGPUS or COUNTxGPUS:MODEL, up to {} "
                            "nodes of up to {} GPUs",
                            text, most_nodes, simulate::most_gpus));
  }
  // What a node of eight GPUs has, or so.
  constexpr std::int64_t milli_cpu_a_gpu = 16'000;
  constexpr std::int64_t mib_a_gpu = 131'072;
  std::vector<simulate::GpuNode> nodes;
  nodes.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    nodes.push_back({fmt::format("node-{:06}", i), milli_cpu_a_gpu * gpus, mib_a_gpu * gpus, gpus,
                     model ? std::string(second.ptr + 1, end) : std::string("gpu")});
  }
  return nodes;
}

}  // namespace

TraceSource parse_source(std::string_view text) {
  constexpr std::array files{"openb", "openb-times", "philly", "helios", "csv", "recorded", "pods"};
  constexpr std::array made{"nodes", "synthetic"};
  const auto colon = text.find(':');
  const auto form = text.substr(0, colon);
  const bool is_made = std::ranges::find(made, form) != made.end();
  const bool is_form = is_made || std::ranges::find(files, form) != files.end();
  if (colon == std::string_view::npos || !is_form) return {"", std::string(text)};
  return {std::string(form), std::string(text.substr(colon + 1)), !is_made};
}

Result<std::map<std::string, std::string, std::less<>>> parse_columns(std::string_view text,
                                                                      const std::string& workload) {
  std::map<std::string, std::string, std::less<>> columns;
  if (text.empty()) return columns;
  if (parse_source(workload).form != "csv") {
    return fail(ErrorCode::invalid, "--columns: of --workload csv:FILE alone");
  }
  for (const auto part : std::views::split(text, ',')) {
    const std::string_view pair(part.begin(), part.end());
    const auto equal = pair.find('=');
    if (equal == std::string_view::npos || equal + 1 == pair.size()) {
      return fail(ErrorCode::invalid,
                  fmt::format("--columns {}: expected NAME=COLUMN, as submit=queued_at", pair));
    }
    const std::string name(pair.substr(0, equal));
    if (std::ranges::find(simulate::csv_columns, name) == simulate::csv_columns.end()) {
      const std::vector<std::string> known(simulate::csv_columns.begin(),
                                           simulate::csv_columns.end());
      return fail(ErrorCode::invalid,
                  fmt::format("--columns {}: there is no column {} to be read{}", pair, name,
                              suggest(name, known)));
    }
    columns[name] = pair.substr(equal + 1);
  }
  return columns;
}

Result<std::vector<simulate::GpuNode>> load_nodes(const std::string& source,
                                                  const simulate::TraceRules& rules,
                                                  std::vector<std::string>& warnings) {
  const auto from = parse_source(source);
  if (from.form == "openb") {
    return read_trace(from.path, simulate::read_openb_nodes, rules, warnings);
  }
  if (from.form == "nodes") return make_nodes(from.path);
  return fail(ErrorCode::invalid,
              fmt::format("--cluster {}: expected openb:FILE or nodes:COUNTxGPUS", source));
}

Result<simulate::Workload> load_workload(const std::string& source,
                                         const simulate::TraceRules& rules,
                                         std::vector<std::string>& warnings) {
  const auto from = parse_source(source);
  if (from.form == "openb" || from.form == "openb-times") {
    return read_trace(from.path, simulate::read_openb_pods, rules, warnings);
  }
  if (from.form == "philly") return read_trace(from.path, simulate::read_philly, rules, warnings);
  if (from.form == "helios") return read_trace(from.path, simulate::read_helios, rules, warnings);
  if (from.form == "csv") return read_trace(from.path, simulate::read_jobs_csv, rules, warnings);
  if (from.form == "synthetic") {
    const auto spec = simulate::parse_synthetic(from.path);
    if (!spec) return fail(spec.error().code, "--workload synthetic: " + spec.error().message);
    return simulate::synthetic(*spec);
  }
  return fail(ErrorCode::invalid,
              fmt::format("--workload {}: expected openb:, openb-times:, philly:, helios:, csv: or "
                          "pods: and a FILE, recorded: and a FOLDER, or synthetic:KEY=VALUE,…",
                          source));
}

}  // namespace dray::app
