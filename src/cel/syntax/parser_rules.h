#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/syntax/macros.h"
#include "cel/syntax/token.h"

namespace dray::cel {

struct BinaryOperator {
  TokenKind token;
  std::string_view function;
  int precedence;  ///< within its rule
};

/// Recursive descent over the rules of CEL.g4, allocating ids in the order of cel-go's visitor.
/// After a syntax error every rule returns at once: `failed_`.
class Parser {
 public:
  Parser(Ast& ast, SourceErrors& errors)
      : ast_(ast), errors_(errors), make_(ast), tokens_(tokenize(ast.source, errors)) {}
  Expr* run();

 private:
  // --- tokens ---
  [[nodiscard]] const Token& token() const { return tokens_[at_]; }
  [[nodiscard]] TokenKind peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)].kind;
  }
  const Token& take() {
    const Token& taken = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return taken;
  }
  bool accept(TokenKind kind) {
    if (peek() != kind) return false;
    take();
    return true;
  }
  bool expect(TokenKind kind);

  // --- errors ---
  void syntax_error(std::string_view what, std::size_t ahead = 0);
  void too_deep(std::string message);
  Expr* error_at(std::int32_t offset, std::string message);
  /// Counts a rule's nesting while it is being parsed.
  class Depth {
   public:
    Depth(Parser& parser, int& depth);
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    int& depth_;
  };

  static Expr* raise(Expr* expr, std::initializer_list<const Expr*> children, int own = 1);
  static Expr* raise(Expr* expr, std::span<Expr* const> children, int own);
  Expr* nothing() { return make_.unspecified(0); }

  // --- operators (parser.cpp) ---
  Expr* expr();
  Expr* logical(TokenKind op);
  Expr* balanced(std::string_view function, const std::vector<Expr*>& terms,
                 const std::vector<ExprId>& ids, int low, int high);
  Expr* relation(int precedence);
  Expr* calculation(int precedence);
  template <class Operand>
  Expr* binary(std::span<const BinaryOperator> table, Expr* left, int precedence, Operand operand);
  [[nodiscard]] bool signed_number() const;
  Expr* unary();
  Expr* member();
  Expr* selection(Expr* operand);
  Expr* index(Expr* target);
  /// From the open parenthesis on.
  Expr* call(std::string_view function, Expr* target);
  Expr* call_or_macro(ExprId id, std::string_view function, Expr* target,
                      const std::vector<Expr*>& args);

  // --- names, containers, literals (parser_primary.cpp) ---
  Expr* primary();
  Expr* name();
  /// How many tokens ahead the brace of `a.b.C{` is, or 0.
  [[nodiscard]] std::size_t object_brace() const;
  Expr* object(std::size_t brace);
  Entry field();
  static std::string_view field_name(const Token& name);
  Expr* list();
  Expr* map();
  Expr* literal();
  Expr* number(std::int32_t offset, bool negative);
  Expr* text_literal(const Token& quoted);

  Ast& ast_;
  SourceErrors& errors_;
  AstBuilder make_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;
  int expr_depth_ = 0;
  int relation_depth_ = 0;
  int calculation_depth_ = 0;
};

}  // namespace dray::cel
