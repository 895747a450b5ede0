#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/snapshot.h"
#include "dray/engine/share_claim.h"
#include "dray/policy/config_sections.h"
#include "wire/object/pod_templates.h"

namespace dray::app {

/// What stands behind the resources that pods ask for.
struct ConvertRules {
  std::map<std::string, ClassName> classes;  ///< by resource, before the cluster's own
  std::optional<policy::Fractions> fractions;
  std::shared_ptr<const cluster::Snapshot> cluster;  ///< its classes and devices
  std::string scheduler;                             ///< of pods that are changed; empty: as it was
};

/// What became of the pod templates of a file: lines that begin with its name.
struct Conversion {
  std::vector<std::string> done;
  std::vector<std::string> left;  ///< what stays as it was, and what would change that
};

/// Claims in place of extended resources: of a whole device of the DeviceClass that stands behind
/// the resource (as KEP-5004 has it), and of parts as the policy's fractions say. The same requests
/// that dray makes of such pods when they are created.
class Converter {
 public:
  explicit Converter(ConvertRules rules) : rules_(std::move(rules)) {}

  /// A template is changed wholly or not at all.
  [[nodiscard]] Conversion convert(wire::PodTemplates& templates, std::string_view file);

 private:
  Result<wire::ClaimInPlace> claim_for(const wire::PodTemplate& pod);
  Result<void> add_parts(const wire::PodTemplate& pod, wire::ClaimInPlace& claim);
  Result<void> add_devices(const wire::TemplateContainer& container,
                           wire::ClaimInPlace& claim) const;
  [[nodiscard]] ClassName class_behind(const std::string& resource) const;
  [[nodiscard]] const std::vector<engine::ShareOffer>& offers();
  std::string free_name(const wire::PodTemplate& pod);

  ConvertRules rules_;
  std::optional<std::vector<engine::ShareOffer>> offers_;
  std::set<std::string> taken_;  ///< `namespace/name` of ResourceClaimTemplates
};

}  // namespace dray::app
