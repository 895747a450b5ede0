#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/serve/time_zones.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"
#include "dray/cel/time_zone.h"
#include "tests/cases/cel_values.h"
#include "tests/cases/runner.h"

namespace dray::cases {
namespace {

/// What one expression gives, in the form of the case files.
struct Outcome {
  bool compiled = false;
  std::string compile_error, error_type, type;
  std::uint64_t max_cost = 0;
  Json value;
  std::string error;
  std::uint64_t cost = 0;
};

Outcome run(const Json& c, const Json& device, const cel::CompileOptions& options) {
  Outcome out;
  const auto program = cel::compile(c.at("expr").get<std::string>(), options);
  if (!program) {
    out.compile_error = program.error().message;
    out.error_type =
        program.error().kind == cel::CompileError::Kind::invalid ? "RuleInvalid" : "InternalError";
    return out;
  }
  out.compiled = true;
  out.type = (*program)->output_type();
  out.max_cost = (*program)->max_cost();
  cel::Interner interner;
  const auto shape = device_shape(interner, device);
  cel::Evaluator evaluator;
  const auto variables = bindings(c, options.environment);
  const auto result = evaluator.evaluate(**program, *shape, variables);
  out.cost = result.cost;
  auto fast = cel::Verdict::error;
  if (result.value.is_error()) {
    out.error = cel::Evaluator::error_text(result.value);
  } else {
    out.value = typed_value(result.value);
    if (result.value.is(cel::Kind::boolean)) {
      fast = result.value.boolean ? cel::Verdict::yes : cel::Verdict::no;
    }
  }
  // Selectors are decided by the other way to run a program, without costs.
  if (variables.empty() && !result.value.is(cel::Kind::optional) &&
      evaluator.verdict(**program, *shape) != fast) {
    out.error += " (but another verdict without costs)";
  }
  return out;
}

/// Sorts maps as the case files do, so that order is no difference.
Json normal(const Json& value) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(normal(item));
    return out;
  }
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, inner] : value.items()) out[key] = normal(inner);
  if (out.contains("map")) {
    std::sort(out["map"].begin(), out["map"].end(),
              [](const Json& a, const Json& b) { return a.dump() < b.dump(); });
  }
  return out;
}

/// Compares an outcome with what a re-evaluated case wants.
std::optional<Difference> compare(const Json& want, const Outcome& got, bool prefix) {
  if (want.contains("compile_error")) {
    std::string text = want["compile_error"].get<std::string>();
    if (prefix) text = "compilation failed: " + text;
    if (got.compiled) return Difference{"compiles: " + got.type, text};
    if (want.value("syntax_error", false) || text.find("Syntax error") != std::string::npos) {
      if (same_place(text, got.compile_error)) return std::nullopt;
      return Difference{got.compile_error, text};
    }
    // The conformance files give the text after whichever prefix.
    std::string shown = got.compile_error;
    constexpr std::string_view internal = "program instantiation failed: ";
    if (prefix && shown.starts_with(internal)) {
      shown = "compilation failed: program: " + shown.substr(internal.size());
    }
    if (shown != text) return Difference{got.compile_error, text};
    const std::string type = want.value("error_type", got.error_type);
    if (type != got.error_type) return Difference{got.error_type, type};
    return std::nullopt;
  }
  if (!got.compiled) return Difference{got.compile_error, want.dump()};
  if (want.contains("type") && want["type"] != got.type) {
    return Difference{"type " + got.type, "type " + want["type"].get<std::string>()};
  }
  if (want.value("nondeterministic", false)) return std::nullopt;
  if (want.contains("max_cost") && want["max_cost"].get<std::uint64_t>() != got.max_cost) {
    return Difference{fmt::format("max_cost {}", got.max_cost),
                      "max_cost " + want["max_cost"].dump()};
  }
  if (want.contains("error")) {
    if (got.error != want["error"].get<std::string>()) {
      return Difference{got.error.empty() ? got.value.dump() : got.error, want["error"].dump()};
    }
  } else if (want.contains("value")) {
    if (!got.error.empty() || normal(got.value) != normal(want["value"])) {
      return Difference{got.error.empty() ? got.value.dump() : got.error, want["value"].dump()};
    }
  }
  if (want.contains("cost") && want["cost"].get<std::uint64_t>() != got.cost) {
    return Difference{fmt::format("cost {}", got.cost), "cost " + want["cost"].dump()};
  }
  return std::nullopt;
}

void judge(const Case& c, Report& report, const std::optional<Difference>& difference) {
  const std::string expr = c.json.value("expr", "");
  if (!difference) return report.pass();
  report.fail(c.id() + "  " + expr, difference->got, difference->want);
}

cel::CompileOptions options_of(const Json& c) {
  cel::CompileOptions options;
  options.purpose = cel::Purpose::any;
  if (c.value("env", "stored") == "new") {
    options.environment.kind = cel::Environment::Kind::new_expressions;
  }
  if (c.contains("features")) {
    options.environment.consumable_capacity = c["features"].value("consumableCapacity", false);
    options.environment.list_type_attributes = c["features"].value("listTypeAttributes", false);
  }
  return options;
}

/// A conformance case; `k8s` is what Kubernetes' environment gives.
void conformance(const Case& c, Report& report) {
  const std::string kind = c.json.value("class", "");
  if (kind == "proto") return report.skip("protocol buffer messages");
  if (kind == "wkt") return report.skip("google.protobuf types by name");
  cel::CompileOptions options = options_of(c.json);
  declare(c.json, options.environment);
  judge(c, report, compare(c.json.at("k8s"), run(c.json, Json::object(), options), true));
}

/// DRA's own table: does the device match, at which cost.
void matching(const Case& c, Report& report) {
  const Json& json = c.json;
  cel::CompileOptions options = options_of(json);
  options.purpose =
      json.value("derived", false) ? cel::Purpose::derived_attribute : cel::Purpose::selector;
  if (json.contains("cost_limit")) options.cost_limit = json["cost_limit"].get<std::uint64_t>();
  judge(c, report, compare_match(json, options));
}

/// A selector met in the wild, on each of the devices beside the file.
void wild(const Case& c, Report& report) {
  static const Json devices = read_beside(c.file, "devices.json");
  judge(c, report, compare_wild(c.json, devices));
}

void cel_suite(const Case& c, Report& report) {
  cel::set_time_zone_source(app::read_time_zone);
  const std::string file = c.file.filename().string();
  if (c.json.contains("class")) return conformance(c, report);
  if (file.starts_with("dra_")) return matching(c, report);
  if (c.json.contains("results") || c.json.contains("compile_ok")) return wild(c, report);
  static const Json beside = read_beside(c.file, "gen_device.json");
  const Json& device = c.json.contains("device") ? c.json["device"] : beside;
  cel::CompileOptions options = options_of(c.json);
  declare(c.json, options.environment);
  if (file.find("newenv") != std::string::npos) {
    options.environment.kind = cel::Environment::Kind::new_expressions;
  }
  if (c.json.contains("matches") || c.json.value("selector", false) ||
      file.find("_match") != std::string::npos) {
    return judge(c, report, compare_selector(c.json, device, options));
  }
  judge(c, report, compare(c.json, run(c.json, device, options), false));
}

const Register cel_registered("cel", Suite(cel_suite));

}  // namespace
}  // namespace dray::cases
