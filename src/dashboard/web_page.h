#pragma once

#include <string>
#include <string_view>

namespace dray::dashboard {

/// The one file that `./dev web` builds, with the Content-Security-Policy that it is sent under.
struct WebPage {
  std::string html;
  std::string policy;
};

/// The built page: its own policy, which names the hashes of its script and style, and that nobody
/// may frame it. A page without a policy gets one that runs nothing.
[[nodiscard]] WebPage built_page(std::string html);
/// In its place where there is none: says so, and what `why` says.
[[nodiscard]] WebPage page_not_built(std::string_view why);

}  // namespace dray::dashboard
