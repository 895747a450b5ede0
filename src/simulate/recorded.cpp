#include "dray/simulate/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "dray/cluster/node_facts.h"
#include "simulate/trace/recorded_jobs.h"
#include "simulate/trace/recorded_pods.h"

namespace dray::simulate {
namespace {

/// What a simulated cluster is made of.
bool is_of_cluster(const KubeObject& object) {
  if (const auto* pod = std::get_if<Pod>(&object)) return pod->node_name && is_of_node(*pod);
  return std::holds_alternative<Node>(object) || std::holds_alternative<ResourceSlice>(object) ||
         std::holds_alternative<DeviceClass>(object) ||
         std::holds_alternative<DeviceTaintRule>(object);
}

std::int64_t of_resource(const PodLife& life, const std::string& resource) {
  return cluster::requests_of(*life.pod).other(resource);
}

std::int64_t of_class(const PodLife& life, const ClassName& device_class) {
  const auto found = life.devices.find(device_class.get());
  return found == life.devices.end() ? 0 : found->second;
}

/// The nodes with their GPUs of both kinds as a device plugin's resource, and no devices.
std::vector<KubeObject> as_resource(const std::vector<KubeObject>& objects,
                                    const Cluster& devices) {
  std::map<std::string, std::int32_t> counts;
  for (const auto& node : devices.nodes) counts[node.name] = node.gpus;
  std::vector<KubeObject> made;
  for (auto object : objects) {
    if (std::holds_alternative<ResourceSlice>(object) ||
        std::holds_alternative<DeviceTaintRule>(object) ||
        std::holds_alternative<DeviceClass>(object)) {
      continue;
    }
    if (auto* node = std::get_if<Node>(&object)) {
      const auto& resource = devices.gpus.node_resource;
      const auto plain = cluster::amounts_of(node->allocatable).other(resource);
      const auto count = counts.find(node->meta.name);
      const auto more = count == counts.end() ? 0 : count->second;
      if (plain + more > 0) node->allocatable[resource] = Quantity(plain + more);
    }
    made.push_back(std::move(object));
  }
  return made;
}

}  // namespace

struct LoadReader::State {
  using Key = std::tuple<Kind, std::string, std::string>;
  using Table = std::map<Key, std::shared_ptr<const KubeObject>>;

  RecordedPods pods;
  Table now;              ///< what the cluster is made of
  Table unconfirmed;      ///< of it, not yet in the new list
  std::size_t nodes = 0;  ///< of `now`
  Table most;             ///< as it was when it had the most nodes, if that was before
  std::size_t most_nodes = 0;
  std::size_t nodes_moved = 0;  ///< that came or went after the beginning
  std::optional<Time> first;
  Time last;

  /// Before a node goes.
  void keep_most() {
    if (nodes <= most_nodes) return;
    most = now;
    most_nodes = nodes;
  }
  void remove(const Key& key) {
    const auto found = now.find(key);
    if (found == now.end()) return;
    if (std::get<0>(key) == Kind::node) {
      if (first) {
        keep_most();
        ++nodes_moved;
      }
      --nodes;
    }
    now.erase(found);
  }
  [[nodiscard]] std::vector<KubeObject> objects() const {
    std::vector<KubeObject> made;
    for (const auto& [key, object] : nodes >= most_nodes ? now : most) made.push_back(*object);
    return made;
  }
};

LoadReader::LoadReader() : state_(std::make_unique<State>()) {}
LoadReader::~LoadReader() = default;

void LoadReader::begin(Time now) {
  passed(now);
  state_->pods.begin();
  state_->unconfirmed = state_->now;
}

void LoadReader::synced(Time now) {
  passed(now);
  for (const auto& [key, object] : std::exchange(state_->unconfirmed, {})) state_->remove(key);
  state_->pods.synced(now);
  if (!state_->first) state_->first = now;
}

void LoadReader::see(const KubeObject& object, Time now) {
  passed(now);
  if (is_of_cluster(object)) {
    const auto& meta = meta_of(object);
    const State::Key key{kind_of(object), meta.namespace_name, meta.name};
    state_->unconfirmed.erase(key);
    const bool added =
        state_->now.insert_or_assign(key, std::make_shared<const KubeObject>(object)).second;
    if (added && std::holds_alternative<Node>(object)) {
      ++state_->nodes;
      if (state_->first) ++state_->nodes_moved;
    }
  }
  state_->pods.see(object, now);
}

void LoadReader::gone(const cluster::ObjectGone& gone, Time now) {
  passed(now);
  state_->remove({gone.kind, gone.namespace_name, gone.name});
  state_->pods.gone(gone.kind, gone.namespace_name, gone.name, now);
}

void LoadReader::passed(Time now) {
  state_->last = now;
}

Result<RecordedLoad> LoadReader::load(const std::string& gpus,
                                      std::vector<std::string>& warnings) const {
  if (!state_->first) return fail(ErrorCode::invalid, "the cluster was not listed to its end");
  const auto objects = state_->objects();
  RecordedLoad load;
  auto cluster = cluster_of(objects, gpus, warnings);
  if (!cluster) return std::unexpected(std::move(cluster.error()));
  load.cluster = *std::move(cluster);
  if (state_->nodes_moved > 0) {
    warnings.push_back(fmt::format(
        "nodes came or went {} times: the cluster is the one of the moment with the most",
        state_->nodes_moved));
  }
  const auto device_class = load.cluster.gpus.device_class;
  const auto resource = load.cluster.gpus.node_resource;
  const bool by_resource = std::ranges::any_of(state_->pods.lives(), [&](const auto& life) {
    return of_resource(life.second, resource) > 0;
  });
  GpusOf gpus_of = [device_class](const PodLife& life) { return of_class(life, device_class); };
  if (device_class.get().empty()) {
    gpus_of = [resource](const PodLife& life) { return of_resource(life, resource); };
  } else if (by_resource && gpus.empty()) {
    auto plain = cluster_of(as_resource(objects, load.cluster), resource, warnings);
    if (!plain) return std::unexpected(std::move(plain.error()));
    load.cluster = *std::move(plain);
    gpus_of = [resource, device_class](const PodLife& life) {
      return of_resource(life, resource) + of_class(life, device_class);
    };
    warnings.push_back(fmt::format(
        "pods ask for {} and for {}: both are counted as {}, any of which will do for each",
        device_class.get(), resource, resource));
  }
  make_jobs(state_->pods, gpus_of, *state_->first, state_->last, load, warnings);
  return load;
}

}  // namespace dray::simulate
