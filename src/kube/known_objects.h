#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "dray/cluster/event.h"
#include "kube/cluster_api.h"

namespace dray::kube {

/// Which objects of one kind have been told of, so that a new list tells only what is different:
/// also what is gone, which no list says by itself. One owner.
class KnownObjects {
 public:
  KnownObjects(Kind kind, std::function<void(WatchEvent)> tell)
      : kind_(kind), tell_(std::move(tell)) {}

  void begin_list() { ++pass_; }
  /// Objects that a list after the first showed otherwise than they had been told: what the watch
  /// had missed.
  [[nodiscard]] std::uint64_t corrections() const { return corrections_; }
  /// An object of the list. One that is known in that version already is not told again.
  void listed(KubeObject object);
  /// One that cannot be read: it is there all the same. `listed`: of a list.
  void unreadable(cluster::ObjectUnreadable object, bool listed);
  /// All of the list has come: what was not in it is gone.
  void end_list();

  void changed(KubeObject object);
  void deleted(const KubeObject& object);

  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  struct Key {
    std::string namespace_name;
    std::string name;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      return std::hash<std::string>{}(key.namespace_name) * 31 + std::hash<std::string>{}(key.name);
    }
  };
  struct Known {
    Uid uid;
    ResourceVersion version;
    std::uint32_t pass = 0;  ///< the list it was last in
  };

  /// Notes the object; whether it is in another version than it was told in.
  bool keep(const ObjectMeta& meta);
  void tell_gone(const Key& key, const Known& known);
  void correct() { corrections_ += pass_ > 1 ? 1 : 0; }

  Kind kind_;
  std::function<void(WatchEvent)> tell_;
  std::unordered_map<Key, Known, Hash> known_;
  std::uint32_t pass_ = 0;
  std::uint64_t corrections_ = 0;
};

}  // namespace dray::kube
