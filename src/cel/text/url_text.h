#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::cel {

/// The parts of Go's net/url.URL that CEL asks for.
struct ParsedUrl {
  std::string scheme;
  std::string host;  ///< with the port
  std::string escaped_path;
  std::string raw_query;
  std::string text;  ///< String(): what equality compares
};

/// Go's url.ParseRequestURI; the error is `parse "x": invalid URI for request`.
[[nodiscard]] bool is_request_uri(std::string_view text, std::string& error);
/// Go's url.Parse.
[[nodiscard]] std::optional<ParsedUrl> parse_url(std::string_view text, std::string& error);

[[nodiscard]] std::string_view url_hostname(std::string_view host);
[[nodiscard]] std::string_view url_port(std::string_view host);
/// Go's URL.Query(), malformed parts left out, in the order of the text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> url_query(std::string_view raw);

}  // namespace dray::cel
