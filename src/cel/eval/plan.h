#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/check/checker.h"
#include "cel/syntax/ast.h"
#include "cel/text/regex.h"
#include "cel/value/arena.h"
#include "cel/value/constant_set.h"
#include "cel/value/runtime.h"
#include "cel/value/serial.h"
#include "cel/value/trait.h"
#include "dray/cel/program.h"

namespace dray::cel {

struct Node;
struct Path;
class Evaluation;

/// What calls run; `args` of a member call start with the target.
using Implementation = Value (*)(Evaluation& run, std::span<const Value> args);

/// One overload at run time.
struct BoundOverload {
  std::string_view id{};
  std::span<const Type* const> types{};  ///< empty: takes anything
  Implementation run = nullptr;
};

/// How many operands cel-go evaluates a call with, which its error texts show.
enum class CallForm : std::uint8_t { none, one, two, many };

struct Call {
  std::string_view function;
  std::string_view overload;  ///< empty where the checker left several
  CallForm form = CallForm::one;
  bool lazy_errors = false;   ///< takes errors as arguments
  Trait trait = Trait::none;  ///< what the first operand must be able to do
  /// Tried in order; one overload that does not fit is an error as well.
  std::span<const BoundOverload> candidates;
  std::span<Node*> args;
  const Regex* regex = nullptr;  ///< a constant pattern, compiled
  std::uint16_t cost = 0;        ///< which rule the cost tracker uses
  bool folded = false;           ///< of constants only: `result`, an error or not
  int presence = -1;             ///< `"x" in device.capacity["d"]`: whether plan.names[presence] is
  Value result{};
};

/// `.name`, `["key"]`, `[?i]`, `[expr]` behind a value.
struct Qualifier {
  ExprId id = 0;
  bool optional = false;
  bool test_only = false;    ///< has(): the answer is whether it is there
  Value key{};               ///< if `computed` is null
  Path* computed = nullptr;  ///< the key is this path's value
  bool relative = false;     ///< computed by an expression that is no path itself
};

/// cel-go's Attribute: a variable, a value or a conditional with qualifiers.
struct Path {
  enum class Root : std::uint8_t {
    device,
    variable,
    accumulator,
    first_variable,
    second_variable,
    value,
    conditional
  };
  Root root = Root::device;
  ExprId own_id = 0;
  int fold = -1;  ///< the comprehension whose variable it is, or the environment's variable
  Node* operand = nullptr;  ///< value; conditional: the condition
  Path* then = nullptr;
  Path* otherwise = nullptr;
  std::vector<Qualifier> qualifiers;
  int read = -1;  ///< the first three steps are plan.names[read]
  enum class Shortcut : std::uint8_t {
    none,
    driver,
    allow_multiple,
    name,
    has_name,
    optional_name,
    within_name  ///< more steps follow
  };
  Shortcut shortcut = Shortcut::none;

  [[nodiscard]] ExprId id() const;
};

struct Fold {
  int index = 0;
  bool two_variables = false;
  Node* range = nullptr;
  Node* accu_init = nullptr;
  Node* condition = nullptr;
  Node* step = nullptr;
  Node* result = nullptr;
};

enum class NodeKind : std::uint8_t {
  constant,
  path,
  has,  ///< a path whose last qualifier is test-only
  logical_and,
  logical_or,
  equal,
  not_equal,
  call,
  list,
  map,
  fold,
  in_set,
  optional_or,
  optional_or_value,
};

/// cel-go's Interpretable.
struct Node {
  NodeKind kind = NodeKind::constant;
  ExprId own_id = 0;
  Value constant;
  Path* path = nullptr;
  std::span<Node*> args;      ///< and, or, equal, list, map (key, value, ...), in_set, optional
  std::span<bool> optionals;  ///< list, map (by entry); empty: none
  Call* call = nullptr;
  Fold* fold = nullptr;
  const ConstantSet* set = nullptr;
  std::uint16_t equal_cost = 0;

  [[nodiscard]] ExprId id() const {
    return path != nullptr && kind == NodeKind::path ? path->id() : own_id;
  }
};

/// A program's inside. Immutable once made.
struct Plan {
  explicit Plan(std::string_view source) : text(source), ast(text) {}

  std::uint64_t serial = next_serial();
  std::string text;
  Ast ast;
  Checked checked;
  std::string output_type;
  std::uint64_t max_cost = 0;
  std::uint64_t cost_limit = default_cost_limit;
  Reads reads;
  bool always_tracked = false;  ///< its result may depend on the tracking of its cost

  Node* root = nullptr;
  int folds = 0;
  std::shared_ptr<Evaluation> folder;  ///< owns what folded constants point at
  std::deque<Path> paths;
  std::deque<Regex> regexes;
  std::deque<ConstantSet> sets;
  /// What shortcuts read, by Path::read.
  std::vector<Name> names;
};

/// Turns the checked tree into nodes, folding as cel-go's planner does. False with cel-go's message
/// where it refuses to make a program.
[[nodiscard]] bool lower(Plan& plan, std::string& error);

/// What the plan can read of a device.
[[nodiscard]] Reads find_reads(const Ast& ast);

}  // namespace dray::cel
