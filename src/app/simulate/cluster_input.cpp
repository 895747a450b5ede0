#include "app/simulate/cluster_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/common/files.h"
#include "app/simulate/sources.h"
#include "dray/simulate/cluster_copies.h"

namespace dray::app {
namespace {

struct NodesOfKind {
  std::size_t count = 0;
  std::string kind;
};

/// `32xdgxh100`; nothing where a number of GPUs is in the place of the kind.
std::optional<NodesOfKind> parse_kind(const std::string& text) {
  constexpr std::size_t most_nodes = 100'000;
  NodesOfKind nodes;
  const auto* end = text.data() + text.size();
  const auto count = std::from_chars(text.data(), end, nodes.count);
  if (count.ec != std::errc{} || count.ptr == end || *count.ptr != 'x') return std::nullopt;
  nodes.kind = std::string(count.ptr + 1, end);
  const bool named = !nodes.kind.empty() && std::isalpha(static_cast<unsigned char>(nodes.kind[0]));
  if (!named || nodes.count < 1 || nodes.count > most_nodes) return std::nullopt;
  return nodes;
}

Result<std::vector<KubeObject>> objects_in(const std::vector<std::string>& paths,
                                           std::vector<std::string>& warnings) {
  ClusterSource source;
  source.cluster = paths;
  auto objects = load_objects(source);
  if (!objects) return std::unexpected(std::move(objects.error()));
  std::ranges::move(objects->warnings, std::back_inserter(warnings));
  return std::move(objects->objects);
}

/// Copies of a node of the demo's cluster.
Result<std::vector<KubeObject>> make_objects(const NodesOfKind& nodes,
                                             std::vector<std::string>& warnings) {
  const auto folder = find_bundled("demo/cluster");
  if (!folder) return std::unexpected(folder.error());
  const auto objects = objects_in({*folder}, warnings);
  if (!objects) return std::unexpected(objects.error());
  return simulate::copies_of(*objects, nodes.kind, nodes.count);
}

}  // namespace

Result<simulate::Cluster> load_simulated_cluster(const std::vector<std::string>& sources,
                                                 const std::string& gpus,
                                                 const simulate::TraceRules& rules,
                                                 std::vector<std::string>& warnings) {
  const auto all = fmt::format("{}", fmt::join(sources, ", "));
  const auto first = parse_source(sources.front());
  const auto is_made = [](const std::string& each) { return !parse_source(each).form.empty(); };
  if (sources.size() > 1 && std::ranges::any_of(sources, is_made)) {
    return fail(ErrorCode::invalid,
                "--cluster " + all + ": several may be given of manifests alone");
  }
  const auto nodes = first.form == "nodes" ? parse_kind(first.path) : std::nullopt;
  if (!first.form.empty() && !nodes) {
    if (!gpus.empty()) {
      return fail(ErrorCode::invalid, "--gpus " + gpus + ": only of manifests and kinds of nodes");
    }
    auto made = load_nodes(sources.front(), rules, warnings);
    if (!made) return std::unexpected(std::move(made.error()));
    return simulate::Cluster{std::move(*made), {}, {}};
  }
  const auto objects = nodes ? make_objects(*nodes, warnings) : objects_in(sources, warnings);
  if (!objects) {
    return nodes ? std::unexpected(Error(objects.error()).within("--cluster " + all))
                 : std::unexpected(objects.error());
  }
  auto cluster = simulate::cluster_of(*objects, gpus, warnings);
  if (!cluster) return std::unexpected(std::move(cluster.error()).within("--cluster " + all));
  return cluster;
}

}  // namespace dray::app
