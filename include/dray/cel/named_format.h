#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

/// One of Kubernetes' named formats (apiserver pkg/cel/library/format.go).
struct NamedFormat {
  std::string_view name;   ///< `dns1123Label`
  std::string_view shown;  ///< `DNS1123Label`
  int pattern_size;        ///< for costs
  std::vector<std::string> (*problems)(std::string_view text);
};

[[nodiscard]] std::span<const NamedFormat> named_formats();

/// Kubernetes' validation texts (apimachinery), empty where the text is right.
[[nodiscard]] std::vector<std::string> label_problems(std::string_view text);
[[nodiscard]] std::vector<std::string> subdomain_problems(std::string_view text);

}  // namespace dray::cel
