#include "app/convert/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dray/alloc/extended_resources.h"
#include "dray/engine/share_wish.h"
#include "dray/model/claim_limits.h"

namespace dray::app {
namespace {

/// Whether HAMi or gpushare gives the resource its meaning in a container that asks for a part.
bool tells_of_part(std::string_view resource) {
  return resource == engine::nvidia_gpu_resource ||
         std::ranges::find(engine::share_resources, resource) != engine::share_resources.end();
}

std::string place_of(std::string_view file, const wire::PodTemplate& pod) {
  return fmt::format("{}:{}: {}{}{}", file, pod.line, pod.object, pod.path.empty() ? "" : ": ",
                     pod.path);
}

// What the API server takes as names of objects and of requests (RFC 1123 subdomain and label).
constexpr std::size_t longest_name = 253;
constexpr std::size_t longest_label = 63;

/// `base` and `end`, with as much of the base as there is room for.
std::string joined(std::string base, const std::string& end, std::size_t longest) {
  if (base.size() + end.size() > longest) base.resize(longest - end.size());
  while (base.ends_with('-') || base.ends_with('.')) base.pop_back();
  return base + end;
}

/// `base`, or the first of `base-2`, `base-3`… that is not taken.
template <class Taken>
std::string first_free(const std::string& base, std::size_t longest, Taken&& taken) {
  auto name = joined(base, "", longest);
  for (int i = 2; taken(name); ++i) name = joined(base, fmt::format("-{}", i), longest);
  return name;
}

bool asks_by_annotation(const wire::PodTemplate& pod) {
  return pod.annotations.contains(engine::fraction_annotation) ||
         pod.annotations.contains(engine::gpu_memory_annotation);
}

/// Why a template that asks for devices has to stay as it is; empty: it need not.
std::string reason_to_stay(const wire::PodTemplate& pod) {
  if (asks_by_annotation(pod)) {
    return "its annotations ask for a part of a device: dray makes the claim when a pod is created "
           "(manifests/shares.yaml)";
  }
  const auto init = std::ranges::find_if(pod.containers, [](const auto& container) {
    return container.init && !container.extended.empty();
  });
  if (init != pod.containers.end()) {
    return fmt::format(
        "init container {} asks for {}: its devices are also those of the containers, which "
        "requests of a claim cannot say; write the claim by hand",
        init->name, init->extended.begin()->first);
  }
  if (pod.name.empty()) return "the object has no name to call a claim template after";
  return {};
}

std::string request_names(const wire::ClaimInPlace& claim) {
  std::string text;
  for (const auto& [container, resources] : claim.removed) {
    for (const auto& resource : resources) {
      text += fmt::format("{}{} of container {}", text.empty() ? "" : ", ", resource, container);
    }
  }
  return text;
}

}  // namespace

Conversion Converter::convert(wire::PodTemplates& templates, std::string_view file) {
  Conversion result;
  taken_.insert(templates.claim_templates().begin(), templates.claim_templates().end());
  for (std::size_t i = 0; i < templates.all().size(); ++i) {
    const auto& pod = templates.all()[i];
    const bool asks =
        asks_by_annotation(pod) || std::ranges::any_of(pod.containers, [](const auto& container) {
          return !container.extended.empty();
        });
    if (!asks) continue;
    const auto place = place_of(file, pod);
    if (const auto reason = reason_to_stay(pod); !reason.empty()) {
      result.left.push_back(fmt::format("{}: {}", place, reason));
      continue;
    }
    auto claim = claim_for(pod);
    if (!claim) {
      result.left.push_back(fmt::format("{}: {}", place, claim.error().message));
      continue;
    }
    claim->claim_template = free_name(pod);
    templates.use_claim(i, *claim);
    if (!rules_.scheduler.empty()) templates.set_scheduler(i, rules_.scheduler);
    result.done.push_back(fmt::format("{}: ResourceClaimTemplate {} in place of {}", place,
                                      claim->claim_template, request_names(*claim)));
  }
  return result;
}

Result<wire::ClaimInPlace> Converter::claim_for(const wire::PodTemplate& pod) {
  wire::ClaimInPlace claim;
  if (auto added = add_parts(pod, claim); !added) return std::unexpected(added.error());
  for (const auto& container : pod.containers) {
    if (auto added = add_devices(container, claim); !added) return std::unexpected(added.error());
  }
  if (std::cmp_greater(claim.spec.requests.size(), max_results)) {
    return fail(ErrorCode::invalid, fmt::format("{} requests, more than the {} of a claim",
                                                claim.spec.requests.size(), max_results));
  }
  claim.entry = first_free("devices", longest_label, [&](const auto& name) {
    return std::ranges::find(pod.claims, name) != pod.claims.end();
  });
  return claim;
}

Result<void> Converter::add_parts(const wire::PodTemplate& pod, wire::ClaimInPlace& claim) {
  std::vector<engine::ShareWish> wishes;
  for (const auto& container : pod.containers) {
    if (!engine::asks_for_part(container.extended)) continue;
    auto wish = engine::wish_of_resources(container.name, container.extended);
    if (!wish) return std::unexpected(wish.error());
    wishes.push_back(std::move(*wish));
    claim.requests[container.name].push_back(container.name);
    for (const auto& [resource, amount] : container.extended) {
      if (tells_of_part(resource)) claim.removed[container.name].push_back(resource);
    }
  }
  if (wishes.empty()) return {};
  if (!rules_.fractions) {
    return fail(ErrorCode::invalid,
                fmt::format("container {} asks for a part of a device: --policy FILE with "
                            "`fractions` says what that is here",
                            wishes.front().request));
  }
  auto spec = engine::share_spec(wishes, *rules_.fractions, offers());
  if (!spec) return std::unexpected(std::move(spec.error()));
  claim.spec = std::move(*spec);
  return {};
}

Result<void> Converter::add_devices(const wire::TemplateContainer& container,
                                    wire::ClaimInPlace& claim) const {
  const bool part = engine::asks_for_part(container.extended);
  auto& names = claim.requests[container.name];
  for (const auto& [resource, amount] : container.extended) {
    if (part && tells_of_part(resource)) continue;
    const auto asked = fmt::format("container {}: {}", container.name, resource);
    const auto device_class = class_behind(resource);
    if (device_class.get().empty()) {
      return fail(ErrorCode::not_found,
                  fmt::format("{0}: no DeviceClass stands behind it; --class {1}=NAME names one, "
                              "--cluster or --kubeconfig shows those there are",
                              asked, resource));
    }
    const auto count = amount.exact_units();
    if (!count || *count < 1 || *count > max_results) {
      return fail(ErrorCode::invalid, fmt::format("{}: {} is no whole number from 1 to {}", asked,
                                                  amount.to_string(), max_results));
    }
    DeviceRequest request{.name = container.name, .exactly = {}, .first_available = {}};
    request.name = first_free(container.name, longest_label, [&](const auto& name) {
      const auto& requests = claim.spec.requests;
      return std::ranges::find(requests, name, &DeviceRequest::name) != requests.end();
    });
    DeviceRequestSpec spec;
    spec.device_class = device_class;
    spec.allocation_mode = "ExactCount";
    spec.count = *count;
    request.exactly = std::move(spec);
    names.push_back(request.name);
    claim.removed[container.name].push_back(resource);
    claim.spec.requests.push_back(std::move(request));
  }
  if (names.empty()) claim.requests.erase(container.name);
  return {};
}

ClassName Converter::class_behind(const std::string& resource) const {
  if (const auto named = rules_.classes.find(resource); named != rules_.classes.end()) {
    return named->second;
  }
  const auto found = alloc::class_behind(*rules_.cluster, resource);
  return found ? ClassName(found->meta.name) : ClassName();
}

const std::vector<engine::ShareOffer>& Converter::offers() {
  if (!offers_) offers_ = engine::share_offers(*rules_.cluster, *rules_.fractions);
  return *offers_;
}

std::string Converter::free_name(const wire::PodTemplate& pod) {
  const auto end = pod.of > 1 ? fmt::format("-devices-{}", pod.index) : std::string("-devices");
  const auto base = joined(pod.name, end, longest_name);
  const auto key = [&](const std::string& name) { return pod.namespace_name + "/" + name; };
  auto name =
      first_free(base, longest_name, [&](const auto& each) { return taken_.contains(key(each)); });
  taken_.insert(key(name));
  return name;
}

}  // namespace dray::app
