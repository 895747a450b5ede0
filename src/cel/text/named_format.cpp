#include "dray/cel/named_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "cel/text/ascii.h"
#include "cel/text/time_text.h"
#include "cel/text/url_text.h"

// Texts and rules: apimachinery pkg/api/validate/content, kube-openapi pkg/validation/strfmt.

namespace dray::cel {

namespace {

using Problems = std::vector<std::string>;

bool is_lower_alphanumeric(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_alphanumeric(char c) {
  return is_lower_alphanumeric(c) || is_upper(c);
}

constexpr std::string_view label_pattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view key_pattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

bool is_label(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) &&
         is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return c == '-' || is_lower_alphanumeric(c); });
}

bool is_subdomain(std::string_view text) {
  for (;;) {
    const std::string_view label = text.substr(0, text.find('.'));
    if (!is_label(label)) return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

bool is_key_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(
             text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// Newer rules count bytes and say so.
std::string too_long(std::size_t most, std::string_view unit = "characters") {
  return fmt::format("must be no more than {} {}", most, unit);
}

std::string wrong(std::string_view message, std::string_view pattern,
                  std::initializer_list<std::string_view> examples) {
  std::string out = std::string(message) + " (e.g. ";
  bool first = true;
  for (const std::string_view example : examples) {
    out += fmt::format("{}'{}', ", first ? "" : " or ", example);
    first = false;
  }
  return out + fmt::format("regex used for validation is '{}')", pattern);
}

/// A prefix may end in a dash: something will follow.
std::string without_dash(std::string_view name) {
  if (name.size() > 1 && name.ends_with('-')) {
    return std::string(name.substr(0, name.size() - 2)) + "a";
  }
  return std::string(name);
}

Problems dns1035_label(std::string_view text) {
  Problems problems;
  if (text.size() > 63) problems.push_back(too_long(63));
  if (!is_label(text) || !is_lower(text.front())) {
    problems.push_back(wrong(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
        "an alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return problems;
}

Problems label_prefix(std::string_view text) {
  return label_problems(without_dash(text));
}
Problems subdomain_prefix(std::string_view text) {
  return subdomain_problems(without_dash(text));
}
Problems dns1035_label_prefix(std::string_view text) {
  return dns1035_label(without_dash(text));
}

constexpr std::string_view key_message =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character";

Problems qualified_name(std::string_view text) {
  Problems problems;
  const auto key_error = [](std::string_view what) {
    return std::string(what) + wrong(key_message, key_pattern, {"MyName", "my.name", "123-abc"});
  };
  if (std::ranges::count(text, '/') > 1) {
    return {key_error("a valid label key ") +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  std::string_view name = text;
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    name = text.substr(slash + 1);
    if (slash == 0) problems.emplace_back("prefix part must be non-empty");
    if (slash > 0) {
      for (std::string problem : subdomain_problems(text.substr(0, slash))) {
        if (problem == too_long(253)) problem = too_long(253, "bytes");
        problems.push_back("prefix part " + problem);
      }
    }
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > 63) {
    problems.push_back("name part " + too_long(63, "bytes"));
  }
  if (!is_key_name(name)) problems.push_back(key_error("name part "));
  return problems;
}

Problems label_value(std::string_view text) {
  Problems problems;
  if (text.size() > 63) problems.push_back(too_long(63, "bytes"));
  if (!text.empty() && !is_key_name(text)) {
    problems.push_back(
        wrong("a valid label must be an empty string or consist of alphanumeric characters, '-', "
              "'_' or '.', and must start and end with an alphanumeric character",
              "(" + std::string(key_pattern) + ")?", {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

Problems uri(std::string_view text) {
  std::string error;
  return is_request_uri(text, error) ? Problems{} : Problems{error};
}

/// Groups of 8, 4, 4, 4 and 12 hexadecimal digits, dashes between them optional.
Problems uuid(std::string_view text) {
  std::size_t at = 0;
  for (const int group : {8, 4, 4, 4, 12}) {
    if (group != 8 && at < text.size() && text[at] == '-') ++at;
    for (int i = 0; i < group; ++i, ++at) {
      const char c = at < text.size() ? text[at] : '\0';
      const char lower = static_cast<char>(c | 0x20);
      if (!is_digit(c) && (lower < 'a' || lower > 'f')) return {"does not match the UUID format"};
    }
  }
  return at == text.size() ? Problems{} : Problems{"does not match the UUID format"};
}

Problems base64(std::string_view text) {
  std::string_view digits = text;
  for (int i = 0; i < 2 && digits.ends_with('='); ++i) digits.remove_suffix(1);
  const bool valid = !text.empty() && text.size() % 4 == 0 &&
                     std::ranges::all_of(
                         digits, [](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; });
  return valid ? Problems{} : Problems{"invalid base64"};
}

/// Go's time.Parse("2006-01-02", text).
bool is_date(std::string_view text) {
  return text.size() == 10 && parse_timestamp(std::string(text) + "T00:00:00Z").has_value();
}

Problems date(std::string_view text) {
  return is_date(text) ? Problems{} : Problems{"invalid date"};
}

bool is_time_of_day(std::string_view t) {
  if (t.size() < 9 || t[2] != ':' || t[5] != ':') return false;
  for (const std::size_t i : {0U, 1U, 3U, 4U, 6U, 7U}) {
    if (!is_digit(t[i])) return false;
  }
  const bool in_range = t.substr(0, 2) <= "23" && t.substr(3, 2) <= "59" && t.substr(6, 2) <= "59";
  const auto is_zone = [](std::string_view zone) {
    return zone == "z" ||
           (zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && is_digit(zone[1]) &&
            is_digit(zone[2]) && zone[3] == ':' && is_digit(zone[4]) && is_digit(zone[5]));
  };
  std::string_view rest = t.substr(8);
  if (is_zone(rest)) return in_range;
  // Any character may stand before the fraction: the pattern's dot is not escaped.
  rest.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits])) ++digits;
  return in_range && digits > 0 && is_zone(rest.substr(digits));
}

Problems datetime(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
  const auto t = lower.find('t');
  if (t == std::string::npos || !is_date(std::string_view(lower).substr(0, t))) {
    return {"invalid datetime"};
  }
  const std::string_view rest = std::string_view(lower).substr(t + 1);
  return is_time_of_day(rest.substr(0, rest.find('t'))) ? Problems{} : Problems{"invalid datetime"};
}

}  // namespace

std::vector<std::string> label_problems(std::string_view text) {
  Problems problems;
  if (text.size() > 63) problems.push_back(too_long(63));
  if (is_label(text)) return problems;
  if (is_subdomain(text)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.push_back(wrong(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character",
        label_pattern, {"my-name", "123-abc"}));
  }
  return problems;
}

std::vector<std::string> subdomain_problems(std::string_view text) {
  Problems problems;
  if (text.size() > 253) problems.push_back(too_long(253));
  if (!is_subdomain(text)) {
    problems.push_back(
        wrong("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
              "'-' or '.', and must start and end with an alphanumeric character",
              fmt::format("{0}(\\.{0})*", label_pattern), {"example.com"}));
  }
  return problems;
}

std::span<const NamedFormat> named_formats() {
  static constexpr std::array formats{
      NamedFormat{"dns1123Label", "DNS1123Label", 30, label_problems},
      NamedFormat{"dns1123Subdomain", "DNS1123Subdomain", 60, subdomain_problems},
      NamedFormat{"dns1035Label", "DNS1035Label", 30, dns1035_label},
      NamedFormat{"qualifiedName", "QualifiedName", 60, qualified_name},
      NamedFormat{"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, label_prefix},
      NamedFormat{"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, subdomain_prefix},
      NamedFormat{"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, dns1035_label_prefix},
      NamedFormat{"labelValue", "LabelValue", 40, label_value},
      NamedFormat{"uri", "URI", 1103, uri},
      NamedFormat{"uuid", "uuid", 70, uuid},
      NamedFormat{"byte", "byte", 84, base64},
      NamedFormat{"date", "date", 71, date},
      NamedFormat{"datetime", "datetime", 71, datetime},
  };
  return formats;
}

}  // namespace dray::cel
