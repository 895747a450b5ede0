#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/model/object.h"

namespace dray::sim {

/// One committed change of an object, as a watch tells it.
struct WatchEvent {
  /// What happened to the object; a bookmark only moves the revision.
  enum class Type : std::uint8_t { added, modified, deleted, bookmark };

  Type type = Type::added;
  Kind kind = Kind::node;
  std::uint64_t revision = 0;
  /// The object after the change; of a deletion the last stored state, with the deletion's
  /// resourceVersion; of a bookmark nothing.
  std::shared_ptr<const KubeObject> object;
};

/// A list and the revision at which it was true.
struct ObjectList {
  std::vector<std::shared_ptr<const KubeObject>> items;  ///< in the order of etcd's keys
  std::uint64_t revision = 0;
};

/// A client's place in the changes of one kind; made by ApiServer::watch, moved by poll.
struct Watch {
  Kind kind = Kind::node;
  std::uint64_t revision = 0;  ///< everything up to here has been told
};

/// Which endpoint of an object a write goes to; each keeps the other's fields as they are.
enum class Endpoint : std::uint8_t { main, status };

/// An Event of events.k8s.io as it was recorded.
struct RecordedEvent {
  PodKey pod;
  Uid uid;
  EventRecord event;
  Time time;
};

/// Conditions and grace period of a deletion; absent ones do not bind.
struct DeleteOptions {
  std::optional<Uid> uid;                           ///< precondition
  std::optional<ResourceVersion> resource_version;  ///< precondition
  std::optional<std::int64_t> grace_seconds;        ///< of pods; 30 where absent
};

/// How a server differs from a fresh one of Kubernetes 1.37.
struct ApiServerOptions {
  /// Admission as of the policies in manifests/: new pods of `scheduler_name` that have no nodeName
  /// get `gate`, and an entry for the claim to a part of a device where annotations ask for one;
  /// new claims get the delete-protection finalizer.
  bool gate_pods = false;
  bool protect_claims = false;
  /// An object that is created with a uid keeps it, as where a workload is that of another server:
  /// uids decide between jobs of one second.
  bool keep_uids = false;
  std::string scheduler_name = "dray-scheduler";
  std::string gate = "dray.dev/admission";
  /// How many changes of each kind a watch may lie behind before it gets 410 gone.
  std::size_t watch_window = 10'000;
  /// Events of pods that are kept; older ones end, as they do by their TTL in a real cluster.
  std::size_t events_kept = 1'000;
  /// Of uids and of generated names.
  std::uint64_t seed = 0;
};

/// A small, honest kube-apiserver 1.37: typed objects, one global resourceVersion, watches with a
/// bounded window, and the refusals of the real one, in its order (generic registry store, pod and
/// resourceclaim strategies, pod binding and eviction storage). Answers as ErrorCode: not_found
/// 404; conflict 409; invalid 422; denied 403, 429; gone 410. Writes that change nothing commit
/// nothing. Like the real one it does not see that a device is in two claims, or that a node or
/// device does not exist. Tests on a real cluster compare it with the real one, operation by
/// operation: docs/faults.md says how, and what is left out.
///
/// Not modelled: schema validation beyond what is said here (the codecs do it), authorization,
/// namespaces as a condition of creation, generation,
/// the disruption controller (what a budget still allows only goes down). Not thread-safe;
/// deterministic.
class ApiServer {
 public:
  /// An empty server at revision 1.
  explicit ApiServer(ApiServerOptions options = {});

  // ---- Reads ----

  /// An object as stored; not_found. `space` is ignored for kinds without namespaces.
  [[nodiscard]] Result<std::shared_ptr<const KubeObject>> get(Kind kind, std::string_view space,
                                                              std::string_view name) const;
  /// The object of that kind, or none: `find<Pod>("default", "p0")`.
  template <class T>
  [[nodiscard]] const T* find(std::string_view space, std::string_view name) const {
    const auto* entry = find_entry(kind_for<T>, space, name);
    return entry == nullptr ? nullptr : &std::get<T>(*entry->object);
  }
  /// All objects of a kind, by namespace and name.
  [[nodiscard]] ObjectList list(Kind kind) const;
  /// The resourceVersion of the last change.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  /// The Events that were recorded and are kept, the oldest first.
  [[nodiscard]] const std::deque<RecordedEvent>& events() const { return events_; }

  /// A watch of what comes after `revision`: that of a list, or of a watch that broke off.
  [[nodiscard]] static Watch watch(Kind kind, std::uint64_t revision) { return {kind, revision}; }
  /// Up to `limit` changes after the watch's place, which moves past them; gone (410) if some were
  /// dropped from the window.
  [[nodiscard]] Result<std::vector<WatchEvent>> poll(Watch& watch, std::size_t limit) const;
  /// Tells a watch that has been told everything how far the store is.
  [[nodiscard]] WatchEvent bookmark(Watch& watch) const;
  /// Drops all changes up to `revision` from the window (etcd's compaction).
  void compact(std::uint64_t revision);

