#include "app/simulate/cluster_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/common/bundled_nodes.h"
#include "app/common/cluster_source.h"
#include "app/simulate/sources.h"

namespace dray::app {
namespace {

Result<simulate::ObjectStream> objects_in(const std::vector<std::string>& paths,
                                          std::vector<std::string>& warnings) {
  ClusterSource source;
  source.cluster = paths;
  auto objects = load_objects(source);
  if (!objects) return std::unexpected(std::move(objects.error()));
  std::ranges::move(objects->warnings, std::back_inserter(warnings));
  return std::move(objects->objects);
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
  const auto nodes = first.form == "nodes" ? parse_bundled_nodes(first.path) : std::nullopt;
  if (!first.form.empty() && !nodes) {
    if (!gpus.empty()) {
      return fail(ErrorCode::invalid, "--gpus " + gpus + ": only of manifests and kinds of nodes");
    }
    auto made = load_nodes(sources.front(), rules, warnings);
    if (!made) return std::unexpected(std::move(made.error()));
    return simulate::Cluster{std::move(*made), {}, {}};
  }
  const auto objects = nodes ? bundled_nodes(*nodes, warnings) : objects_in(sources, warnings);
  if (!objects) {
    return nodes ? std::unexpected(Error(objects.error()).within("--cluster " + all))
                 : std::unexpected(objects.error());
  }
  auto cluster = simulate::cluster_of(*objects, gpus, warnings);
  if (!cluster) return std::unexpected(std::move(cluster.error()).within("--cluster " + all));
  return cluster;
}

}  // namespace dray::app
