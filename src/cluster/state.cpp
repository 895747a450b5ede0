#include "dray/cluster/state.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cluster/claim_book.h"
#include "cluster/equivalence_classes.h"
#include "cluster/node_table.h"
#include "cluster/pod_book.h"
#include "cluster/pool_table.h"
#include "cluster/publish.h"
#include "cluster/sorted_objects.h"

namespace dray::cluster {
namespace {

CompiledSelector compile(const DeviceSelector& selector) {
  CompiledSelector compiled;
  if (!selector.cel) return compiled;
  compiled.has_cel = true;
  auto program = cel::compile(*selector.cel);
  if (program) {
    compiled.program = std::move(*program);
  } else {
    compiled.error = program.error().message;
  }
  return compiled;
}

}  // namespace

struct ClusterState::Data {
  Stamps stamps;
  NodeTable nodes{stamps};
  PoolTable pools{stamps, nodes};
  ClaimBook claims{pools};
  EquivalenceClasses equivalence;
  Publisher publisher{equivalence};
  PodBook pods{nodes, claims};
  std::map<ClaimTemplateKey, std::shared_ptr<const ResourceClaimTemplate>> templates;
  SortedObjects<CompiledClass> classes;
  SortedObjects<DeviceTaintRule> taint_rules;
  SortedObjects<Namespace> namespaces;
  std::uint64_t arrivals = 0;
  struct Versions {
    std::uint64_t generation = 1;
    std::uint64_t class_epoch = 0;
    std::uint64_t rule_epoch = 0;
  };
  Versions versions;
  std::shared_ptr<const Snapshot> last;
  std::shared_ptr<const void> origin = std::make_shared<const char>();

  void put(const Node& node);
  void put(const Pod& pod);
  void put(const ResourceSlice& slice);
  void put(const ResourceClaim& claim);
  void put(const ResourceClaimTemplate& made);
  void put(const DeviceClass& given);
  void put(const DeviceTaintRule& rule);
  void put(const Namespace& space);
  /// What says nothing of nodes, devices and pods is kept by those who ask for it.
  template <class Other>
  void put(const Other& /*object*/) {}

