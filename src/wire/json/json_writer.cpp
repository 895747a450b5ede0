#include "wire/json/json_writer.h"

#include <array>
#include <charconv>
#include <cstddef>

namespace dray::wire {

void JsonWriter::quote(std::string_view text) {
  static constexpr std::string_view hex = "0123456789abcdef";
  text_ += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        text_ += "\\\"";
        break;
      case '\\':
        text_ += "\\\\";
        break;
      case '\n':
        text_ += "\\n";
        break;
      case '\r':
        text_ += "\\r";
        break;
      case '\t':
        text_ += "\\t";
        break;
      default:
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x20) {
          text_ += "\\u00";
          text_ += hex[byte / 16U];
          text_ += hex[byte % 16U];
        } else {
          text_ += c;
        }
    }
  }
  text_ += '"';
}

void JsonWriter::string(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::integer(std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  value({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void JsonWriter::boolean(bool value) {
  this->value(value ? "true" : "false");
}

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  needs_comma_ = false;
}

}  // namespace dray::wire
