#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "wire/validation/context.h"
#include "wire/validation/names.h"
#include "wire/yaml/scalar_place.h"

// Source: pkg/apis/resource/validation/validation.go, pkg/apis/core/validation/validation.go and
// apimachinery's pkg/api/validation/objectmeta.go of Kubernetes 1.37.

namespace dray::wire {
namespace {

constexpr std::size_t max_annotations = std::size_t{256} * 1024;
constexpr std::size_t max_selectors = 32;
constexpr std::size_t max_parameters = std::size_t{10} * 1024;
constexpr std::size_t max_conditions = 4;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (auto& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void check_labels(const Field& labels, FieldErrors& errors) {
  for (const auto& member : labels.members()) {
    check_format("qualifiedName", labels, member.key, errors);
    check_format("labelValue", labels, labels.key(member).text(), errors);
  }
}

void check_annotations(const Field& annotations, FieldErrors& errors) {
  std::size_t bytes = 0;
  for (const auto& member : annotations.members()) {
    FieldErrors found;
    check_format("qualifiedName", annotations, lower_case(member.key), found);
    if (!found.empty()) check_format("qualifiedName", annotations, member.key, errors);
    bytes += member.key.size() + annotations.key(member).text().size();
  }
  if (bytes > max_annotations) errors.too_long(annotations, max_annotations);
}

void check_owners(const Field& owners, FieldErrors& errors) {
  std::string controller;
  for (const auto& owner : owners.items()) {
    for (const auto* name : {"apiVersion", "kind", "name", "uid"}) {
      const auto field = owner.child(name);
      if (field.text().empty()) errors.required(field, "must not be empty");
    }
    const auto version = owner.child("apiVersion");
    const auto parts = std::ranges::count(version.text(), '/');
    if (parts > 1 || version.text().ends_with('/')) {
      errors.invalid(version, version.text(), "must be <group>/<version> or <version>");
    }
    if (!owner.child("controller").boolean()) continue;
    const auto name = fmt::format("{}/{}", owner.child("kind").text(), owner.child("name").text());
    if (controller.empty()) {
      controller = name;
    } else {
      errors.invalid_json(owners, owners.json(),
                          fmt::format("Only one reference can have Controller set to true. Found "
                                      "\"true\" in references for {} and {}",
                                      controller, name));
    }
  }
}

/// The index, in code points, of `<input>:LINE:COLUMN` in the expression that a message is about.
std::size_t error_index(std::string_view message, std::string_view expression) {
  constexpr std::string_view mark = "<input>:";
  const auto at = message.find(mark);
  if (at == std::string_view::npos) return 0;
  const char* end = message.data() + message.size();
  int line = 0;
  int column = 0;
  const auto read = std::from_chars(message.data() + at + mark.size(), end, line);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') return 0;
  if (std::from_chars(read.ptr + 1, end, column).ec != std::errc()) return 0;
  std::size_t index = 0;
  for (const char c : expression) {
    if (line <= 1) break;
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++index;
    if (c == '\n') --line;
  }
  return index + static_cast<std::size_t>(column > 0 ? column - 1 : 0);
}

void check_requirement(const Field& requirement, FieldErrors& errors) {
  const auto values = requirement.child("values");
  const auto op = requirement.child("operator");
  const auto count = values.items().size();
  if (op.text() == "In" || op.text() == "NotIn") {
    if (count == 0) {
      errors.required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op.text() == "Exists" || op.text() == "DoesNotExist") {
    if (count > 0) {
      errors.forbidden(values,
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op.text() == "Gt" || op.text() == "Lt") {
    if (count != 1) {
      errors.required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.invalid(op, op.text(), "not a valid selector operator");
  }
  check_label_key(requirement.child("key"), errors);
  for (const auto& value : values.items()) check_label_value(value, errors);
}

void check_field_requirement(const Field& requirement, FieldErrors& errors) {
  const auto values = requirement.child("values");
  const auto op = requirement.child("operator");
  if (op.text() == "In" || op.text() == "NotIn") {
    if (values.items().size() != 1) {
      errors.required(values,
                      "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                      "selector");
    }
  } else {
    errors.invalid(op, op.text(), "not a valid selector operator");
  }
  const auto key = requirement.child("key");
  if (key.text() != "metadata.name") {
    errors.invalid(key, key.text(), "not a valid field selector key");
    return;
  }
  for (const auto& value : values.items()) check_subdomain(value, errors);
}

}  // namespace

void check_list(const Field& list, std::size_t most, FieldErrors& errors,
                const std::function<void(const Field&)>& check) {
  const auto items = list.items();
  if (items.size() > most) return errors.too_many(list, items.size(), most);
  for (const auto& item : items) check(item);
}

void check_set(const Field& list, std::size_t most, FieldErrors& errors,
               const std::function<void(const Field&)>& check,
               const std::function<std::string(const Field&)>& key) {
  const auto items = list.items();
  if (items.size() > most) return errors.too_many(list, items.size(), most);
  for (const auto& item : items) check(item);
  std::set<std::string> seen;
  for (const auto& item : items) {
    auto name = key(item);
    if (!seen.insert(name).second) errors.duplicate(item, name);
  }
}

void check_meta(const Field& meta, FieldErrors& errors) {
  const auto name = meta.child("name");
  if (!name.text().empty()) {
    check_subdomain(name, errors);
  } else if (const auto prefix = meta.child("generateName"); prefix.text().empty()) {
    errors.required(name, "name or generateName is required");
  } else {
    check_format("dns1123SubdomainPrefix", prefix, prefix.text(), errors);
  }
  check_labels(meta.child("labels"), errors);
  check_annotations(meta.child("annotations"), errors);
  check_owners(meta.child("ownerReferences"), errors);
  const auto finalizers = meta.child("finalizers");
  for (const auto& finalizer : finalizers.items()) {
    check_format("qualifiedName", finalizers, finalizer.text(), errors);
    const auto text = finalizer.text();
    const bool known = text.find('/') != std::string_view::npos || text == "kubernetes" ||
                       text == "orphan" || text == "foregroundDeletion";
    if (!known) {
      errors.invalid(finalizer, text,
                     "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}

void check_namespaced_meta(const Field& meta, FieldErrors& errors) {
  check_meta(meta, errors);
  if (const auto space = meta.child("namespace"); !space.text().empty()) {
    check_label_name(space, errors);
  }
}

void check_template_meta(const Field& meta, FieldErrors& errors) {
  check_annotations(meta.child("annotations"), errors);
  check_labels(meta.child("labels"), errors);
  for (const auto& member : meta.members()) {
    if (member.key == "annotations" || member.key == "labels") continue;
    const auto field = meta.child(member.key);
    const bool is_set = field.present() && !(field.text().empty() && field.items().empty());
    if (is_set) errors.forbidden(field, "cannot be set");
  }
}

void check_node_selector(const Field& selector, FieldErrors& errors) {
  const auto terms = selector.child("nodeSelectorTerms");
  if (terms.items().empty()) {
    return errors.required(terms, "must have at least one node selector term");
  }
  for (const auto& term : terms.items()) {
    for (const auto& each : term.child("matchExpressions").items()) {
      check_requirement(each, errors);
    }
    for (const auto& each : term.child("matchFields").items()) {
      check_field_requirement(each, errors);
    }
  }
}

void check_taint(const Field& taint, FieldErrors& errors) {
  check_label_key(taint.child("key"), errors);
  check_label_value(taint.child("value"), errors);
  const auto effect = taint.child("effect");
  if (effect.text().empty()) {
    errors.required(effect);
  } else if (effect.text() != "NoSchedule" && effect.text() != "NoExecute" &&
             effect.text() != "None") {
    errors.not_supported(effect, effect.text(), {"NoExecute", "NoSchedule", "None"});
  }
}

std::uint64_t check_expression(const Field& expression, cel::Purpose purpose,
                               const ValidationContext& context) {
  ++context.expressions;
  auto& errors = context.errors;
  const auto text = expression.text();
  const auto move_into = [&](std::size_t index) {
    if (expression.node() == nullptr) return;
    errors.move_last(place_in_scalar(context.text, *expression.node(), index));
  };
  if (text.size() > cel::max_expression_length) {
    errors.too_long(expression, cel::max_expression_length);
    move_into(0);
    return 0;
  }
  cel::CompileOptions options;
  options.environment.kind = cel::Environment::Kind::new_expressions;
  options.purpose = purpose;
  const auto program = cel::compile(std::string(text), options);
  if (!program) {
    const auto& error = program.error();
    if (error.kind == cel::CompileError::Kind::internal) {
      errors.add(expression, "Internal error: " + error.message);
    } else {
      errors.invalid(expression, text, error.message);
    }
    move_into(error_index(error.message, text));
    return 0;
  }
  if ((*program)->max_cost() > cel::default_cost_limit) {
    errors.forbidden(expression, "too complex, exceeds cost limit");
    move_into(0);
  }
  return (*program)->max_cost();
}

void check_expressions_of(const Field& selectors, const ValidationContext& context) {
  for (const auto& selector : selectors.items()) {
    const auto expression = selector.child("cel").child("expression");
    if (expression.present()) check_expression(expression, cel::Purpose::selector, context);
  }
}

void check_selectors(const Field& selectors, const ValidationContext& context) {
  check_list(selectors, max_selectors, context.errors, [&](const Field& selector) {
    const auto cel = selector.child("cel");
    if (!cel.present()) return context.errors.required(cel);
    check_expression(cel.child("expression"), cel::Purpose::selector, context);
  });
}

void check_opaque(const Field& config, FieldErrors& errors) {
  const auto opaque = config.child("opaque");
  if (!opaque.present()) return errors.required(opaque);
  const auto driver = opaque.child("driver");
  check_driver_name(driver, driver.text(), errors);
  const auto parameters = opaque.child("parameters");
  if (!parameters.present()) {
    errors.required(parameters);
  } else if (parameters.json().size() > max_parameters) {
    errors.too_long(parameters, max_parameters);
  } else if (parameters.node()->kind != ConfigNode::Kind::map) {
    errors.invalid(parameters, "<value omitted>", "must be a valid JSON object");
  }
}

void check_binding_conditions(const Field& owner, FieldErrors& errors) {
  const auto conditions = owner.child("bindingConditions");
  const auto failures = owner.child("bindingFailureConditions");
  const auto key = [&](const Field& item) { check_label_key(item, errors); };
  check_list(conditions, max_conditions, errors, key);
  check_list(failures, max_conditions, errors, key);
  const auto distinct = [&](const Field& list) {
    std::set<std::string, std::less<>> seen;
    for (const auto& item : list.items()) {
      if (!seen.emplace(item.text()).second) errors.duplicate(item, item.text());
    }
    return seen;
  };
  const auto known = distinct(conditions);
  distinct(failures);
  for (const auto& item : failures.items()) {
    if (known.contains(item.text())) {
      errors.invalid(item, item.text(),
                     "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
  const bool any = !conditions.items().empty();
  const bool any_failure = !failures.items().empty();
  if (!any && any_failure) {
    errors.invalid_json(conditions, "null",
                        "bindingConditions are required to use bindingFailureConditions");
  }
  if (any && !any_failure) {
    errors.invalid_json(failures, "null",
                        "bindingFailureConditions are required to use bindingConditions");
  }
}

}  // namespace dray::wire
