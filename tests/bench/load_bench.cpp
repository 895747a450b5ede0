#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "dray/cluster/state.h"
#include "tests/bench/farm.h"
#include "wire/object/object_codec.h"

// A cluster of 130,000 nodes with eight GPUs each: read from the API server's JSON, object by
// object, into memory; then one node changes. Prints what it took, and fails where that is more
// than promised.

namespace {

using namespace dray;
using namespace dray::testing;
using Clock = std::chrono::steady_clock;

constexpr int nodes = 130'000;
constexpr double most_seconds = 15;
constexpr double most_mib = 1024;
constexpr double most_milliseconds = 1;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool within(const char* what, double value, double most, const char* unit) {
  fmt::print("{:<44} {:>10.3f} {} (at most {})\n", what, value, unit, most);
  return value < most;
}

/// Decodes as a watch does; what cannot be read ends the program.
double absorb(cluster::ClusterState& cluster, const std::string& json) {
  const auto start = Clock::now();
  auto decoded = wire::decode_object(json);
  if (!decoded) std::abort();
  cluster.apply(cluster::ObjectChanged{std::get<KubeObject>(*std::move(decoded))});
  return since(start);
}

}  // namespace

int main() {
  cluster::ClusterState cluster;
  put(cluster, gpu_class());
  double loading = 0;
  std::size_t bytes = 0;
  for (int n = 0; n < nodes; ++n) {
    const auto made = host(n);
    for (const auto& json :
         {wire::encode_object(made), wire::encode_object(gpus(made.meta.name, n))}) {
      bytes += json.size();
      loading += absorb(cluster, json);
    }
  }
  const auto first = Clock::now();
  auto snapshot = cluster.snapshot();
  loading += since(first);
  fmt::print("{} nodes, {} devices, {} MB of JSON\n", cluster.totals().nodes,
             cluster.totals().devices, bytes / 1'000'000);
  bool good = within("loaded from JSON, with the first snapshot", loading, most_seconds, "s");
  good &= within("resident", resident_mib(), most_mib, "MiB");
  double changes = 0;
  double snapshots = 0;
  constexpr int rounds = 200;
  for (int i = 0; i < rounds; ++i) {
    const int n = i * 613 % nodes;
    changes += absorb(cluster, wire::encode_object(gpus(host(n).meta.name, nodes + n)));
    const auto start = Clock::now();
    snapshot = cluster.snapshot();
    snapshots += since(start);
  }
  good &= within("one changed node absorbed", changes * 1e3 / rounds, most_milliseconds, "ms");
  good &= within("a snapshot after it", snapshots * 1e3 / rounds, most_milliseconds, "ms");
  return good ? 0 : 1;
}
