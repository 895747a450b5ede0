#include "planner/explain/device_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "dray/base/suggest.h"
#include "dray/cel/evaluator.h"
#include "dray/cluster/device_taints.h"
#include "dray/model/pod_claim.h"
#include "dray/planner/pod_claims.h"
#include "planner/explain/constraint_help.h"
#include "planner/explain/words.h"

namespace dray::planner {
namespace {

using cluster::Pool;
using cluster::PublishedDevice;
using Sentences = std::vector<std::string>;

constexpr std::size_t most_named = 4;

/// A request or one alternative, with the name that constraints know it by.
struct Asked {
  std::string name;
  const DeviceRequestSpec* spec;
};

std::vector<Asked> requests_of(const ResourceClaim& claim) {
  std::vector<Asked> all;
  for (const auto& request : claim.spec.requests) {
    if (request.exactly) all.push_back({request.name, &*request.exactly});
    for (const auto& sub : request.first_available) all.push_back({request.name, &sub});
  }
  return all;
}

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char c) { return std::tolower(c); });
  return made;
}

std::string id_of(std::string_view attribute) {
  return lower(attribute.substr(attribute.find('/') + 1));
}

/// `key=value:NoSchedule`
std::string text_of(const DeviceTaint& taint) {
  const auto value = taint.value.empty() ? "" : "=" + taint.value;
  return taint.key + value + ":" + taint.effect;
}

bool names_key(const DeviceRequestSpec& spec, const std::string& key) {
  return std::ranges::any_of(spec.tolerations, [&](const DeviceToleration& toleration) {
    return toleration.key.empty() || toleration.key == key;
  });
}

class DeviceHelp {
 public:
  DeviceHelp(const cluster::AllocatedState& state, const Pod& pod, const DeviceLack& lack,
             const alloc::AllocatorOptions& options)
      : state_(state), snapshot_(state.snapshot()), lack_(lack), options_(options) {
    if (auto claims = claims_of(snapshot_, pod)) claims_ = *std::move(claims);
    if (!lack.node.get().empty()) node_ = snapshot_.node(lack.node);
  }

  Sentences run() {
    switch (lack_.reason) {
      case Reason::no_devices:
      case Reason::class_selector:
        say(fmt::format(
            "nobody's end helps, because nodes have too few such devices, used or free: ask for "
            "fewer on one node, or for another class, or add nodes; `dray match 'true' --class {}` "
            "shows what there is",
            class_name()));
        break;
      case Reason::claim_selector:
        say(fmt::format(
            "nobody's end helps, because the claim's selectors refuse the other devices, used or "
            "free: `dray match SELECTOR --class {}` shows device by device why",
            class_name()));
        break;
      case Reason::selector_error:
        mend_selector();
        break;
      case Reason::allocation_error:
        if (lack_.said.contains("selector")) mend_selector();
        break;
      case Reason::device_taint:
        tolerate();
        break;
      case Reason::capacity:
        ask_for_less();
        break;
      case Reason::constraint:
        other_attribute();
        change_constraints();
        break;
      case Reason::pool_incomplete:
        say(fmt::format(
            "devices of a pool count once all its slices are there: `{}` shows what the driver "
            "has published; where that does not change, see the driver's pod on the node",
            get_slices()));
        break;
      case Reason::pool_invalid:
        say(fmt::format(
            "nothing of such a pool is allocated before its driver publishes it anew, without that "
            "fault; `{}` shows its slices, and the driver's pod on the node is where to look",
            get_slices()));
        break;
      default:
        break;
    }
    return std::move(said_);
  }

 private:
  void say(std::string sentence) { said_.push_back(std::move(sentence)); }

  [[nodiscard]] std::string class_name() const {
    std::set<std::string> names;
    for (const auto& claim : claims_) {
      for (const auto& asked : requests_of(*claim)) names.insert(asked.spec->device_class.get());
    }
    return names.size() == 1 ? *names.begin() : "CLASS";
  }

  [[nodiscard]] std::string get_slices() const {
    return node_ ? fmt::format("kubectl get resourceslices --field-selector spec.nodeName={}",
                               lack_.node.get())
                 : "kubectl get resourceslices";
  }

