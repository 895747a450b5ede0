#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::commands_test {

struct Answer {
  int status = 0;
  std::string body;
};

/// One request to 127.0.0.1:`port` on a connection of its own; `body` empty: GET, else POST.
Answer ask(std::uint16_t port, const std::string& target, const std::string& body = {});

/// The number behind `words` in `line`: `port_after(line, "extender on port ")`.
std::uint16_t port_after(std::string_view line, std::string_view words);

}  // namespace dray::commands_test
