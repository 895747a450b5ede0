#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cel/syntax/source.h"
#include "cel/value/arena.h"
#include "dray/cel/value.h"

namespace dray::cel {

using ExprId = std::int32_t;

enum class ExprKind : std::uint8_t {
  unspecified,  ///< where an error was reported
  literal,
  ident,
  select,
  call,
  list,
  map,
  object,
  comprehension,
};

struct Expr;

/// A map entry, or a field of an object literal (then `key` is null and `field` is set).
struct Entry {
  ExprId id = 0;
  Expr* key = nullptr;
  std::string_view field{};
  Expr* value = nullptr;
  bool optional = false;
};

struct Comprehension {
  Expr* range = nullptr;
  std::string_view iter_var{};
  std::string_view iter_var2{};  ///< empty in the one-variable form
  std::string_view accu_var{};
  Expr* accu_init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

/// One node; which members count depends on `kind`.
struct Expr {
  ExprId id = 0;
  ExprKind kind = ExprKind::unspecified;
  bool test_only = false;          ///< select: has()
  bool optional_elements = false;  ///< list: `optionals` counts
  int height = 0;                  ///< how deep cel-go's visitor would recurse
  Value literal;                   ///< literal
  std::string_view name;           ///< ident, select (field), call (function), object (type)
  Expr* operand = nullptr;         ///< select; call: the target, if any
  std::span<Expr*> args;           ///< call, list
  std::span<bool> optionals;       ///< list
  std::span<Entry> entries;        ///< map, object
  Comprehension* fold = nullptr;   ///< comprehension
};

/// A parsed expression. Ids are cel-go's: run-time messages and cost tracking use them.
struct Ast {
  explicit Ast(std::string_view text) : source(text) {}

  Arena arena;
  Source source;
  Expr* root = nullptr;
  std::vector<std::int32_t> offsets;  ///< by id; -1 where there is none

  [[nodiscard]] Location location(ExprId id) const {
    const auto index = static_cast<std::size_t>(id);
    if (id < 0 || index >= offsets.size() || offsets[index] < 0) return {};
    return source.location(offsets[index]);
  }
};

/// Makes nodes with fresh ids, as cel-go's parserHelper.
class AstBuilder {
 public:
  explicit AstBuilder(Ast& ast) : ast_(ast) { ast_.offsets.assign(1, -1); }

  ExprId id(std::int32_t offset) {
    ast_.offsets.resize(static_cast<std::size_t>(next_id_) + 1, -1);
    ast_.offsets[static_cast<std::size_t>(next_id_)] = offset;
    return next_id_++;
  }
  [[nodiscard]] std::int32_t offset(ExprId id) const {
    const auto index = static_cast<std::size_t>(id);
    return id >= 0 && index < ast_.offsets.size() ? ast_.offsets[index] : -1;
  }
  void set_offset(ExprId id, std::int32_t offset) {
    ast_.offsets[static_cast<std::size_t>(id)] = offset;
  }
  void drop_id(ExprId id) {
    set_offset(id, -1);
    if (id == next_id_ - 1) --next_id_;
  }

  Expr* unspecified(ExprId id) { return node(id, ExprKind::unspecified); }
  Expr* literal(ExprId id, Value value);
  Expr* ident(ExprId id, std::string_view name);
  Expr* select(ExprId id, Expr* operand, std::string_view field, bool test_only = false);
  Expr* call(ExprId id, std::string_view function, std::initializer_list<Expr*> args,
             Expr* target = nullptr);
  Expr* call(ExprId id, std::string_view function, std::span<Expr* const> args,
             Expr* target = nullptr);
  Expr* list(ExprId id, std::span<Expr* const> elements, const std::vector<bool>& optionals);
  Expr* map(ExprId id, std::span<const Entry> entries);
  Expr* object(ExprId id, std::string_view type, std::span<const Entry> fields);
  Expr* comprehension(ExprId id, const Comprehension& fold);

  [[nodiscard]] Arena& arena() { return ast_.arena; }

 private:
  Expr* node(ExprId id, ExprKind kind);

  Ast& ast_;
  ExprId next_id_ = 1;
};

/// cel-go's operator names.
namespace operators {
inline constexpr std::string_view conditional = "_?_:_";
inline constexpr std::string_view logical_and = "_&&_";
inline constexpr std::string_view logical_or = "_||_";
inline constexpr std::string_view logical_not = "!_";
inline constexpr std::string_view equals = "_==_";
inline constexpr std::string_view not_equals = "_!=_";
inline constexpr std::string_view less = "_<_";
inline constexpr std::string_view less_equals = "_<=_";
inline constexpr std::string_view greater = "_>_";
inline constexpr std::string_view greater_equals = "_>=_";
inline constexpr std::string_view in = "@in";
inline constexpr std::string_view add = "_+_";
inline constexpr std::string_view subtract = "_-_";
inline constexpr std::string_view multiply = "_*_";
inline constexpr std::string_view divide = "_/_";
inline constexpr std::string_view modulo = "_%_";
inline constexpr std::string_view negate = "-_";
inline constexpr std::string_view index = "_[_]";
inline constexpr std::string_view optional_index = "_[?_]";
inline constexpr std::string_view optional_select = "_?._";
inline constexpr std::string_view not_strictly_false = "@not_strictly_false";
}  // namespace operators

}  // namespace dray::cel
