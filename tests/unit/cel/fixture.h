#pragma once

#include <string>
#include <string_view>

#include "dray/cel/device_shape.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"

namespace dray::cel {

inline Device test_device() {
  Device device;
  device.attributes = {
      {"healthy", true},
      {"index", std::int64_t{5}},
      {"model", std::string("fish")},
      {"version", VersionText("1.2.3")},
      {"lanes", std::vector<std::int64_t>{1, 2, 3}},
      {"other.io/model", std::string("whale")},
  };
  device.capacity["memory"].value = Quantity::parse("40Gi").value();
  return device;
}

inline ProgramHandle program(std::string_view text, Purpose purpose = Purpose::selector) {
  CompileOptions options;
  options.purpose = purpose;
  return compile(text, options).value();
}

/// What an expression gives for test_device(): `true`, `false`, or why there is no answer.
inline std::string outcome(std::string_view text) {
  const auto compiled = compile(text);
  if (!compiled) return compiled.error().message;
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  const auto result = evaluator.matches(**compiled, *shape);
  if (!result) return result.error().message;
  return *result ? "true" : "false";
}

}  // namespace dray::cel
