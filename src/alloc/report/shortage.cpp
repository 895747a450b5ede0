#include "dray/alloc/shortage.h"

#include <utility>

#include <fmt/format.h>

#include "dray/base/count_of.h"

namespace dray::alloc {
namespace {

std::string pools_text(const Shortage& shortage) {
  std::string text;
  if (shortage.incomplete_pools > 0) {
    text += fmt::format("; {} of its pools incomplete", shortage.incomplete_pools);
  }
  if (shortage.invalid_pools > 0) {
    text += fmt::format("; {} of its pools invalid", shortage.invalid_pools);
  }
  return text;
}

/// Of a node whose suitable devices are too few whether they are free or not.
std::string published_text(const Shortage& shortage) {
  if (shortage.of_class == 0) return "has none";
  if (shortage.suitable == shortage.of_class) return fmt::format("has {}", shortage.suitable);
  auto text = fmt::format("has {} of the class, ", shortage.of_class);
  text += shortage.suitable == 0 ? "none" : std::to_string(shortage.suitable);
  text += " that the request accepts";
  if (shortage.selector) text += fmt::format(" (see its selector #{})", *shortage.selector);
  return text;
}

}  // namespace

bool Shortage::would_do_if_free() const {
  return !std::cmp_less(suitable, wanted);
}

std::string terms(const Shortage& shortage) {
  if (shortage.all) return "all devices of class " + shortage.device_class;
  auto text = count_of(shortage.wanted, "device");
  if (!shortage.device_class.empty()) {
    text += " of class " + shortage.device_class;
  } else if (!shortage.request.empty()) {
    text += fmt::format(" ({})", shortage.request);
  }
  return shortage.together.empty() ? text : text + " that " + shortage.together;
}

std::string kept_out_text(const Shortage& shortage) {
  std::string text;
  for (const auto& kept : shortage.kept_out) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kept.count, kept.how);
  }
  return text;
}

std::string text(const Shortage& shortage) {
  if (!shortage.because.empty()) return shortage.because;
  const bool one = !shortage.request.empty() && !shortage.device_class.empty();
  const auto request = one ? fmt::format("request {} ", shortage.request) : "";
  auto kept_out = kept_out_text(shortage);
  if (!kept_out.empty()) kept_out += ", ";
  const auto has = shortage.would_do_if_free() ? fmt::format("has {}: {}{} left", shortage.suitable,
                                                             kept_out, shortage.left)
                                               : published_text(shortage);
  return fmt::format("{}wants {}; the node {}{}", request, terms(shortage), has,
                     pools_text(shortage));
}

}  // namespace dray::alloc
