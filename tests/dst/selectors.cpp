#include "tests/dst/selectors.h"

#include <algorithm>

#include "dray/cel/device_shape.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"

namespace dray::dst {
namespace {

/// The first selector that the device does not meet.
const DeviceSelector* unmet(const std::vector<DeviceSelector>& selectors, const DriverName& driver,
                            const Device& device) {
  cel::Interner interner;
  cel::Evaluator evaluator;
  const auto shape = interner.intern(driver.get(), device);
  const auto found = std::ranges::find_if(selectors, [&](const DeviceSelector& selector) {
    const auto program = cel::compile(selector.cel.value_or(""));
    return !program || evaluator.verdict(**program, *shape) != cel::Verdict::yes;
  });
  return found == selectors.end() ? nullptr : &*found;
}

std::string why_not(const Facts& facts, const DeviceRequestSpec& request, const DriverName& driver,
                    const Device& device) {
  const auto* of = facts.server().find<DeviceClass>("", request.device_class.get());
  if (of == nullptr) return "of a class that is not there";
  if (const auto* selector = unmet(of->selectors, driver, device)) {
    return "which is not of the class: " + selector->cel.value_or("");
  }
  if (const auto* selector = unmet(request.selectors, driver, device)) {
    return "which is not what is asked for: " + selector->cel.value_or("");
  }
  return {};
}

}  // namespace

std::string why_unsuited(const Facts& facts, const DeviceRequestSpec& request,
                         const DeviceId& device) {
  const auto& fact = facts.devices.at(device);
  auto why = why_not(facts, request, device.driver, fact.device);
  if (why.empty() || !fact.before || facts.now() - fact.changed > old_news) return why;
  return why_not(facts, request, device.driver, *fact.before);
}

}  // namespace dray::dst
