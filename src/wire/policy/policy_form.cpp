#include "wire/policy/policy_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>

#include "dray/base/quantity.h"
#include "dray/base/suggest.h"
#include "wire/policy/policy_manifest.h"
#include "wire/yaml/duration.h"

namespace dray::wire {

namespace {

using Kind = ConfigNode::Kind;

std::string found(const ConfigNode& node) {
  switch (node.kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return fmt::format("`{}`", node.text);
    case Kind::list:
      return "a list";
    case Kind::map:
      break;
  }
  return "fields";
}

Kind kind_of(Form form) {
  if (form == Form::list) return Kind::list;
  const bool has_members = form == Form::object || form == Form::map || form == Form::manifest;
  return has_members ? Kind::map : Kind::scalar;
}

template <class T>
bool parses(const std::string& text, T& value) {
  const auto* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

bool is_number(const std::string& text) {
  double value = 0;
  return parses(text, value) && std::isfinite(value);
}

bool is_integer(const std::string& text, std::int32_t minimum) {
  std::int32_t value = 0;
  return parses(text, value) && value >= minimum;
}

}  // namespace

bool is_of_form(const ConfigNode& scalar, const PolicyShape& shape) {
  const auto& text = scalar.text;
  switch (shape.form) {
    case Form::text:
      return !text.empty();
    case Form::word:
      return std::ranges::find(shape.words, text) != shape.words.end();
    case Form::boolean:
      return !scalar.quoted && (text == "true" || text == "false");
    case Form::integer:
      return !scalar.quoted && is_integer(text, shape.minimum);
    case Form::number:
      return !scalar.quoted && is_number(text);
    case Form::quantity:
      return Quantity::parse(text).has_value();
    case Form::bound:
      return text == "unlimited" || Quantity::parse(text).has_value();
    case Form::duration:
      return parse_duration(text).has_value();
    case Form::object:
    case Form::map:
    case Form::list:
    case Form::manifest:
      break;
  }
  return false;
}

void PolicyForm::error(TextPlace place, const std::string& path, std::string text) {
  problems_.push_back({policy::ConfigProblem::Severity::error, place, path, std::move(text)});
}

void PolicyForm::check(const ConfigNode& node, const PolicyShape& shape, const std::string& path) {
  places_.try_emplace(path, node.place);
  const auto kind = kind_of(shape.form);
  if (node.kind != kind) {
    if (shape.alternative != nullptr && kind_of(shape.alternative->form) == node.kind) {
      return check(node, *shape.alternative, path);
    }
    return error(node.place, path,
                 fmt::format("expected {}, not {}", expected(shape), found(node)));
  }
  if (shape.form == Form::object) return check_object(node, shape, path);
  if (shape.form == Form::map) return check_members(node, shape, path);
  if (shape.form == Form::manifest) {
    const auto read = read_manifest(node, shape.words.front());
    if (!read) error(node.place, path, read.error().message);
    return;
  }
  if (shape.form != Form::list) return check_scalar(node, shape, path);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    check(node.items[i], *shape.item, fmt::format("{}[{}]", path, i));
  }
}

void PolicyForm::check_object(const ConfigNode& node, const PolicyShape& shape,
                              const std::string& path) {
  const auto below = [&](std::string_view key) {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  };
  std::set<std::string_view> seen;
  for (const auto& member : node.members) {
    const auto field = std::ranges::find(shape.fields, member.key, &PolicyField::key);
    if (field == shape.fields.end()) {
      std::vector<std::string> known;
      known.reserve(shape.fields.size());
      for (const auto& f : shape.fields) known.emplace_back(f.key);
      error(member.place, below(member.key),
            fmt::format("no such field{}", suggest(member.key, known)));
    } else if (!seen.insert(member.key).second) {
      error(member.place, below(member.key), "is there already");
    } else {
      check(member.value, *field->shape, below(member.key));
    }
  }
  for (const auto& field : shape.fields) {
    if (field.required && !seen.contains(field.key)) {
      error(node.place, below(field.key), fmt::format("is missing: {}", expected(*field.shape)));
    }
  }
}

void PolicyForm::check_members(const ConfigNode& node, const PolicyShape& shape,
                               const std::string& path) {
  std::set<std::string_view> seen;
  for (const auto& member : node.members) {
    const auto below = fmt::format("{}.{}", path, member.key);
    if (!seen.insert(member.key).second) {
      error(member.place, below, "is there already");
    } else {
      check(member.value, *shape.item, below);
    }
  }
}

void PolicyForm::check_scalar(const ConfigNode& node, const PolicyShape& shape,
                              const std::string& path) {
  if (is_of_form(node, shape)) return;
  auto text = fmt::format("expected {}, not {}", expected(shape), found(node));
  if (shape.form == Form::word) {
    const std::vector<std::string> words(shape.words.begin(), shape.words.end());
    text += suggest_near(node.text, words);
  }
  error(node.place, path, std::move(text));
}

TextPlace PolicyForm::place_of(std::string path) const {
  for (;;) {
    if (const auto it = places_.find(path); it != places_.end()) return it->second;
    const auto cut = path.find_last_of(".[");
    if (cut == std::string::npos) break;
    path.resize(cut);
  }
  const auto root = places_.find("");
  return root == places_.end() ? TextPlace{} : root->second;
}

}  // namespace dray::wire
