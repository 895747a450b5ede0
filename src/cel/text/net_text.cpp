#include "cel/text/net_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "cel/text/number_text.h"

namespace dray::cel {

namespace {

/// Go's netip.ParseAddr.
class AddressReader {
 public:
  AddressReader(std::string_view text, std::string& error) : in_(text), error_(error) {}

  std::optional<ParsedAddress> run() {
    for (const char c : in_) {
      if (c == '.') return v4();
      if (c == ':') return v6();
      if (c == '%') return fail("missing IPv6 address");
    }
    return fail("unable to parse IP");
  }

 private:
  std::nullopt_t fail(std::string_view message, std::string_view at = {}) {
    error_ = "ParseAddr(" + quote(in_) + "): " + std::string(message);
    if (!at.empty()) error_ += " (at " + quote(at) + ")";
    return std::nullopt;
  }

  bool v4_fields(std::string_view text, std::uint8_t* fields) {
    unsigned value = 0;
    unsigned digits = 0;
    std::size_t field = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c >= '0' && c <= '9') {
        if (digits == 1 && value == 0) {
          fail("IPv4 field has octet with leading zero");
          return false;
        }
        value = value * 10 + static_cast<unsigned>(c - '0');
        ++digits;
        if (value > 255) {
          fail("IPv4 field has value >255");
          return false;
        }
      } else if (c == '.') {
        if (i == 0 || i == text.size() - 1 || text[i - 1] == '.') {
          fail("IPv4 field must have at least one digit", text.substr(i));
          return false;
        }
        if (field == 3) {
          fail("IPv4 address too long");
          return false;
        }
        fields[field++] = static_cast<std::uint8_t>(value);
        value = digits = 0;
      } else {
        fail("unexpected character", text.substr(i));
        return false;
      }
    }
    if (field < 3) {
      fail("IPv4 address too short");
      return false;
    }
    fields[3] = static_cast<std::uint8_t>(value);
    return true;
  }

  std::optional<ParsedAddress> v4() {
    ParsedAddress parsed;
    if (!v4_fields(in_, parsed.address.bytes.data() + 12)) return std::nullopt;
    return parsed;
  }

  std::optional<ParsedAddress> v6() {
    ParsedAddress parsed;
    parsed.address.is_v4 = false;
    rest_ = in_;
    if (const auto percent = in_.find('%'); percent != std::string_view::npos) {
      rest_ = in_.substr(0, percent);
      parsed.has_zone = true;
      if (percent + 1 == in_.size()) return fail("zone must be a non-empty string");
    }
    auto& bytes = parsed.address.bytes;
    std::size_t filled = 0;
    if (rest_.starts_with("::")) {
      ellipsis_ = 0;
      rest_.remove_prefix(2);
    }
    bool more = !(ellipsis_ == 0 && rest_.empty());
    while (more && filled < 16) {
      if (!group(bytes, filled, more)) return std::nullopt;
    }
    if (!rest_.empty()) return fail("trailing garbage after address", rest_);
    if (filled < 16) {
      if (ellipsis_ < 0) return fail("address string too short");
      const auto gap = bytes.begin() + ellipsis_;
      const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(filled);
      std::move_backward(gap, end, bytes.end());
      std::fill(gap, bytes.end() - (end - gap), std::uint8_t{0});
    } else if (ellipsis_ >= 0) {
      return fail("the :: must expand to at least one field of zeros");
    }
    parsed.mapped = std::all_of(bytes.begin(), bytes.begin() + 10, [](auto b) { return b == 0; }) &&
                    bytes[10] == 0xFF && bytes[11] == 0xFF;
    return parsed;
  }