  void mend_selector() {
    say(
        fmt::format("mend the CEL selector{}: `dray match SELECTOR --class {}` shows on which "
                    "devices it fails. "
                    "Not every device has every attribute: write "
                    "`device.attributes[\"DOMAIN\"].?NAME.orValue(…)`, or ask has(…) first",
                    near_attribute(), class_name()));
  }

  /// ` (no device of the class on n0 has produktName; did you mean productName?)`; empty where
  /// nothing is near.
  [[nodiscard]] std::string near_attribute() {
    static constexpr std::string_view before = "no such key: ";
    const auto at = lack_.said.find(before);
    if (at == std::string::npos) return {};
    const auto rest = lack_.said.substr(at + before.size());
    const auto key = rest.substr(0, rest.find_first_of(". "));
    std::set<std::string> ids;
    for (const auto& claim : claims_) {
      for (const auto& asked : requests_of(*claim)) {
        for_each_of_class(*asked.spec, [&](const Pool&, const PublishedDevice& device) {
          for (const auto& name : device.shape->names().names()) ids.insert(name.id);
        });
      }
    }
    if (ids.contains(key)) return {};
    const auto near = suggest_near(key, Sentences(ids.begin(), ids.end()));
    return near.empty() ? near
                        : fmt::format(" (no device of the class on {} has {}{})", lack_.node.get(),
                                      key, near);
  }

  // ---- What the nearest node's devices have ----

  /// Those of the request's class, as `visit(const Pool&, const PublishedDevice&)`.
  template <class F>
  void for_each_of_class(const DeviceRequestSpec& spec, F&& visit) {
    const auto kind = snapshot_.compiled_class(spec.device_class);
    if (!kind || !node_) return;
    const auto is_of = [&](const cel::DeviceShape& shape) {
      return std::ranges::all_of(kind->selectors, [&](const cluster::CompiledSelector& selector) {
        return selector.program &&
               evaluator_.verdict(*selector.program, shape) == cel::Verdict::yes;
      });
    };
    for (const auto index : snapshot_.entry(*node_).pools) {
      const auto& pool = snapshot_.pool(index);
      const auto [first, last] = pool.of_node(lack_.node.get());
      for (auto at = first; at < last; ++at) {
        const auto& slice = *pool.slots[at].slice;
        if (slice.generation != pool.generations.back().generation) continue;
        for (const auto& device : slice.devices) {
          if (is_of(*device.shape)) visit(pool, device);
        }
      }
    }
  }

  void tolerate() {
    std::set<std::string> taints;
    for (const auto& claim : claims_) {
      for (const auto& asked : requests_of(*claim)) {
        for_each_of_class(*asked.spec, [&](const Pool& pool, const PublishedDevice& device) {
          const DeviceId id{pool.driver, pool.name, DeviceName(*device.name)};
          for (const auto* taint : cluster::taints_of(snapshot_, id, *device.traits)) {
            if (!names_key(*asked.spec, taint->key)) taints.insert(text_of(*taint));
          }
        });
      }
    }
    const Sentences names(taints.begin(), taints.end());
    const auto which =
        names.empty() ? "the device's taint" : "the device taint " + some_of(names, most_named);
    say(fmt::format(
        "tolerate {} in the claim's request (tolerations), or have it taken off the device: its "
        "driver or a DeviceTaintRule has set it, mostly because the device is not well",
        which));
  }

  /// `memory 7Gi of 15Gi (wants 8Gi)`: the most that one of its devices has left of each capacity.
  void ask_for_less() {
    for (const auto& claim : claims_) {
      for (const auto& asked : requests_of(*claim)) {
        Sentences lacks;
        for (const auto& [name, wanted] : asked.spec->capacity_requests) {
          if (auto most = most_left(*asked.spec, name)) {
            lacks.push_back(
                fmt::format("{} {} (wants {})", name, most->to_string(), wanted.to_string()));
          }
        }
        if (lacks.empty()) continue;
        say(fmt::format("ask for less of a device: the most that one of {} has left is {}",
                        lack_.node.get(), some_of(lacks, lacks.size())));
      }
    }
  }

  [[nodiscard]] std::optional<Quantity> most_left(const DeviceRequestSpec& spec,
                                                  const std::string& capacity) {
    std::optional<Quantity> most;
    for_each_of_class(spec, [&](const Pool& pool, const PublishedDevice& device) {
      const auto has = device.traits->capacity.find(capacity);
      if (has == device.traits->capacity.end()) return;
      auto left = has->second.value;
      if (const auto use = use_of(pool, *device.name)) {
        if (const auto taken = use->consumed.find(capacity); taken != use->consumed.end()) {
          left -= taken->second;
        }
      }
      if (!most || *most < left) most = left;
    });
    return most;
  }

