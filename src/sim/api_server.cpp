#include "dray/sim/api_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "dray/base/check.h"
#include "dray/base/saturating_time.h"
#include "sim/api_rules.h"

namespace dray::sim {
namespace {

constexpr std::int64_t default_grace_seconds = 30;

std::string key_of(std::string_view space, std::string_view name) {
  std::string key(space);
  key += '/';
  key += name;
  return key;
}

ResourceVersion version(std::uint64_t revision) {
  return ResourceVersion(std::to_string(revision));
}

std::string named(Kind kind, std::string_view name) {
  return fmt::format("{} \"{}\"", kind_info(kind).plural, name);
}

std::unexpected<Error> not_found(Kind kind, std::string_view name) {
  return fail(ErrorCode::not_found, named(kind, name) + " not found");
}

std::unexpected<Error> conflict(Kind kind, std::string_view name, std::string_view why) {
  return fail(ErrorCode::conflict,
              fmt::format("operation cannot be fulfilled on {}: {}", named(kind, name), why));
}

constexpr std::string_view modified_meanwhile =
    "the object has been modified; please apply your changes to the latest version and try again";

std::unexpected<Error> uid_differs(Kind kind, std::string_view name, const Uid& want,
                                   const Uid& have) {
  return conflict(
      kind, name,
      fmt::format("precondition failed: UID in precondition: {}, UID in object meta: {}",
                  want.get(), have.get()));
}

/// splitmix64: names and uids look random and are the same in every run.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

Time api_time(Time now) {
  return std::chrono::floor<std::chrono::seconds>(now);
}

bool set_condition(std::vector<Condition>& conditions, Condition condition, Time now) {
  condition.last_transition = api_time(now);
  const auto old = std::ranges::find(conditions, condition.type, &Condition::type);
  if (old == conditions.end()) {
    conditions.push_back(std::move(condition));
    return true;
  }
  if (old->status == condition.status) condition.last_transition = old->last_transition;
  const bool changed = *old != condition;
  *old = std::move(condition);
  return changed;
}

ApiServer::ApiServer(ApiServerOptions options) : options_(std::move(options)) {}

// ---- Reads ----

namespace {

/// Of a shelf, const or not.
template <class Objects>
auto* entry_of(Objects& objects, Kind kind, std::string_view space, std::string_view name) {
  const auto found = objects.find(key_of(kind_info(kind).namespaced ? space : "", name));
  return found == objects.end() ? nullptr : &found->second;
}

}  // namespace

const ApiServer::Entry* ApiServer::find_entry(Kind kind, std::string_view space,
                                              std::string_view name) const {
  return entry_of(shelf(kind).objects, kind, space, name);
}

ApiServer::Entry* ApiServer::find_entry(Kind kind, std::string_view space, std::string_view name) {
  return entry_of(shelf(kind).objects, kind, space, name);
}

Result<std::shared_ptr<const KubeObject>> ApiServer::get(Kind kind, std::string_view space,
                                                         std::string_view name) const {
  const auto* entry = find_entry(kind, space, name);
  if (entry == nullptr) return not_found(kind, name);
  return entry->object;
}

ObjectList ApiServer::list(Kind kind) const {
  ObjectList result;
  result.revision = revision_;
  result.items.reserve(shelf(kind).objects.size());
  for (const auto& [key, entry] : shelf(kind).objects) result.items.push_back(entry.object);
  return result;
}

Result<std::vector<WatchEvent>> ApiServer::poll(Watch& watch, std::size_t limit) const {
  const auto& from = shelf(watch.kind);
  if (watch.revision < from.compacted) {
    return fail(ErrorCode::gone, fmt::format("too old resource version: {} ({})", watch.revision,
                                             from.compacted + 1));
  }
  if (watch.revision > revision_) {
    return fail(ErrorCode::unavailable,
                fmt::format("timeout: too large resource version: {}, current: {}", watch.revision,
                            revision_));
  }
  auto next = std::ranges::upper_bound(from.log, watch.revision, {}, &WatchEvent::revision);
  std::vector<WatchEvent> events;
  for (; next != from.log.end() && events.size() < limit; ++next) events.push_back(*next);
  if (!events.empty()) watch.revision = events.back().revision;
  return events;
}

WatchEvent ApiServer::bookmark(Watch& watch) const {
  const auto& log = shelf(watch.kind).log;
  const bool told_all = log.empty() || log.back().revision <= watch.revision;
  if (told_all) watch.revision = std::max(watch.revision, revision_);
  return {WatchEvent::Type::bookmark, watch.kind, watch.revision, nullptr};
}

void ApiServer::compact(std::uint64_t revision) {
  for (auto& shelf : shelves_) {
    const auto keep = std::ranges::upper_bound(shelf.log, revision, {}, &WatchEvent::revision);
    shelf.log.erase(shelf.log.begin(), keep);
    shelf.compacted = std::max(shelf.compacted, std::min(revision, revision_));
  }
}

// ---- Storage ----

void ApiServer::log(const WatchEvent& event) {
  auto& to = shelf(event.kind);
  to.log.push_back(event);
  while (to.log.size() > options_.watch_window) {
    to.compacted = to.log.front().revision;
    to.log.pop_front();
  }
  if (observer_) observer_(event);
}

void ApiServer::commit(WatchEvent::Type type, Entry& entry, KubeObject object) {
  meta_of(object).resource_version = version(++revision_);
  const auto kind = kind_of(object);
  entry.object = std::make_shared<const KubeObject>(std::move(object));
  log({type, kind, revision_, entry.object});
}

void ApiServer::erase(const Entry& entry) {
  auto last = *entry.object;
  auto& meta = meta_of(last);
  meta.resource_version = version(++revision_);
  const auto kind = kind_of(last);
  shelf(kind).objects.erase(key_of(meta.namespace_name, meta.name));
  log({WatchEvent::Type::deleted, kind, revision_,
       std::make_shared<const KubeObject>(std::move(last))});
}

Uid ApiServer::next_uid() {
  const auto high = mix(options_.seed);
  return Uid(fmt::format("{:08x}-{:04x}-4000-8000-{:012x}", high & 0xffffffffU,
                         (high >> 32U) & 0xffffU, ++uids_made_));
}

std::string ApiServer::generated_name(Kind kind, std::string_view space, std::string_view base) {
  static constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  for (;;) {
    auto bits = mix(options_.seed ^ mix(++names_made_));
    std::string name(base);
    for (int i = 0; i < 5; ++i, bits /= letters.size()) name += letters[bits % letters.size()];
    if (find_entry(kind, space, name) == nullptr) return name;
  }
}

void ApiServer::restore(KubeObject object, Time now) {
  const auto kind = kind_of(object);
  auto& meta = meta_of(object);
  if (!kind_info(kind).namespaced) meta.namespace_name.clear();
  if (kind_info(kind).namespaced && meta.namespace_name.empty()) meta.namespace_name = "default";
  if (meta.uid.get().empty()) meta.uid = next_uid();
  if (!meta.created) meta.created = api_time(now);
  if (auto* pod = std::get_if<Pod>(&object)) {
    if (pod->phase.empty()) pod->phase = "Pending";
    if (pod->scheduler_name.empty()) pod->scheduler_name = "default-scheduler";
  }
  auto [place, added] =
      shelf(kind).objects.try_emplace(key_of(meta.namespace_name, meta.name), Entry{});
  place->second.grace_seconds.reset();
  commit(added ? WatchEvent::Type::added : WatchEvent::Type::modified, place->second,
         std::move(object));
}

// ---- Writes ----

Result<KubeObject> ApiServer::create(KubeObject object, Time now, std::string_view generate_name) {
  const auto kind = kind_of(object);
  auto& meta = meta_of(object);
  if (!kind_info(kind).namespaced) meta.namespace_name.clear();
  if (kind_info(kind).namespaced && meta.namespace_name.empty()) {
    return fail(ErrorCode::invalid, "an empty namespace may not be set during creation");
  }
  if (meta.name.empty() && !generate_name.empty()) {
    meta.name = generated_name(kind, meta.namespace_name, generate_name);
  }
  if (meta.name.empty()) {
    return fail(ErrorCode::invalid, "metadata.name: name or generateName is required");
  }
  if (!options_.keep_uids || meta.uid.get().empty()) meta.uid = next_uid();
  meta.created = api_time(now);
  meta.deleted.reset();
  default_taint_times(object, nullptr, now);
  if (auto valid = prepare_create(object, options_, now); !valid) {
    return std::unexpected(std::move(valid.error()).within(describe(object) + " is invalid"));
  }
  auto [place, added] =
      shelf(kind).objects.try_emplace(key_of(meta.namespace_name, meta.name), Entry{});
  if (!added) return fail(ErrorCode::conflict, named(kind, meta.name) + " already exists");
  commit(WatchEvent::Type::added, place->second, std::move(object));
  return *place->second.object;
}

Result<KubeObject> ApiServer::update(KubeObject object, Endpoint endpoint, Time now) {
  const auto kind = kind_of(object);
  const auto& meta = meta_of(object);
  auto* entry = find_entry(kind, meta.namespace_name, meta.name);
  if (entry == nullptr) {
    if (!allows_create_on_update(kind) || endpoint != Endpoint::main) {
      return not_found(kind, meta.name);
    }
    if (!meta.uid.get().empty()) return uid_differs(kind, meta.name, meta.uid, Uid());
    return create(std::move(object), now);
  }
  const auto& have = meta_of(*entry->object);
  if (!meta.uid.get().empty() && meta.uid != have.uid) {
    return uid_differs(kind, meta.name, meta.uid, have.uid);
  }
  if (meta.resource_version.get().empty()) {
    if (!allows_unconditional_update(kind)) {
      return fail(ErrorCode::invalid,
                  named(kind, meta.name) +
                      " is invalid: metadata.resourceVersion: must be specified for an update");
    }
  } else if (meta.resource_version != have.resource_version) {
    return conflict(kind, meta.name, modified_meanwhile);
  }
  return replace(*entry, std::move(object), endpoint, now);
}

Result<KubeObject> ApiServer::patch(Kind kind, std::string_view space, std::string_view name,
                                    Endpoint endpoint,
                                    const std::function<Result<void>(KubeObject&)>& change,
                                    Time now) {
  auto* entry = find_entry(kind, space, name);
  if (entry == nullptr) return not_found(kind, name);
  auto next = *entry->object;
  if (auto applied = change(next); !applied) return std::unexpected(applied.error());
  return replace(*entry, std::move(next), endpoint, now);
}

Result<KubeObject> ApiServer::replace(Entry& entry, KubeObject next, Endpoint endpoint, Time now) {
  const auto old = entry.object;
  auto& meta = meta_of(next);
  meta.resource_version = meta_of(*old).resource_version;
  meta.uid = meta_of(*old).uid;
  default_taint_times(next, old.get(), now);
  if (auto valid = prepare_update(next, *old, endpoint); !valid) {
    return std::unexpected(std::move(valid.error()).within(describe(*old) + " is invalid"));
  }
  if (next == *old) return next;
  const bool done_with =
      meta.finalizers.empty() && meta_of(*old).deleted && entry.grace_seconds.value_or(0) == 0;
  if (done_with) {
    erase(entry);
    return next;
  }
  commit(WatchEvent::Type::modified, entry, std::move(next));
  return *entry.object;
}

Result<void> ApiServer::remove(Kind kind, std::string_view space, std::string_view name,
                               const DeleteOptions& options, Time now) {
  auto* entry = find_entry(kind, space, name);
  if (entry == nullptr) return not_found(kind, name);
  const auto& meta = meta_of(*entry->object);
  if (options.uid && *options.uid != meta.uid) {
    return conflict(kind, name,
                    fmt::format("the UID in the precondition ({}) does not match the UID in record "
                                "({}). The object might have been deleted and then recreated",
                                options.uid->get(), meta.uid.get()));
  }
  if (options.resource_version && *options.resource_version != meta.resource_version) {
    return conflict(kind, name,
                    fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                                "ResourceVersion in record ({}). The object might have been "
                                "modified",
                                options.resource_version->get(), meta.resource_version.get()));
  }
  if (kind == Kind::pod) return remove_pod(*entry, options, now);
  if (meta.finalizers.empty()) {
    erase(*entry);
    return {};
  }
  if (!meta.deleted) {
    auto marked = *entry->object;
    meta_of(marked).deleted = api_time(now);
    entry->grace_seconds = 0;
    commit(WatchEvent::Type::modified, *entry, std::move(marked));
  }
  return {};
}

/// rest.BeforeDelete with the pod strategy: deletion in two steps, even with grace 0.
Result<void> ApiServer::remove_pod(Entry& entry, const DeleteOptions& options, Time now) {
  auto next = *entry.object;
  auto& pod = std::get<Pod>(next);
  const bool marked = pod.meta.deleted && entry.grace_seconds.value_or(0) == 0;
  if (!marked) {
    auto grace = options.grace_seconds.value_or(default_grace_seconds);
    if (grace < 0) grace = 1;
    if (pod.meta.deleted) {
      // The grace period can only be shortened.
      if (!options.grace_seconds || grace >= *entry.grace_seconds) return {};
      auto deadline =
          saturating_add(*pod.meta.deleted, saturating_seconds(grace - *entry.grace_seconds));
      if (deadline < now) {
        deadline = api_time(now);
        if (grace != 0) grace = 1;
      }
      pod.meta.deleted = deadline;
    } else {
      if (!pod.node_name || pod.finished()) grace = 0;
      pod.meta.deleted = saturating_add(api_time(now), saturating_seconds(grace));
    }
    entry.grace_seconds = grace;
    commit(WatchEvent::Type::modified, entry, std::move(next));
  }
  const auto& meta = meta_of(*entry.object);
  if (meta.finalizers.empty() && *entry.grace_seconds == 0) erase(entry);
  return {};
}

Result<void> ApiServer::bind(const PodKey& key, const Uid& uid, const NodeName& node, Time now,
                             const ResourceVersion& expected) {
  auto* entry = find_entry(Kind::pod, key.namespace_name, key.name);
  if (entry == nullptr) return not_found(Kind::pod, key.name);
  auto next = *entry->object;
  auto& pod = std::get<Pod>(next);
  if (!uid.get().empty() && uid != pod.meta.uid) {
    return uid_differs(Kind::pod, key.name, uid, pod.meta.uid);
  }
  if (!expected.get().empty() && expected != pod.meta.resource_version) {
    return conflict(Kind::pod, key.name, modified_meanwhile);
  }
  const auto refused = [&](std::string_view why) {
    return fail(ErrorCode::conflict,
                fmt::format("operation cannot be fulfilled on pods/binding \"{}\": pod {} {}",
                            key.name, key.name, why));
  };
  if (pod.meta.deleted) return refused("is being deleted, cannot be assigned to a host");
  if (pod.node_name) {
    return refused(fmt::format("is already assigned to node \"{}\"", pod.node_name->get()));
  }
  if (!pod.scheduling_gates.empty()) return refused("has non-empty .spec.schedulingGates");
  pod.node_name = node;
  pod.nominated_node.reset();
  set_condition(pod.conditions,
                {.type = "PodScheduled",
                 .status = "True",
                 .reason = "",
                 .message = "",
                 .last_transition = {}},
                now);
  commit(WatchEvent::Type::modified, *entry, std::move(next));
  return {};
}

}  // namespace dray::sim
