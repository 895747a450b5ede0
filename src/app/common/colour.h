#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::app {

/// How a word is to be seen.
enum class Paint : std::uint8_t { good, bad, warn };

/// Whether words on the standard output are coloured: it is a terminal that can, and nobody said
/// NO_COLOR (no-color.org). CLICOLOR_FORCE colours what goes elsewhere, too.
[[nodiscard]] bool colours_output();

/// The text in its colour, or as it is.
[[nodiscard]] std::string paint(std::string_view text, Paint how, bool coloured);

}  // namespace dray::app