  [[nodiscard]] std::optional<cluster::DeviceUse> use_of(const Pool& pool,
                                                         const std::string& device) const {
    const auto index = snapshot_.find_pool(pool.driver, pool.name);
    if (!index) return std::nullopt;
    if (const auto* changed = state_.changed_use(*index, device)) return *changed;
    for (const auto& slot : pool.slots) {
      if (!slot.use) continue;
      for (const auto& [place, use] : *slot.use) {
        if (place < slot.slice->devices.size() && *slot.slice->devices[place].name == device) {
          return use;
        }
      }
    }
    return std::nullopt;
  }

  void change_constraints() {
    if (!lack_.free_would_do) {
      say("nobody's end helps, because no node has enough devices that are together as the claim's "
          "constraints want it, used or free");
    }
    if (!node_) return;
    for (auto& each : help_for_constraints(state_, *node_, claims_, options_)) say(std::move(each));
  }

  /// A constraint over an attribute that devices do not publish is met by none of them.
  void other_attribute() {
    for (const auto& claim : claims_) {
      for (const auto& constraint : claim->spec.constraints) {
        if (!lack_.said.contains(constraint.attribute)) continue;
        for (const auto& asked : requests_of(*claim)) {
          const auto& bound = constraint.requests;
          if (bound.empty() || std::ranges::find(bound, asked.name) != bound.end()) {
            other_attribute(constraint, asked);
          }
        }
      }
    }
  }

  void other_attribute(const DeviceConstraint& constraint, const Asked& asked) {
    bool published = false;
    std::set<std::string> alike;
    std::set<std::string> all;
    for_each_of_class(*asked.spec, [&](const Pool& pool, const PublishedDevice& device) {
      const auto wanted =
          cel::split_name(cel::Half::attribute, constraint.attribute, pool.driver.get());
      const auto& names = device.shape->names();
      published |= names.find(cel::Half::attribute, wanted.domain, wanted.id) >= 0;
      for (const auto& name : names.names()) {
        if (name.half != cel::Half::attribute) continue;
        const auto full = name.domain + "/" + name.id;
        all.insert(full);
        const auto id = lower(name.id);
        const auto other = id_of(constraint.attribute);
        if (id.contains(other) || other.contains(id)) alike.insert(full);
      }
    });
    if (published || all.empty()) return;
    const auto& near = alike.empty() ? all : alike;
    const Sentences names(near.begin(), near.end());
    say(fmt::format(
        "devices of class {} on {} do not publish {}, so that no constraint over it can be met: "
        "{} {}",
        asked.spec->device_class.get(), lack_.node.get(), constraint.attribute,
        alike.empty() ? "they have" : "did you mean",
        some_of(names, most_named) + (alike.empty() ? "" : "?")));
  }

  const cluster::AllocatedState& state_;
  const cluster::Snapshot& snapshot_;
  const DeviceLack& lack_;
  const alloc::AllocatorOptions& options_;
  PodClaims claims_;
  std::optional<cluster::NodeIndex> node_;
  cel::Evaluator evaluator_;
  Sentences said_;
};

}  // namespace

Sentences help_for_devices(const cluster::AllocatedState& state, const Pod& pod,
                           const DeviceLack& lack, const alloc::AllocatorOptions& options) {
  return DeviceHelp(state, pod, lack, options).run();
}

std::string near_class(const cluster::Snapshot& snapshot, const Pod& pod) {
  Sentences known;
  for (const auto& each : snapshot.classes()) known.push_back(each->object->meta.name);
  for (const auto& entry : pod.resource_claims) {
    const auto [made, name] = claim_of_entry(pod, entry);
    if (!made || name == nullptr) continue;
    const auto claim = snapshot.claim({pod.meta.namespace_name, *name});
    if (!claim) continue;
    for (const auto& asked : requests_of(*claim)) {
      if (snapshot.device_class(asked.spec->device_class)) continue;
      return suggest_near(asked.spec->device_class.get(), known);
    }
  }
  return {};
}

}  // namespace dray::planner
