#include "app/match/match_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "dray/base/suggest.h"
#include "dray/cel/selector_memo.h"

namespace dray::app {
namespace {

using PoolKey = std::pair<std::string, std::string>;

std::map<PoolKey, std::int64_t> newest_generations(const std::vector<KubeObject>& objects) {
  std::map<PoolKey, std::int64_t> newest;
  for (const auto& object : objects) {
    const auto* slice = std::get_if<ResourceSlice>(&object);
    if (slice == nullptr) continue;
    auto& generation = newest[{slice->driver.get(), slice->pool.get()}];
    generation = std::max(generation, slice->pool_generation);
  }
  return newest;
}

/// `device.attributes["d"].x == "a" is false: device.attributes["d"].x = "b"`.
std::string reason(const std::vector<cel::ExplainedPart>& decision) {
  if (decision.empty()) return "false";
  const auto& decided = decision.front();
  if (decided.failed) return fmt::format("{}: {}", decided.text, decided.value);
  auto text = fmt::format("{} is {}", decided.text, decided.value);
  const char* before = ": ";
  for (const auto& part : decision) {
    if (part.depth != 1) continue;
    text += fmt::format("{}{} = {}", before, part.text, part.value);
    before = ", ";
  }
  return text;
}

/// One selector over devices; what it says of a shape is found out once.
class Judge {
 public:
  explicit Judge(NamedSelector& selector) : selector_(selector) {}

  cel::Verdict verdict(const OfferedDevice& device) {
    return memo_.match(selector_.explainer.program(), device.shape);
  }
  std::string why(const OfferedDevice& device) {
    auto [known, added] = reasons_.try_emplace(device.shape->serial());
    if (added) known->second = reason(selector_.explainer.decision(*device.shape));
    return known->second;
  }
  [[nodiscard]] const std::string& name() const { return selector_.name; }

 private:
  NamedSelector& selector_;
  cel::SelectorMemo memo_;
  std::unordered_map<std::uint64_t, std::string> reasons_;
};

Result<NamedSelector> named(std::string name, const std::string& expression) {
  auto explainer = cel::Explainer::make(expression);
  if (explainer) return NamedSelector{std::move(name), *std::move(explainer)};
  return fail(ErrorCode::invalid,
              name.empty() ? explainer.error().message : name + ": " + explainer.error().message);
}

}  // namespace

std::vector<OfferedDevice> offered_devices(const std::vector<KubeObject>& objects,
                                           cel::Interner& interner) {
  const auto newest = newest_generations(objects);
  std::vector<OfferedDevice> devices;
  for (const auto& object : objects) {
    const auto* slice = std::get_if<ResourceSlice>(&object);
    if (slice == nullptr) continue;
    const auto& driver = slice->driver.get();
    const auto& pool = slice->pool.get();
    if (slice->pool_generation < newest.at({driver, pool})) continue;
    for (const auto& device : slice->devices) {
      const auto& scope = slice->per_device_node_selection ? device.scope : slice->scope;
      devices.push_back({scope.node_name ? scope.node_name->get() : std::string(), driver, pool,
                         device.name.get(), interner.intern(driver, device)});
    }
  }
  std::ranges::stable_sort(devices, {}, [](const OfferedDevice& device) {
    return std::tie(device.node, device.driver, device.pool, device.name);
  });
  return devices;
}

Result<const OfferedDevice*> find_device(const std::vector<OfferedDevice>& devices,
                                         const std::string& name) {
  const OfferedDevice* found = nullptr;
  for (const auto& device : devices) {
    const auto id = device.id();
    if (id != name && !id.ends_with("/" + name)) continue;
    if (found != nullptr) {
      return fail(ErrorCode::invalid, fmt::format("\"{}\" is {} and {}, at least: give more of it",
                                                  name, found->id(), id));
    }
    found = &device;
  }
  if (found == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("no device goes by \"{}\"", name));
  }
  return found;
}

Result<std::vector<NamedSelector>> selectors_for(const std::vector<KubeObject>& objects,
                                                 const std::string& class_name,
                                                 const std::string& expression) {
  std::vector<NamedSelector> selectors;
  if (!class_name.empty()) {
    const auto found = std::ranges::find_if(objects, [&](const KubeObject& object) {
      const auto* one = std::get_if<DeviceClass>(&object);
      return one != nullptr && one->meta.name == class_name;
    });
    if (found == objects.end()) {
      std::vector<std::string> known;
      for (const auto& object : objects) {
        if (std::holds_alternative<DeviceClass>(object)) known.push_back(meta_of(object).name);
      }
      return fail(ErrorCode::not_found, fmt::format("no DeviceClass \"{}\"{}", class_name,
                                                    suggest_near(class_name, known)));
    }
    const auto& all = std::get<DeviceClass>(*found).selectors;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto name = fmt::format("class {}: selector {}", class_name, i);
      if (!all[i].cel) return fail(ErrorCode::unsupported, name + ": not of kind CEL");
      auto selector = named(name, *all[i].cel);
      if (!selector) return std::unexpected(std::move(selector.error()));
      selectors.push_back(*std::move(selector));
    }
  }
  if (!expression.empty()) {
    auto selector = named({}, expression);
    if (!selector) return std::unexpected(std::move(selector.error()));
    selectors.push_back(*std::move(selector));
  }
  return selectors;
}

std::vector<DeviceMatch> match_devices(const std::vector<OfferedDevice>& devices,
                                       std::vector<NamedSelector>& selectors,
                                       const std::function<void()>& asked) {
  std::vector<Judge> judges(selectors.begin(), selectors.end());
  std::vector<DeviceMatch> matches;
  for (const auto& device : devices) {
    DeviceMatch match{&device, cel::Verdict::yes, {}, {}};
    for (auto& judge : judges) {
      match.verdict = judge.verdict(device);
      if (match.verdict == cel::Verdict::yes) continue;
      match.selector = judge.name();
      match.why = judge.why(device);
      break;
    }
    matches.push_back(std::move(match));
    if (asked) asked();
  }
  return matches;
}

}  // namespace dray::app