  void refresh_equivalence();
  void changed() { ++versions.generation; }
  void classes_changed() {
    versions.class_epoch = stamps.next();
    changed();
  }
  void rules_changed() {
    versions.rule_epoch = stamps.next();
    changed();
  }
};

void ClusterState::Data::refresh_equivalence() {
  const auto class_of = [this](const std::string& node, const std::vector<PoolIndex>& seen) {
    std::vector<const Pool*> its_pools;
    its_pools.reserve(seen.size());
    for (const auto pool : seen) its_pools.push_back(&pools.pool(pool));
    return equivalence.of_node(node, std::move(its_pools));
  };
  nodes.refresh_equivalence(class_of);
  if (!equivalence.full()) return;
  equivalence.begin_anew();
  nodes.refresh_all_equivalence();
  nodes.refresh_equivalence(class_of);
}

void ClusterState::Data::put(const Node& node) {
  if (nodes.put(publisher.publish(node))) changed();
}

void ClusterState::Data::put(const Pod& pod) {
  if (pods.put(pod)) changed();
}

void ClusterState::Data::put(const ResourceSlice& slice) {
  const auto known = pools.arrival(slice.meta.name);
  const auto arrival = known ? *known : ++arrivals;
  pools.put(slice.driver, slice.pool, publisher.publish(slice, arrival));
  changed();
}

void ClusterState::Data::put(const ResourceClaim& claim) {
  claims.put(std::make_shared<const ResourceClaim>(claim));
  changed();
}

void ClusterState::Data::put(const ResourceClaimTemplate& made) {
  templates[{made.meta.namespace_name, made.meta.name}] =
      std::make_shared<const ResourceClaimTemplate>(made);
}

void ClusterState::Data::put(const DeviceClass& given) {
  auto compiled = std::make_shared<CompiledClass>();
  compiled->object = std::make_shared<const DeviceClass>(given);
  for (const auto& selector : given.selectors) compiled->selectors.push_back(compile(selector));
  classes.put(given.meta.name, std::move(compiled));
  classes_changed();
}

void ClusterState::Data::put(const DeviceTaintRule& rule) {
  taint_rules.put(rule.meta.name, std::make_shared<const DeviceTaintRule>(rule));
  rules_changed();
}

void ClusterState::Data::put(const Namespace& space) {
  namespaces.put(space.meta.name, std::make_shared<const Namespace>(space));
  changed();
}

ClusterState::ClusterState() : data_(std::make_unique<Data>()) {}
ClusterState::~ClusterState() = default;
ClusterState::ClusterState(ClusterState&&) noexcept = default;
ClusterState& ClusterState::operator=(ClusterState&&) noexcept = default;

void ClusterState::apply(const KubeObject& object) {
  std::visit([&](const auto& each) { data_->put(each); }, object);
}

void ClusterState::apply(const ObjectGone& change) {
  auto& data = *data_;
  switch (change.kind) {
    case Kind::node:
      if (data.nodes.erase(NodeName(change.name))) data.changed();
      return;
    case Kind::name_space:
      if (data.namespaces.erase(change.name)) data.changed();
      return;
    case Kind::pod:
      if (data.pods.erase({change.namespace_name, change.name}, change.uid)) data.changed();
      return;
    case Kind::resource_slice:
      data.pools.erase(change.name);
      return data.changed();
    case Kind::resource_claim:
      if (data.claims.erase({change.namespace_name, change.name})) data.changed();
      return;
    case Kind::resource_claim_template:
      data.templates.erase({change.namespace_name, change.name});
      return;
    case Kind::device_class:
      if (data.classes.erase(change.name)) data.classes_changed();
      return;
    case Kind::device_taint_rule:
      if (data.taint_rules.erase(change.name)) data.rules_changed();
      return;
    default:
      return;
  }
}

void ClusterState::assume(const Placement& placement) {
  data_->pods.assume(placement);
  data_->changed();
}

void ClusterState::forget(const Uid& pod) {
  if (data_->pods.forget(pod)) data_->changed();
}

std::shared_ptr<const Pod> ClusterState::pod(const PodKey& key) const {
  return data_->pods.find(key);
}

std::shared_ptr<const Pod> ClusterState::pod(const Uid& uid) const {
  return data_->pods.find(uid);
}

std::optional<ObjectGone> ClusterState::replaced_by(const KubeObject& object) const {
  const auto* next = std::get_if<Pod>(&object);
  const auto known = next == nullptr ? nullptr : pod(next->key());
  if (!known || known->meta.uid == next->meta.uid) return std::nullopt;
  const auto& meta = known->meta;
  return ObjectGone{Kind::pod, meta.namespace_name, meta.name, meta.uid};
}

void ClusterState::for_each_pod(
    const std::function<void(const std::shared_ptr<const Pod>&)>& visit) const {
  data_->pods.for_each(visit);
}

std::shared_ptr<const ResourceClaim> ClusterState::claim(const ClaimKey& key) const {
  return data_->claims.find(key);
}

std::shared_ptr<const ResourceClaimTemplate> ClusterState::claim_template(
    const ClaimTemplateKey& key) const {
  const auto at = data_->templates.find(key);
  return at == data_->templates.end() ? nullptr : at->second;
}

std::shared_ptr<const DeviceClass> ClusterState::device_class(const ClassName& name) const {
  const auto found = data_->classes.find(name.get());
  return found ? found->object : nullptr;
}

std::optional<NodeIndex> ClusterState::node(const NodeName& name) const {
  return data_->nodes.find(name);
}

const NodeFacts* ClusterState::find_node(const NodeName& name) const {
  const auto index = data_->nodes.find(name);
  return index ? data_->nodes.entry(*index).facts.get() : nullptr;
}

std::span<const NodeIndex> ClusterState::nodes_by_name() const {
  return data_->nodes.by_name();
}

ClusterState::Totals ClusterState::totals() const {
  return {.nodes = data_->nodes.by_name().size(),
          .pods = data_->pods.size(),
          .claims = data_->claims.size(),
          .slices = data_->pools.slices(),
          .devices = data_->pools.devices(),
          .devices_allocated = data_->pools.devices_in_use()};
}

std::uint64_t ClusterState::generation() const {
  return data_->versions.generation;
}

std::shared_ptr<const Snapshot> ClusterState::snapshot() {
  auto& data = *data_;
  if (data.last && data.last->generation() == data.versions.generation) return data.last;
  data.refresh_equivalence();
  auto made = std::make_shared<Snapshot>();
  made->versions_.generation = data.versions.generation;
  made->origin_ = data.origin;
  made->versions_.device_epoch =
      std::max({data.versions.class_epoch, data.versions.rule_epoch, data.pools.epoch()});
  made->versions_.class_epoch = data.versions.class_epoch;
  made->versions_.rule_epoch = data.versions.rule_epoch;
  made->versions_.equivalence_era = data.equivalence.era();
  made->unclassified_ = data.equivalence.unclassified();
  made->nodes_ = data.nodes.freeze_entries();
  made->by_name_ = data.nodes.freeze_names();
  made->pools_ = data.pools.freeze_pools();
  made->pool_index_ = data.pools.freeze_index();
  made->shared_pools_ = data.pools.shared_pools();
  made->taint_rules_ = data.taint_rules.all();
  made->classes_ = data.classes.all();
  made->namespaces_ = data.namespaces.all();
  made->claims_ = data.claims.freeze_claims();
  made->promised_ = data.claims.freeze_promised();
  made->pods_ = data.pods.freeze();
  data.last = std::move(made);
  return data.last;
}

}  // namespace dray::cluster
