#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dray/base/error.h"
#include "dray/cel/device_shape.h"
#include "dray/cel/program.h"

namespace dray::cel {

/// What a selector says of a device.
enum class Verdict : std::uint8_t { no, yes, error };

/// Runs programs; keeps the memory of one evaluation for the next, so that in the steady state
/// nothing is allocated. One thread at a time.
class Evaluator {
 public:
  Evaluator();
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  /// Upstream's DeviceMatches without any text.
  [[nodiscard]] Verdict verdict(const Program& program, const DeviceShape& device);

  /// DeviceMatches with upstream's run-time error text, the "no such key" hint included.
  [[nodiscard]] Result<bool> matches(const Program& program, const DeviceShape& device);

  /// EvaluateDerivedAttribute: the result as an attribute.
  [[nodiscard]] Result<AttributeValue> derive(const Program& program, const DeviceShape& device);

  /// The plain result with its cost: for tests and explanations. `value` is good until the next
  /// call and as long as program and device are.
  struct Outcome {
    Value value;
    std::uint64_t cost = 0;
    bool cancelled = false;  ///< the cost limit was exceeded: `cost` says how far it went
  };
  /// `variables` are the values of the environment's, in its order.
  [[nodiscard]] Outcome evaluate(const Program& program, const DeviceShape& device,
                                 std::span<const Value> variables = {});
  /// The text of an error value, without the hint.
  [[nodiscard]] static std::string error_text(const Value& error);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Adds the hint that upstream puts behind "no such key".
[[nodiscard]] std::string with_hint(std::string message);

}  // namespace dray::cel