  /// One field of four hexadecimal digits, or an IPv4 address at the end.
  bool group(std::array<std::uint8_t, 16>& bytes, std::size_t& filled, bool& more) {
    std::size_t length = 0;
    unsigned value = 0;
    for (; length < rest_.size(); ++length) {
      const char c = rest_[length];
      const bool digit = c >= '0' && c <= '9';
      const char lower = static_cast<char>(c | 0x20);
      if (!digit && (lower < 'a' || lower > 'f')) break;
      value = (value << 4U) + static_cast<unsigned>(digit ? c - '0' : lower - 'a' + 10);
      if (length > 3) return fail_at("each group must have 4 or less digits");
    }
    if (length == 0) return fail_at("each colon-separated field must have at least one digit");
    if (length < rest_.size() && rest_[length] == '.') {
      if (ellipsis_ < 0 && filled != 12) {
        return fail_at("embedded IPv4 address must replace the final 2 fields of the address");
      }
      if (filled + 4 > 16) {
        return fail_at("too many hex fields to fit an embedded IPv4 at the end of the address");
      }
      if (!v4_fields(rest_, bytes.data() + filled)) return false;
      rest_ = {};
      filled += 4;
      more = false;
      return true;
    }
    bytes[filled] = static_cast<std::uint8_t>(value >> 8U);
    bytes[filled + 1] = static_cast<std::uint8_t>(value);
    filled += 2;
    rest_.remove_prefix(length);
    return colon(filled, more);
  }

  bool colon(std::size_t filled, bool& more) {
    if (rest_.empty()) {
      more = false;
      return true;
    }
    if (rest_[0] != ':') return fail_at("unexpected character, want colon");
    if (rest_.size() == 1) return fail_at("colon must be followed by more characters");
    rest_.remove_prefix(1);
    if (rest_[0] != ':') return true;
    if (ellipsis_ >= 0) return fail_at("multiple :: in address");
    ellipsis_ = static_cast<int>(filled);
    rest_.remove_prefix(1);
    more = !rest_.empty();
    return true;
  }

  bool fail_at(std::string_view message) {
    fail(message, rest_);
    return false;
  }

  std::string_view in_;
  std::string& error_;
  std::string_view rest_;
  int ellipsis_ = -1;
};

}  // namespace

std::optional<ParsedAddress> parse_address(std::string_view text, std::string& error) {
  return AddressReader(text, error).run();
}

std::optional<CidrBlock> parse_prefix(std::string_view text, bool& mapped, std::string& error) {
  const auto fail = [&](std::string_view message) {
    error = "netip.ParsePrefix(" + quote(text) + "): " + std::string(message);
    return std::nullopt;
  };
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos) return fail("no '/'");
  std::string inner;
  const auto address = parse_address(text.substr(0, slash), inner);
  if (!address) return fail(inner);
  if (address->has_zone) return fail("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  const auto bits = parse_int(digits);
  const bool odd = digits.size() > 1 && (digits[0] < '1' || digits[0] > '9');
  if (odd || !bits) return fail("bad bits after slash: " + quote(digits));
  if (*bits < 0 || *bits > (address->address.is_v4 ? 32 : 128)) {
    return fail("prefix length out of range");
  }
  mapped = address->mapped;
  return CidrBlock{address->address, static_cast<int>(*bits)};
}

std::string ip_text(const IpAddress& address) {
  const auto& b = address.bytes;
  if (address.is_v4) return fmt::format("{}.{}.{}.{}", b[12], b[13], b[14], b[15]);
  const auto field = [&](std::size_t i) {
    return (static_cast<unsigned>(b[2 * i]) << 8U) | b[2 * i + 1];
  };
  // The longest run of at least two zero fields is left out.
  std::size_t zeros = 8;
  std::size_t zeros_end = 8;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t j = i;
    while (j < 8 && field(j) == 0) ++j;
    if (j - i >= 2 && j - i > zeros_end - zeros) std::tie(zeros, zeros_end) = std::pair(i, j);
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == zeros) {
      out += "::";
      i = zeros_end;
      if (i >= 8) break;
    } else if (i > 0) {
      out += ':';
    }
    out += fmt::format("{:x}", field(i));
  }
  return out;
}

std::string cidr_text(const CidrBlock& block) {
  return ip_text(block.address) + "/" + std::to_string(block.bits);
}

}  // namespace dray::cel
