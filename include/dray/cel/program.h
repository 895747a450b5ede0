#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dray/cel/device_shape.h"

namespace dray::cel {

struct Plan;  // the lowered expression; src/cel only

/// A variable beside `device`; its type as cel-go prints it: `map(string, dyn)`.
struct Variable {
  std::string name;
  std::string type;
};

/// A function that an environment declares, to check calls with; it has no implementation.
struct FunctionDeclaration {
  /// One signature, as cel-go names it.
  struct Overload {
    std::string id;
    bool member = false;
    std::vector<std::string> args;  ///< types as above, `<T>` for a parameter
    std::string result;
  };
  std::string name;
  std::vector<Overload> overloads;
};

/// Which of Kubernetes' two environments an expression is compiled in.
struct Environment {
  enum class Kind : std::uint8_t {
    stored,           ///< schedulers, and so dray: everything is declared, gates do not count
    new_expressions,  ///< the API server's check of new or changed selectors
  };
  Kind kind = Kind::stored;
  // Feature gates, as 1.37 has them by default; they count in new_expressions only.
  bool consumable_capacity = true;
  bool list_type_attributes = false;

  /// Kubernetes declares `device` only; conformance tests and other users of CEL have more.
  std::vector<Variable> variables;
  std::vector<FunctionDeclaration> functions;
  /// The namespace in which names are sought first: `a.b`.
  std::string container;
};

/// What the result may be.
enum class Purpose : std::uint8_t {
  selector,           ///< bool or the attribute type
  derived_attribute,  ///< bool, int, string, semver, the attribute type, or a list of them
  any,                ///< whatever the expression gives
};

/// Expressions longer than this (in bytes) are refused by the API server before compiling.
inline constexpr std::size_t max_expression_length = std::size_t{10} * 1024;
/// CELSelectorExpressionMaxCost: a run that costs more is an error.
inline constexpr std::uint64_t default_cost_limit = 1'000'000;

/// What an expression is compiled for.
struct CompileOptions {
  Environment environment;
  Purpose purpose = Purpose::selector;
  std::uint64_t cost_limit = default_cost_limit;
};

/// Why an expression does not compile. The message is upstream's, position and caret line included.
struct CompileError {
  enum class Kind : std::uint8_t { invalid, internal };
  Kind kind = Kind::invalid;
  std::string message;

  bool operator==(const CompileError&) const = default;
};

/// What a program can look at. Two devices that agree in all of it get the same result.
struct Reads {
  bool everything = false;  ///< not known name by name: the names below are then not complete
  bool driver = false;
  bool allow_multiple = false;
  std::vector<Name> names;  ///< sorted
};

/// A compiled expression. Immutable: any thread may evaluate it, each with its own Evaluator.
class Program {
 public:
  /// For compile() alone.
  explicit Program(std::unique_ptr<const Plan> plan);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] const std::string& text() const;  ///< as it was written
  /// The checked type as Kubernetes prints it: `bool`, `list(int)`.
  [[nodiscard]] const std::string& output_type() const;
  /// Upstream's estimate of the worst cost; more than default_cost_limit is refused for new
  /// objects.
  [[nodiscard]] std::uint64_t max_cost() const;
  [[nodiscard]] const Reads& reads() const;
  /// For the evaluator alone.
  [[nodiscard]] const Plan& plan() const { return *plan_; }

 private:
  std::unique_ptr<const Plan> plan_;
};

using ProgramHandle = std::shared_ptr<const Program>;

/// Thread-safe. Never more work than the text's size allows: nesting, length and error counts are
/// bounded as upstream's.
[[nodiscard]] std::expected<ProgramHandle, CompileError> compile(
    std::string_view text, const CompileOptions& options = {});

}  // namespace dray::cel
