#include "dray/alloc/extended_resources.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dray/model/pod_claim.h"

namespace dray::alloc {
namespace {

constexpr std::string_view implicit_prefix = "deviceclass.resource.kubernetes.io/";

struct NumberedContainer {
  const Container* container = nullptr;
  std::size_t number = 0;  ///< among init containers and containers
  bool lives_long = false;
};

std::vector<NumberedContainer> containers_of(const Pod& pod) {
  std::vector<NumberedContainer> all;
  all.reserve(pod.init_containers.size() + pod.containers.size());
  for (const auto& each : pod.init_containers) {
    all.push_back({&each, all.size(), each.restart_always});
  }
  for (const auto& each : pod.containers) all.push_back({&each, all.size(), true});
  return all;
}

/// Builds the requests for one resource after the other (createRequestsAndMappings).
class Builder {
 public:
  explicit Builder(const Pod& pod) : containers_(containers_of(pod)) {}

  void add(const std::string& resource, const DeviceClass& device_class) {
    std::vector<std::optional<DeviceRequest>> of_long(containers_.size());
    for (const auto& each : containers_) {
      if (!each.lives_long) continue;
      of_long[each.number] = request(each, resource, device_class, {}, mappings_);
    }
    add_short_lived(resource, device_class, of_long);
    for (auto& made : of_long) {
      if (made) requests_.push_back(std::move(*made));
    }
  }

  [[nodiscard]] ExtendedResourceClaim take(const Pod& pod) && {
    std::ranges::sort(requests_, {}, &DeviceRequest::name);
    ExtendedResourceClaim made;
    const auto key = extended_resource_claim_key(pod);
    made.claim.meta.namespace_name = key.namespace_name;
    made.claim.meta.name = key.name;
    made.claim.meta.annotations.emplace(extended_resource_annotation, "true");
    made.claim.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
    made.claim.spec.requests = std::move(requests_);
    made.mappings = std::move(mappings_);
    return made;
  }

 private:
  using Requests = std::span<const std::optional<DeviceRequest>>;

  /// Init containers are over before the others start: they use the devices of those that come
  /// after them, and of what they need beyond that only the most is asked for.
  void add_short_lived(const std::string& resource, const DeviceClass& device_class,
                       const std::vector<std::optional<DeviceRequest>>& of_long) {
    std::optional<DeviceRequest> most;
    std::set<std::string> names;
    std::vector<ExtendedResourceMapping> mappings;
    for (const auto& each : containers_) {
      if (each.lives_long) continue;
      auto made =
          request(each, resource, device_class, Requests(of_long).subspan(each.number), mappings);
      if (!made) continue;
      names.insert(made->name);
      if (!most || most->exactly->count < made->exactly->count) most = std::move(made);
    }
    for (auto& mapping : mappings) {
      if (most && names.contains(mapping.request)) mapping.request = most->name;
      mappings_.push_back(std::move(mapping));
    }
    if (most) requests_.push_back(std::move(*most));
  }

  static std::optional<DeviceRequest> request(const NumberedContainer& each,
                                              const std::string& resource,
                                              const DeviceClass& device_class, Requests reusable,
                                              std::vector<ExtendedResourceMapping>& mappings) {
    const auto& asked = each.container->requests;
    const auto at = asked.find(resource);
    const auto count = at == asked.end() ? std::nullopt : at->second.as_int64();
    if (!count || *count == 0) return std::nullopt;
    std::int64_t reused = 0;
    for (const auto& other : reusable) {
      if (!other) continue;
      reused += other->exactly->count;
      mappings.push_back({each.container->name, resource, other->name});
      if (reused >= *count) return std::nullopt;
    }
    DeviceRequest made;
    made.name =
        fmt::format("container-{}-request-{}", each.number, std::distance(asked.begin(), at));
    made.exactly.emplace();
    made.exactly->device_class = ClassName(device_class.meta.name);
    made.exactly->allocation_mode = "ExactCount";
    made.exactly->count = *count - reused;
    mappings.push_back({each.container->name, resource, made.name});
    return made;
  }

  std::vector<NumberedContainer> containers_;
  std::vector<DeviceRequest> requests_;
  std::vector<ExtendedResourceMapping> mappings_;
};

}  // namespace

bool is_extended_resource_claim(const ResourceClaim& claim, const Uid& pod) {
  const auto mark = claim.meta.annotations.find(extended_resource_annotation);
  return mark != claim.meta.annotations.end() && mark->second == "true" &&
         std::ranges::any_of(claim.meta.owners, [&](const auto& owner) {
           return owner.controller && owner.uid == pod;
         });
}

ClaimKey extended_resource_claim_key(const Pod& pod) {
  return generated_claim_key(pod, "extended-resources");
}

ClaimKey generated_claim_key(const Pod& pod, std::string_view purpose) {
  // generateName keeps 58 characters and puts five of these after them.
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t most_kept = 58;
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : pod.meta.uid.get()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  auto name = fmt::format("{}-{}-", pod.meta.name, purpose).substr(0, most_kept);
  for (int i = 0; i < 5; ++i, hash /= letters.size()) name += letters[hash % letters.size()];
  return {pod.meta.namespace_name, std::move(name)};
}

std::shared_ptr<const DeviceClass> class_behind(const cluster::Snapshot& snapshot,
                                                std::string_view resource) {
  if (resource.starts_with(implicit_prefix)) {
    return snapshot.device_class(ClassName(std::string(resource.substr(implicit_prefix.size()))));
  }
  std::shared_ptr<const DeviceClass> best;
  for (const auto& each : snapshot.classes()) {
    const auto& object = each->object;
    if (object->extended_resource_name.empty() || object->extended_resource_name != resource) {
      continue;
    }
    // Classes come in the order of their names: an equally old one does not replace the first.
    const auto age = [](const DeviceClass& c) { return c.meta.created.value_or(Time{}); };
    if (!best || age(*object) > age(*best)) best = object;
  }
  return best;
}

std::optional<ExtendedResourceClaim> extended_resource_claim(const Pod& pod,
                                                             const cluster::Snapshot& snapshot,
                                                             cluster::NodeIndex node) {
  const auto requests = cluster::requests_of(pod);
  const auto& offered = *snapshot.facts(node).allocatable;
  Builder builder(pod);
  bool any = false;
  for (const auto& [resource, amount] : requests.others) {
    if (amount == 0 || offered.other(resource) != 0) continue;
    const auto device_class = class_behind(snapshot, resource);
    if (!device_class) continue;
    builder.add(resource, *device_class);
    any = true;
  }
  if (!any) return std::nullopt;
  return std::move(builder).take(pod);
}

}  // namespace dray::alloc
