#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/policy/policy_codec.h"
#include "wire/policy/policy_shape.h"
#include "wire/yaml/config_node.h"

namespace dray::wire {

/// Holds a file against its shape.
class PolicyForm {
 public:
  /// Looks at `node`, which stands at `path`, and at all below it.
  void check(const ConfigNode& node, const PolicyShape& shape, const std::string& path);

  /// Where the value of that path stands, or the next one around it that is there.
  [[nodiscard]] TextPlace place_of(std::string path) const;

  [[nodiscard]] std::vector<PolicyProblem>& problems() { return problems_; }

 private:
  void error(TextPlace place, const std::string& path, std::string text);
  void check_object(const ConfigNode& node, const PolicyShape& shape, const std::string& path);
  void check_members(const ConfigNode& node, const PolicyShape& shape, const std::string& path);
  void check_scalar(const ConfigNode& node, const PolicyShape& shape, const std::string& path);

  std::map<std::string, TextPlace, std::less<>> places_;
  std::vector<PolicyProblem> problems_;
};

/// Whether a scalar is one of that form.
[[nodiscard]] bool is_of_form(const ConfigNode& scalar, const PolicyShape& shape);

}  // namespace dray::wire
