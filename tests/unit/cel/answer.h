#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "cel/eval/evaluation.h"
#include "cel/value/value_text.h"
#include "tests/unit/cel/fixture.h"

namespace dray::cel {

/// What an expression of any type gives for test_device().
struct Answer {
  std::string value;  ///< as an expression would write it; or why there is none
  std::uint64_t cost = 0;
};

/// Runs an expression as it is run with its cost counted, or as most selectors are: without.
inline Answer answer(std::string_view text, bool counted = true) {
  CompileOptions options;
  options.purpose = Purpose::any;
  const auto compiled = compile(text, options);
  if (!compiled) return {compiled.error().message};
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluation evaluation;
  const Value value = evaluation.run((*compiled)->plan(), *shape, counted);
  return {value_text(value), evaluation.costs.cost()};
}

/// An expression and what it gives, however it is run.
struct AnswerRow {
  std::string name;
  std::string text;
  std::string want;
};
inline void check_both_ways(const AnswerRow& row) {
  CHECK(answer(row.text, true).value == row.want);
  CHECK(answer(row.text, false).value == row.want);
}

}  // namespace dray::cel
