#include "app/common/bundled_nodes.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/common/files.h"
#include "dray/simulate/cluster_copies.h"

namespace dray::app {

std::optional<BundledNodes> parse_bundled_nodes(std::string_view text) {
  constexpr std::size_t most_nodes = 1'000'000;
  BundledNodes nodes;
  const auto* end = text.data() + text.size();
  const auto count = std::from_chars(text.data(), end, nodes.count);
  if (count.ec != std::errc{} || count.ptr == end || *count.ptr != 'x') return std::nullopt;
  nodes.kind = std::string(count.ptr + 1, end);
  const bool named = !nodes.kind.empty() && std::isalpha(static_cast<unsigned char>(nodes.kind[0]));
  if (!named || nodes.count < 1 || nodes.count > most_nodes) return std::nullopt;
  return nodes;
}

Result<simulate::ObjectStream> bundled_nodes(const BundledNodes& nodes,
                                             std::vector<std::string>& warnings) {
  auto folder = find_bundled("demo/cluster");
  if (!folder) return std::unexpected(std::move(folder.error()));
  ClusterSource source;
  source.cluster = {*std::move(folder)};
  auto loaded = load_objects(source);
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  std::ranges::move(loaded->warnings, std::back_inserter(warnings));
  return simulate::copies_of(loaded->objects, nodes.kind, nodes.count);
}

}  // namespace dray::app
