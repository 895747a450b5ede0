#include "wire/validation/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "dray/cel/named_format.h"

namespace dray::wire {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::vector<std::string> problems_of(std::string_view format, std::string_view text) {
  return std::ranges::find(cel::named_formats(), format, &cel::NamedFormat::name)->problems(text);
}

void check_identifier(const Field& field, std::string_view id, FieldErrors& errors) {
  if (id.size() > max_identifier) errors.too_long(field, max_identifier);
  const bool valid = !id.empty() && !is_digit(id.front()) && std::ranges::all_of(id, [](char c) {
    return is_letter(c) || is_digit(c) || c == '_';
  });
  if (valid) return;
  errors.invalid(field, id,
                 "a valid C identifier must start with alphabetic character or '_', followed by a "
                 "string of alphanumeric characters or '_' (e.g. 'my_name', or 'MY_NAME', or "
                 "'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')");
}

/// One part of a version: digits without a leading zero.
bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, is_digit) &&
         (part.size() == 1 || part.front() != '0');
}

bool is_identifier_list(std::string_view text, bool numbers_are_plain) {
  for (;;) {
    const auto part = text.substr(0, text.find('.'));
    const bool allowed = !part.empty() && std::ranges::all_of(part, [](char c) {
      return is_letter(c) || is_digit(c) || c == '-';
    });
    if (!allowed) return false;
    if (numbers_are_plain && std::ranges::all_of(part, is_digit) && !is_number(part)) return false;
    if (part.size() == text.size()) return true;
    text.remove_prefix(part.size() + 1);
  }
}

}  // namespace

void check_format(std::string_view format, const Field& field, std::string_view text,
                  FieldErrors& errors) {
  for (const auto& problem : problems_of(format, text)) errors.invalid(field, text, problem);
}

void check_driver_name(const Field& field, std::string_view name, FieldErrors& errors) {
  if (name.empty()) return errors.required(field);
  if (name.size() > max_driver_name) errors.too_long(field, max_driver_name);
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& problem : problems_of("dns1123Subdomain", lower)) {
    errors.invalid(field, name, problem);
  }
}

void check_pool_name(const Field& field, FieldErrors& errors) {
  auto name = field.text();
  if (name.empty()) return errors.required(field);
  if (name.size() > max_pool_name) errors.too_long(field, max_pool_name);
  for (;;) {
    const auto part = name.substr(0, name.find('/'));
    check_format("dns1123Subdomain", field, part, errors);
    if (part.size() == name.size()) return;
    name.remove_prefix(part.size() + 1);
  }
}

void check_qualified_name(const Field& field, std::string_view name, FieldErrors& errors) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return check_identifier(field, name, errors);
  const auto domain = name.substr(0, slash);
  const auto id = name.substr(slash + 1);
  if (id.find('/') != std::string_view::npos) return;  // as upstream
  if (domain.empty()) {
    errors.invalid(field, "", "the domain must not be empty");
  } else {
    check_driver_name(field, domain, errors);
  }
  if (id.empty()) {
    errors.invalid(field, "", "the name must not be empty");
  } else {
    check_identifier(field, id, errors);
  }
}

void check_fully_qualified_name(const Field& field, FieldErrors& errors) {
  check_qualified_name(field, field.text(), errors);
  if (field.text().find('/') != std::string_view::npos) return;
  errors.invalid(field, field.text(),
                 "a fully qualified name must be a domain and a name separated by a slash");
}

bool is_semver(std::string_view text) {
  if (const auto plus = text.find('+'); plus != std::string_view::npos) {
    if (!is_identifier_list(text.substr(plus + 1), false)) return false;
    text = text.substr(0, plus);
  }
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    if (!is_identifier_list(text.substr(dash + 1), true)) return false;
    text = text.substr(0, dash);
  }
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  return second != std::string_view::npos && is_number(text.substr(0, first)) &&
         is_number(text.substr(first + 1, second - first - 1)) &&
         is_number(text.substr(second + 1));
}

bool is_extended_resource_name(std::string_view name) {
  const bool native = name.find('/') == std::string_view::npos ||
                      name.find("kubernetes.io/") != std::string_view::npos;
  if (native || name.starts_with("requests.")) return false;
  return problems_of("qualifiedName", fmt::format("requests.{}", name)).empty();
}

}  // namespace dray::wire
