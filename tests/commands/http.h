#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dray::commands_test {

struct Answer {
  int status = 0;
  std::string body;
};

/// One request to 127.0.0.1:`port` on a connection of its own; `body` empty: GET, else POST.
/// `more_headers`: whole lines.
Answer ask(std::uint16_t port, const std::string& target, const std::string& body = {},
           const std::string& more_headers = {});
/// The same; nothing if there is no answer. Any thread.
std::optional<Answer> try_to_ask(std::uint16_t port, const std::string& target,
                                 const std::string& body = {},
                                 const std::string& more_headers = {});

/// The number behind `words` in `line`: `port_after(line, "extender on port ")`.
std::uint16_t port_after(std::string_view line, std::string_view words);

}  // namespace dray::commands_test
