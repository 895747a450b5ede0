#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/claim.h"
#include "dray/model/meta.h"
#include "dray/model/node.h"

namespace dray::wire {

/// A container, and the extended resources that it asks for.
struct TemplateContainer {
  std::string name;
  bool init = false;
  ResourceList extended;  ///< by limits, or requests where no limit is said
};

/// Where a manifest says what pods look like: a Pod's spec, or a template in an object of any kind.
struct PodTemplate {
  std::string object;  ///< `Deployment default/web`
  std::string path;    ///< `spec.template`; empty of a Pod
  int line = 0;        ///< where the object begins
  std::string kind;
  std::string namespace_name;  ///< empty where the manifest says none
  std::string name;            ///< the object's, or its generateName without the last `-`
  std::size_t index = 0;       ///< among the object's templates
  std::size_t of = 1;          ///< how many the object has
  std::string scheduler_name;
  std::vector<TemplateContainer> containers;
  std::vector<std::string> claims;  ///< names of spec.resourceClaims
  Labels annotations;
};

/// An entry in a pod template's spec.resourceClaims in place of extended resources.
struct ClaimInPlace {
  std::string entry;
  std::string claim_template;  ///< its name
  ClaimSpec spec;
  std::map<std::string, std::vector<std::string>> requests;  ///< by container; none named: all
  std::map<std::string, std::vector<std::string>> removed;   ///< resources by container
};

/// The documents of one file of manifests, in which the pod templates can be changed. What nobody
/// changes stays as it is, field by field; comments, and which style of YAML it was, do not.
class PodTemplates {
 public:
  /// Reads a file. Lists are taken as their items. Errors name file and line.
  [[nodiscard]] static Result<PodTemplates> read(std::string_view text, std::string_view file);
  PodTemplates(PodTemplates&&) noexcept;
  PodTemplates& operator=(PodTemplates&&) noexcept;
  ~PodTemplates();

  /// In the order of the file, as it was read.
  [[nodiscard]] const std::vector<PodTemplate>& all() const { return templates_; }
  /// `namespace/name` of the ResourceClaimTemplates that the file has.
  [[nodiscard]] const std::vector<std::string>& claim_templates() const { return claim_templates_; }

  /// Both of the template at that place in all(). The ResourceClaimTemplate goes before the object.
  void use_claim(std::size_t place, const ClaimInPlace& change);
  void set_scheduler(std::size_t place, const std::string& name);

  /// The documents, between lines of `---`.
  [[nodiscard]] std::string yaml() const;

 private:
  struct Documents;
  explicit PodTemplates(std::unique_ptr<Documents> documents);
  /// Finds the templates of the last document.
  Result<void> add(std::string_view file, int line);

  std::unique_ptr<Documents> documents_;
  std::vector<PodTemplate> templates_;
  std::vector<std::string> claim_templates_;
};

}  // namespace dray::wire