  // ---- Writes ----

  /// POST. Sets uid, resourceVersion and creationTimestamp; status starts empty. With an empty name
  /// and `generate_name`, the name is that and five letters.
  Result<KubeObject> create(KubeObject object, Time now, std::string_view generate_name = {});
  /// PUT. An empty resourceVersion overwrites whatever is there, where the kind allows that.
  Result<KubeObject> update(KubeObject object, Endpoint endpoint, Time now);
  /// PATCH: `change` is applied to what is there, whatever its resourceVersion.
  Result<KubeObject> patch(Kind kind, std::string_view space, std::string_view name,
                           Endpoint endpoint,
                           const std::function<Result<void>(KubeObject&)>& change, Time now);
  /// DELETE. A bound pod is only marked until its kubelet deletes it with grace 0; an object with
  /// finalizers is marked until the last one is taken off.
  Result<void> remove(Kind kind, std::string_view space, std::string_view name,
                      const DeleteOptions& options, Time now);
  /// POST pods/NAME/binding.
  Result<void> bind(const PodKey& pod, const Uid& uid, const NodeName& node, Time now,
                    const ResourceVersion& expected = {});
  /// POST pods/NAME/eviction.
  Result<void> evict(const PodKey& pod, const Uid& uid, bool dry_run, Time now);

  /// Carries out what an engine asks for, with the requests that the live service would send.
  /// `read_at`: what the first request of a ReleaseClaim read, and the second expects to be there
  /// still; empty: nobody came between.
  engine::WriteOutcome write(const engine::Write& write, Time now,
                             const ResourceVersion& read_at = {});

  /// Puts an object as it is, status included, as from a backup of etcd; fills in what is missing
  /// (uid, creationTimestamp). Replaces one of the same name.
  void restore(KubeObject object, Time now);

  /// Is told every change right after its commit.
  void set_observer(std::function<void(const WatchEvent&)> observer) {
    observer_ = std::move(observer);
  }
  /// Is told every Event when it is recorded.
  void set_event_observer(std::function<void(const RecordedEvent&)> observer) {
    event_observer_ = std::move(observer);
  }

  /// What it was made with.
  [[nodiscard]] const ApiServerOptions& options() const { return options_; }

 private:
  friend class WriteRequest;
  struct Entry {
    std::shared_ptr<const KubeObject> object;
    std::optional<std::int64_t> grace_seconds;  ///< deletionGracePeriodSeconds
  };
  struct Shelf {
    std::map<std::string, Entry, std::less<>> objects;  ///< by etcd key: namespace/name
    std::deque<WatchEvent> log;
    std::uint64_t compacted = 0;
  };

  [[nodiscard]] const Entry* find_entry(Kind kind, std::string_view space,
                                        std::string_view name) const;
  [[nodiscard]] Entry* find_entry(Kind kind, std::string_view space, std::string_view name);
  [[nodiscard]] Shelf& shelf(Kind kind) { return shelves_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const Shelf& shelf(Kind kind) const {
    return shelves_[static_cast<std::size_t>(kind)];
  }
  Result<KubeObject> replace(Entry& entry, KubeObject next, Endpoint endpoint, Time now);
  Result<void> remove_pod(Entry& entry, const DeleteOptions& options, Time now);
  Result<void> spend_budget(const Pod& pod, bool dry_run);
  void commit(WatchEvent::Type type, Entry& entry, KubeObject object);
  void erase(const Entry& entry);
  void log(const WatchEvent& event);
  [[nodiscard]] Uid next_uid();
  [[nodiscard]] std::string generated_name(Kind kind, std::string_view space,
                                           std::string_view base);
  void record(const PodKey& pod, const Uid& uid, const EventRecord& event, Time now);

  ApiServerOptions options_;
  std::array<Shelf, std::variant_size_v<KubeObject>> shelves_;
  std::uint64_t revision_ = 1;
  std::uint64_t uids_made_ = 0;
  std::uint64_t names_made_ = 0;
  std::deque<RecordedEvent> events_;
  std::function<void(const WatchEvent&)> observer_;
  std::function<void(const RecordedEvent&)> event_observer_;
};

/// podutil.UpdatePodCondition: sets the condition of that type; the transition time moves only with
/// the status. False if nothing changed.
bool set_condition(std::vector<Condition>& conditions, Condition condition, Time now);

/// Timestamps of the API other than MicroTime have whole seconds.
[[nodiscard]] Time api_time(Time now);

}  // namespace dray::sim
