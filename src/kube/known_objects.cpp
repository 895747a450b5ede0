#include "kube/known_objects.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace dray::kube {

void KnownObjects::listed(KubeObject object) {
  if (!keep(meta_of(object))) return;
  correct();
  tell_(cluster::ObjectChanged{std::move(object)});
}

void KnownObjects::changed(KubeObject object) {
  keep(meta_of(object));
  tell_(cluster::ObjectChanged{std::move(object)});
}

void KnownObjects::unreadable(cluster::ObjectUnreadable object, bool listed) {
  const bool another = keep(meta_of(object.object));
  if (listed && another) correct();
  if (another || !listed) tell_(std::move(object));
}

bool KnownObjects::keep(const ObjectMeta& meta) {
  const Key key{meta.namespace_name, meta.name};
  auto& known = known_[key];
  const bool another = !known.uid.get().empty() && known.uid != meta.uid;
  if (another) tell_gone(key, known);
  const bool same = known.uid == meta.uid && known.version == meta.resource_version;
  known = {meta.uid, meta.resource_version, pass_};
  return !same;
}

void KnownObjects::deleted(const KubeObject& object) {
  const auto& meta = meta_of(object);
  known_.erase(Key{meta.namespace_name, meta.name});
  tell_(cluster::ObjectGone{kind_, meta.namespace_name, meta.name, meta.uid});
}

void KnownObjects::end_list() {
  std::vector<Key> gone;
  for (const auto& [key, known] : known_) {
    if (known.pass != pass_) gone.push_back(key);
  }
  std::ranges::sort(gone, {},
                    [](const Key& key) { return std::tie(key.namespace_name, key.name); });
  for (const auto& key : gone) {
    correct();
    tell_gone(key, known_.at(key));
    known_.erase(key);
  }
}

void KnownObjects::tell_gone(const Key& key, const Known& known) {
  tell_(cluster::ObjectGone{kind_, key.namespace_name, key.name, known.uid});
}

}  // namespace dray::kube
