#include "cel/syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "cel/syntax/parser_rules.h"

namespace dray::cel {

namespace {

constexpr int deepest_nesting = 250;
constexpr std::size_t most_code_points = 100'000;

constexpr std::array relations{
    BinaryOperator{TokenKind::less, operators::less, 1},
    BinaryOperator{TokenKind::less_equals, operators::less_equals, 1},
    BinaryOperator{TokenKind::greater, operators::greater, 1},
    BinaryOperator{TokenKind::greater_equals, operators::greater_equals, 1},
    BinaryOperator{TokenKind::equals, operators::equals, 1},
    BinaryOperator{TokenKind::not_equals, operators::not_equals, 1},
    BinaryOperator{TokenKind::in, operators::in, 1},
};
constexpr std::array calculations{
    BinaryOperator{TokenKind::plus, operators::add, 1},
    BinaryOperator{TokenKind::minus, operators::subtract, 1},
    BinaryOperator{TokenKind::star, operators::multiply, 2},
    BinaryOperator{TokenKind::slash, operators::divide, 2},
    BinaryOperator{TokenKind::percent, operators::modulo, 2},
};

const BinaryOperator* find_operator(std::span<const BinaryOperator> table, TokenKind token) {
  const auto found = std::ranges::find(table, token, &BinaryOperator::token);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

Parser::Depth::Depth(Parser& parser, int& depth) : depth_(depth) {
  if (++depth_ > deepest_nesting && !parser.failed_) {
    parser.too_deep(fmt::format("expression recursion limit exceeded: {}", deepest_nesting));
  }
}

Expr* Parser::run() {
  Expr* root = expr();
  if (!failed_ && peek() != TokenKind::end) syntax_error("mismatched input");
  if (!failed_ && root->height > deepest_nesting) too_deep("max recursion depth exceeded");
  return root;
}

bool Parser::expect(TokenKind kind) {
  if (failed_) return false;
  if (accept(kind)) return true;
  syntax_error("mismatched input");
  return false;
}

void Parser::syntax_error(std::string_view what, std::size_t ahead) {
  if (failed_) return;
  failed_ = true;
  const Token& where = tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  const std::string_view shown = where.kind == TokenKind::end ? "<EOF>" : where.text;
  Location place = ast_.source.location(where.offset);
  if (ast_.source.size() == 0) place.column = -1;  // as ANTLR has it
  errors_.report(place, fmt::format("Syntax error: {} '{}'", what, shown));
}

void Parser::too_deep(std::string message) {
  failed_ = true;
  errors_.report({}, std::move(message));
}

Expr* Parser::error_at(std::int32_t offset, std::string message) {
  const ExprId id = make_.id(offset);
  errors_.report(ast_.location(id), std::move(message));
  return make_.unspecified(id);
}

Expr* Parser::raise(Expr* expr, std::initializer_list<const Expr*> children, int own) {
  int height = 0;
  for (const Expr* child : children) {
    if (child != nullptr) height = std::max(height, child->height);
  }
  expr->height = std::max(expr->height, height + own);
  return expr;
}

Expr* Parser::raise(Expr* expr, std::span<Expr* const> children, int own) {
  for (const Expr* child : children) raise(expr, {child}, own);
  return expr;
}

Expr* Parser::expr() {
  const Depth depth(*this, expr_depth_);
  if (failed_) return nothing();
  Expr* condition = logical(TokenKind::logical_or);
  if (failed_ || peek() != TokenKind::question) return condition;
  const ExprId id = make_.id(take().offset);
  Expr* then = logical(TokenKind::logical_or);
  if (!expect(TokenKind::colon)) return nothing();
  Expr* otherwise = expr();
  return raise(make_.call(id, operators::conditional, {condition, then, otherwise}),
               {condition, then, otherwise});
}

Expr* Parser::logical(TokenKind op) {
  const bool is_or = op == TokenKind::logical_or;
  const auto operand = [&] { return is_or ? logical(TokenKind::logical_and) : relation(1); };
  Expr* first = operand();
  if (failed_ || peek() != op) return first;
  std::vector<Expr*> terms{first};
  std::vector<ExprId> ids;
  while (!failed_ && peek() == op) {
    const std::int32_t offset = take().offset;
    terms.push_back(operand());
    ids.push_back(make_.id(offset));
  }
  if (failed_) return nothing();
  const auto function = is_or ? operators::logical_or : operators::logical_and;
  return balanced(function, terms, ids, 0, static_cast<int>(ids.size()) - 1);
}

Expr* Parser::balanced(std::string_view function, const std::vector<Expr*>& terms,
                       const std::vector<ExprId>& ids, int low, int high) {
  const int mid = (low + high + 1) / 2;
  const auto term = [&](int i) { return terms[static_cast<std::size_t>(i)]; };
  Expr* left = mid == low ? term(mid) : balanced(function, terms, ids, low, mid - 1);
  Expr* right = mid == high ? term(mid + 1) : balanced(function, terms, ids, mid + 1, high);
  return raise(make_.call(ids[static_cast<std::size_t>(mid)], function, {left, right}),
               {left, right}, 0);
}

Expr* Parser::relation(int precedence) {
  const Depth depth(*this, relation_depth_);
  if (failed_) return nothing();
  Expr* left = calculation(1);
  return binary(relations, left, precedence, [&](int next) { return relation(next); });
}

Expr* Parser::calculation(int precedence) {
  const Depth depth(*this, calculation_depth_);
  if (failed_) return nothing();
  Expr* left = unary();
  return binary(calculations, left, precedence, [&](int next) { return calculation(next); });
}

template <class Operand>
Expr* Parser::binary(std::span<const BinaryOperator> table, Expr* left, int precedence,
                     Operand operand) {
  while (!failed_) {
    const BinaryOperator* op = find_operator(table, peek());
    if (op == nullptr || op->precedence < precedence) break;
    const ExprId id = make_.id(take().offset);
    Expr* right = operand(op->precedence + 1);
    left = raise(make_.call(id, op->function, {left, right}), {left, right});
  }
  return left;
}

bool Parser::signed_number() const {
  return peek() == TokenKind::minus &&
         (peek(1) == TokenKind::integer || peek(1) == TokenKind::floating);
}

Expr* Parser::unary() {
  if (failed_) return nothing();
  const TokenKind op = peek();
  const bool applies = op == TokenKind::exclamation || (op == TokenKind::minus && !signed_number());
  if (!applies) return member();
  const std::int32_t offset = token().offset;
  std::size_t count = 0;
  while (accept(op)) ++count;
  if (count % 2 == 0) return member();
  const ExprId id = make_.id(offset);
  Expr* operand = member();
  const auto function = op == TokenKind::minus ? operators::negate : operators::logical_not;
  return raise(make_.call(id, function, {operand}), {operand}, 0);
}

Expr* Parser::member() {
  Expr* result = primary();
  while (!failed_) {
    if (peek() == TokenKind::dot) {
      result = selection(result);
    } else if (peek() == TokenKind::left_bracket) {
      result = index(result);
    } else {
      break;
    }
  }
  return result;
}

Expr* Parser::selection(Expr* operand) {
  const std::int32_t dot = take().offset;
  const bool optional = accept(TokenKind::question);
  const Token& name = token();
  if (name.kind != TokenKind::identifier && name.kind != TokenKind::escaped_identifier) {
    syntax_error("no viable alternative at input");
    return nothing();
  }
  take();
  if (!optional && name.kind == TokenKind::identifier && peek() == TokenKind::left_paren) {
    return call(name.text, operand);
  }
  const std::string_view field = field_name(name);
  if (optional) {
    Expr* literal = make_.literal(make_.id(name.offset), Value::of(field));
    return raise(make_.call(make_.id(dot), operators::optional_select, {operand, literal}),
                 {operand});
  }
  return raise(make_.select(make_.id(dot), operand, field), {operand});
}

Expr* Parser::index(Expr* target) {
  const ExprId id = make_.id(take().offset);
  const bool optional = accept(TokenKind::question);
  Expr* key = expr();
  if (!expect(TokenKind::right_bracket)) return nothing();
  const auto function = optional ? operators::optional_index : operators::index;
  return raise(make_.call(id, function, {target, key}), {target, key});
}

Expr* Parser::call(std::string_view function, Expr* target) {
  const ExprId id = make_.id(take().offset);
  std::vector<Expr*> args;
  if (peek() != TokenKind::right_paren) {
    do {
      args.push_back(expr());
    } while (!failed_ && accept(TokenKind::comma));
  }
  const bool whole = !failed_;
  if (!expect(TokenKind::right_paren)) {
    // cel-go expands macros behind a syntax error, too, and tells of their arguments.
    return whole ? call_or_macro(id, function, target, args) : nothing();
  }
  const int own = target != nullptr ? 1 : 0;
  Expr* made = call_or_macro(id, function, target, args);
  raise(made, args, own);
  return target != nullptr ? raise(made, {target}, own) : made;
}

Expr* Parser::call_or_macro(ExprId id, std::string_view function, Expr* target,
                            const std::vector<Expr*>& args) {
  Expansion macro = expand_macro(make_, id, function, target, args);
  if (!macro.matched) return make_.call(id, function, args, target);
  make_.drop_id(id);
  if (macro.expr != nullptr) return macro.expr;
  return error_at(make_.offset(macro.error_at), std::move(macro.error));
}

void parse(Ast& ast, SourceErrors& errors) {
  if (ast.source.size() > most_code_points) {
    errors.report({}, fmt::format("expression code point size exceeds limit: size: {}, limit {}",
                                  ast.source.size(), most_code_points));
    return;
  }
  ast.root = Parser(ast, errors).run();
}

}  // namespace dray::cel
