#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "sim/claim_names.h"
#include "sim/cluster_loop.h"

// Lists and watches of the loop's clients, as client-go's reflector does them.

namespace dray::sim {

void ClusterLoop::add_informers(Client client, std::size_t replica,
                                const std::vector<Kind>& kinds) {
  for (const auto kind : kinds) {
    auto informer = std::make_unique<Informer>();
    informer->client = client;
    informer->replica = replica;
    informer->kind = kind;
    informers_.push_back(std::move(informer));
  }
}

void ClusterLoop::list(Informer& informer) {
  const auto life = ++informer.life;
  informer.away = true;
  auto found = server_.list(informer.kind);
  at(now() + weather_.list_delay(informer.client, informer.kind),
     [this, &informer, life, found = std::move(found)] {
       if (informer.life == life) listed(informer, found);
     });
}

/// A (re)list is told as the changes since what the client knew.
void ClusterLoop::listed(Informer& informer, const ObjectList& found) {
  ++counts_.relists;
  std::map<std::string, std::shared_ptr<const KubeObject>> next;
  for (const auto& object : found.items) next[object_key(meta_of(*object))] = object;
  auto gone = informer.known;
  for (const auto& [key, object] : next) gone.erase(key);
  const auto before = informer.known;
  const auto life = informer.life;
  for (const auto& [key, object] : gone) {
    tell(informer, {WatchEvent::Type::deleted, informer.kind, found.revision, object});
  }
  for (const auto& [key, object] : next) {
    const auto old = before.find(key);
    if (old != before.end() &&
        meta_of(*old->second).resource_version == meta_of(*object).resource_version) {
      continue;
    }
    const auto type = old == before.end() ? WatchEvent::Type::added : WatchEvent::Type::modified;
    tell(informer, {type, informer.kind, found.revision, object});
    if (informer.life != life) return;  // the client ended over it
  }
  informer.away = false;
  informer.watch = ApiServer::watch(informer.kind, found.revision);
  catch_up(informer);
  informer.listed = true;
  if (informer.client == Client::dray) sync_when_listed(informer.replica);
  for (const auto& done : std::exchange(informer.when_listed, {})) done();
}

/// Something changed: the watch tells it some time later, in order.
void ClusterLoop::expect_change(Informer& informer) {
  if (informer.away || informer.life == 0) return;
  const auto arrival = std::max(now() + weather_.watch_delay(informer.client, informer.kind),
                                informer.last_delivery);
  informer.last_delivery = arrival;
  at(arrival, [this, &informer, life = informer.life] {
    if (informer.life == life && !informer.away) pump(informer);
  });
}

/// What came while the client was away is told one by one, each after its delay.
void ClusterLoop::catch_up(Informer& informer) {
  auto place = informer.watch;
  const auto missed = server_.poll(place, SIZE_MAX);
  if (!missed) return list(informer);
  for (std::size_t i = 0; i < missed->size(); ++i) expect_change(informer);
}

void ClusterLoop::pump(Informer& informer) {
  if (const auto away = weather_.watch_breaks(informer.client, informer.kind)) {
    return break_off(informer, *away, false);
  }
  const auto life = informer.life;
  auto events = server_.poll(informer.watch, 1);
  if (!events) return list(informer);
  for (auto& event : *events) {
    if (informer.life == life) tell(informer, std::move(event));
  }
}

void ClusterLoop::break_watch(Client client, Kind kind, Duration away, bool relist) {
  for (auto& informer : informers_) {
    if (informer->client == client && informer->kind == kind) break_off(*informer, away, relist);
  }
}

void ClusterLoop::break_off(Informer& informer, Duration away, bool relist) {
  if (informer.away) return;
  note("away", fmt::format("client {} {}", static_cast<int>(informer.client),
                           kind_info(informer.kind).plural));
  informer.away = true;
  at(now() + away, [this, &informer, life = informer.life, relist] {
    if (informer.life != life) return;
    informer.away = false;
    if (relist) return list(informer);
    catch_up(informer);
  });
}

void ClusterLoop::tell(Informer& informer, WatchEvent event) {
  if (event.object == nullptr) return;
  const auto key = object_key(meta_of(*event.object));
  const bool deleted = event.type == WatchEvent::Type::deleted;
  if (deleted) {
    informer.known.erase(key);
  } else {
    informer.known[key] = event.object;
  }
  switch (informer.client) {
    case Client::scheduler:
      return step_scheduler(event);
    case Client::controller:
      controller_.observe(event);
      return wake_controller();
    case Client::kubelet:
      kubelet_.observe(event, now());
      return wake_kubelet();
    case Client::dray:
      break;
  }
  auto& replica = *replicas_[informer.replica].lives.back();
  const auto* claim = std::get_if<ResourceClaim>(&*event.object);
  if (!deleted && claim != nullptr && !claim->spec.unreadable.empty()) {
    return replica.tell(cluster::ObjectUnreadable{*event.object, claim->spec.unreadable});
  }
  if (!deleted) return replica.tell(cluster::ObjectChanged{*event.object});
  const auto& meta = meta_of(*event.object);
  replica.tell(cluster::ObjectGone{event.kind, meta.namespace_name, meta.name, meta.uid});
}

}  // namespace dray::sim
