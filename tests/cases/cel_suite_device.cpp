#include <fmt/format.h>

#include "dray/cel/selector_memo.h"
#include "tests/cases/cel_values.h"

// Cases that match devices: DRA's own table and selectors met in the wild.

namespace dray::cases {

namespace {

struct Match {
  std::string error;
  bool matches = false;
  std::uint64_t cost = 0;
};

Match match(const cel::Program& program, const cel::DeviceShape& device) {
  cel::Evaluator evaluator;
  Match out;
  const auto result = evaluator.matches(program, device);
  if (result) {
    out.matches = *result;
  } else {
    out.error = result.error().message;
  }
  if (!device.conversion_error()) out.cost = evaluator.evaluate(program, device).cost;
  return out;
}

/// Memoised and plain evaluation must say the same.
std::optional<Difference> compare_memo(const cel::ProgramHandle& program,
                                       const cel::DeviceShapeHandle& device, const Match& match) {
  cel::SelectorMemo memo;
  const cel::Verdict want = !match.error.empty() ? cel::Verdict::error
                            : match.matches      ? cel::Verdict::yes
                                                 : cel::Verdict::no;
  for (int i = 0; i < 2; ++i) {
    if (memo.match(program, device) != want) return Difference{"another memo", "the evaluation"};
  }
  return std::nullopt;
}

std::optional<Difference> differ(std::string got, std::string want) {
  return Difference{std::move(got), std::move(want)};
}

/// Syntax errors agree by place only.
bool same_compile_error(const std::string& got, const std::string& want) {
  return got == want || (want.find("Syntax error") != std::string::npos && same_place(got, want));
}

std::string type_name(cel::CompileError::Kind kind) {
  return kind == cel::CompileError::Kind::invalid ? "RuleInvalid" : "InternalError";
}

/// `dra_compile_test`: texts are contained, not equal.
std::optional<Difference> compare_table(const Json& json, const cel::CompileOptions& options) {
  const auto program = cel::compile(json.at("expr").get<std::string>(), options);
  if (json.contains("expect_compile_error")) {
    const auto want = json["expect_compile_error"].get<std::string>();
    if (program) return differ("compiles", want);
    if (program.error().message.find(want) == std::string::npos) {
      return differ(program.error().message, want);
    }
    return std::nullopt;
  }
  if (!program) return differ(program.error().message, "compiles");
  cel::Interner interner;
  const auto device = device_shape(interner, json.at("device"));
  const Match got = match(**program, *device);
  if (json.contains("expect_match_error")) {
    const auto want = json["expect_match_error"].get<std::string>();
    if (got.error.find(want) == std::string::npos) return differ(got.error, want);
  } else if (!got.error.empty() || got.matches != json.value("expect_match", false)) {
    return differ(got.error.empty() ? fmt::format("{}", got.matches) : got.error, json.dump());
  }
  // An expression that stops early has used less than the table's estimate.
  if (json.contains("expect_cost") &&
      (*program)->max_cost() != json["expect_cost"].get<std::uint64_t>()) {
    return differ(fmt::format("max_cost {}", (*program)->max_cost()), json["expect_cost"].dump());
  }
  return compare_memo(*program, device, got);
}

/// `<input>:1:5` before `mark`, or the first one.
std::string place(const std::string& message, std::string_view mark) {
  const auto end = message.find(mark);
  const auto at = message.rfind("<input>:", end);
  return end == std::string::npos || at == std::string::npos ? std::string()
                                                             : message.substr(at, end - at);
}

}  // namespace

bool same_place(const std::string& a, const std::string& b) {
  constexpr std::string_view syntax = ": Syntax error";
  const auto first = [](const std::string& text) {
    const auto at = text.find("<input>:");
    return at == std::string::npos ? text : text.substr(at, text.find(": ", at) - at);
  };
  return first(a) == first(b) ||
         (!place(a, syntax).empty() && place(a, syntax) == place(b, syntax));
}

std::optional<Difference> compare_match(const Json& json, const cel::CompileOptions& options) {
  if (!json.contains("compile")) return compare_table(json, options);
  const auto program = cel::compile(json.at("expr").get<std::string>(), options);
  const Json& compile = json["compile"];
  if (!compile.value("ok", false)) {
    const auto want = compile.value("error", "");
    if (program) return differ("compiles", want);
    if (!same_compile_error(program.error().message, want)) {
      return differ(program.error().message, want);
    }
    const std::string type = type_name(program.error().kind);
    if (compile.contains("error_type") && type != compile["error_type"].get<std::string>()) {
      return differ(type, compile["error_type"].dump());
    }
    return std::nullopt;
  }
  if (!program) return differ(program.error().message, compile.dump());
  if (compile.contains("type") && compile["type"] != (*program)->output_type()) {
    return differ((*program)->output_type(), compile["type"].dump());
  }
  if (compile.contains("max_cost") &&
      compile["max_cost"].get<std::uint64_t>() != (*program)->max_cost()) {
    return differ(fmt::format("max_cost {}", (*program)->max_cost()), compile["max_cost"].dump());
  }
  if (!json.contains("result")) return std::nullopt;
  const Json& result = json["result"];
  cel::Interner interner;
  const auto device = device_shape(interner, json.at("device"));
  const Match got = match(**program, *device);
  if (result.contains("error")) {
    const auto want = result.value("enhanced", result["error"].get<std::string>());
    if (got.error != want && got.error != cel::with_hint(want)) return differ(got.error, want);
  } else if (!got.error.empty() || got.matches != result.value("matches", false)) {
    return differ(got.error.empty() ? fmt::format("{}", got.matches) : got.error, result.dump());
  }
  if (result.contains("cost") && result["cost"].get<std::uint64_t>() != got.cost) {
    return differ(fmt::format("cost {}", got.cost), result["cost"].dump());
  }
  return compare_memo(*program, device, got);
}

std::optional<Difference> compare_selector(const Json& json, const Json& device,
                                           const cel::CompileOptions& options) {
  cel::CompileOptions selector = options;
  selector.purpose = cel::Purpose::selector;
  Json nested = {{"expr", json.at("expr")}, {"device", device}};
  if (json.contains("compile_error")) {
    nested["compile"] = {{"ok", false}, {"error", json["compile_error"]}};
    if (json.contains("error_type")) nested["compile"]["error_type"] = json["error_type"];
    return compare_match(nested, selector);
  }
  nested["compile"] = {{"ok", true}};
  for (const char* key : {"type", "max_cost"}) {
    if (json.contains(key)) nested["compile"][key] = json[key];
  }
  nested["result"] = Json::object();
  for (const char* key : {"error", "matches", "cost"}) {
    if (json.contains(key)) nested["result"][key] = json[key];
  }
  return compare_match(nested, selector);
}

std::optional<Difference> compare_wild(const Json& json, const Json& devices) {
  cel::CompileOptions options;
  if (!json.value("compile_ok", false)) {
    return compare_selector(json, Json::object(), options);
  }
  for (const auto& [name, result] : json.at("results").items()) {
    Json one = {{"expr", json["expr"]}, {"type", json["type"]}, {"max_cost", json["max_cost"]}};
    one.update(result);
    if (auto difference = compare_selector(one, devices.at(name), options)) {
      difference->got = name + ": " + difference->got;
      return difference;
    }
  }
  if (!json.contains("new_env_ok")) return std::nullopt;
  options.environment.kind = cel::Environment::Kind::new_expressions;
  const auto program = cel::compile(json["expr"].get<std::string>(), options);
  if (program.has_value() != json["new_env_ok"].get<bool>()) {
    return differ(program ? "compiles as new" : program.error().message, "the other way");
  }
  if (program && json.contains("new_env_max_cost") &&
      json["new_env_max_cost"].get<std::uint64_t>() != (*program)->max_cost()) {
    return differ(fmt::format("new max_cost {}", (*program)->max_cost()),
                  json["new_env_max_cost"].dump());
  }
  return std::nullopt;
}

}  // namespace dray::cases
