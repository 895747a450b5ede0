#include "cel/text/rune_class.h"

#include <re2/re2.h>

#include <string>

#include "cel/text/utf8.h"

namespace dray::cel {

bool is_printable(char32_t rune) {
  if (rune < 0x80) return rune >= ' ' && rune < 0x7F;
  static const re2::RE2 printable("[\\pL\\pM\\pN\\pP\\pS]");
  std::string text;
  append_rune(text, rune);
  return re2::RE2::FullMatch(text, printable);
}

bool is_white_space(char32_t rune) {
  return (rune >= 0x09 && rune <= 0x0D) || rune == 0x20 || rune == 0x85 || rune == 0xA0 ||
         rune == 0x1680 || (rune >= 0x2000 && rune <= 0x200A) || rune == 0x2028 || rune == 0x2029 ||
         rune == 0x202F || rune == 0x205F || rune == 0x3000;
}

}  // namespace dray::cel
