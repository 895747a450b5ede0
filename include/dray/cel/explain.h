#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"

namespace dray::cel {

/// A sub-expression with its value on one device.
struct ExplainedPart {
  std::string text;
  int depth = 0;        ///< 0: the whole expression
  std::string value;    ///< as CEL writes it, `"A100"`; of an error its text
  bool failed = false;  ///< `value` is an error's
  bool reached = true;  ///< false: && || ?: had their answer without it
};

/// Says why a selector gives what it gives. Immutable after make(); one thread at a time.
class Explainer {
 public:
  /// Compiles the expression; the Error is what compile() would say.
  [[nodiscard]] static std::expected<Explainer, CompileError> make(
      std::string_view expression, const CompileOptions& options = {});
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;

  /// What is explained.
  [[nodiscard]] const ProgramHandle& program() const;

  /// Every sub-expression but literals and what is within macros, the outer before the inner. A
  /// device with an attribute that cannot be converted has one part only: that error.
  [[nodiscard]] std::vector<ExplainedPart> explain(const DeviceShape& device);
  /// The sub-expression that made the whole what it is: down through && || ! ?: to the first one
  /// that settled it, or to the innermost that failed; and then the parts that it is made of.
  [[nodiscard]] std::vector<ExplainedPart> decision(const DeviceShape& device);

 private:
  struct State;
  explicit Explainer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dray::cel
