#include "app/common/colour.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace dray::app {
namespace {

/// Set, and not empty.
bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool colours_output() {
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE")) return true;
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !dumb && isatty(STDOUT_FILENO) == 1;
}

std::string paint(std::string_view text, Paint how, bool coloured) {
  if (!coloured) return std::string(text);
  const int code = how == Paint::good ? 32 : how == Paint::bad ? 31 : 33;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace dray::app
