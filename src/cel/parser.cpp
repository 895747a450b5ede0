#include "cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cel/literal.h"
#include "cel/macros.h"
#include "cel/number_text.h"
#include "cel/token.h"

namespace dray::cel {

namespace {

constexpr int deepest_nesting = 250;
constexpr std::size_t most_code_points = 100'000;

constexpr std::array<std::string_view, 21> reserved_names{
    "as",       "break",     "const",  "continue", "else", "false", "for",
    "function", "if",        "import", "in",       "let",  "loop",  "null",
    "package",  "namespace", "return", "true",     "var",  "void",  "while"};

struct BinaryOperator {
  TokenKind token;
  std::string_view function;
  int precedence;  // within its rule
};
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

/// Recursive descent over the rules of CEL.g4, allocating ids in the order of cel-go's visitor.
/// After a syntax error every rule returns at once: `failed_`.
class Parser {
 public:
  Parser(Ast& ast, SourceErrors& errors)
      : ast_(ast), errors_(errors), make_(ast), tokens_(tokenize(ast.source, errors)) {}

  Expr* run() {
    Expr* root = expr();
    if (!failed_ && peek() != TokenKind::end) syntax_error("mismatched input");
    if (!failed_ && root->height > deepest_nesting) too_deep("max recursion depth exceeded");
    return root;
  }

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
  bool expect(TokenKind kind) {
    if (failed_) return false;
    if (accept(kind)) return true;
    syntax_error("mismatched input");
    return false;
  }

  // --- errors ---
  void syntax_error(std::string_view what, std::size_t ahead = 0) {
    if (failed_) return;
    failed_ = true;
    const Token& where = tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    const std::string_view shown = where.kind == TokenKind::end ? "<EOF>" : where.text;
    Location place = ast_.source.location(where.offset);
    if (ast_.source.size() == 0) place.column = -1;  // as ANTLR has it
    errors_.report(place, fmt::format("Syntax error: {} '{}'", what, shown));
  }
  void too_deep(std::string message) {
    failed_ = true;
    errors_.report({}, std::move(message));
  }
  Expr* error_at(std::int32_t offset, std::string message) {
    const ExprId id = make_.id(offset);
    errors_.report(ast_.location(id), std::move(message));
    return make_.unspecified(id);
  }

  /// Counts a rule's nesting while it is being parsed.
  class Depth {
   public:
    Depth(Parser& parser, int& depth) : depth_(depth) {
      if (++depth_ > deepest_nesting && !parser.failed_) {
        parser.too_deep(fmt::format("expression recursion limit exceeded: {}", deepest_nesting));
      }
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    int& depth_;
  };

  static Expr* raise(Expr* expr, std::initializer_list<const Expr*> children, int own = 1) {
    int height = 0;
    for (const Expr* child : children) {
      if (child != nullptr) height = std::max(height, child->height);
    }
    expr->height = std::max(expr->height, height + own);
    return expr;
  }
  static Expr* raise(Expr* expr, std::span<Expr* const> children, int own) {
    for (const Expr* child : children) raise(expr, {child}, own);
    return expr;
  }
  Expr* nothing() { return make_.unspecified(0); }

  // --- rules ---
  Expr* expr() {
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

  Expr* logical(TokenKind op) {
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

  Expr* balanced(std::string_view function, const std::vector<Expr*>& terms,
                 const std::vector<ExprId>& ids, int low, int high) {
    const int mid = (low + high + 1) / 2;
    const auto term = [&](int i) { return terms[static_cast<std::size_t>(i)]; };
    Expr* left = mid == low ? term(mid) : balanced(function, terms, ids, low, mid - 1);
    Expr* right = mid == high ? term(mid + 1) : balanced(function, terms, ids, mid + 1, high);
    return raise(make_.call(ids[static_cast<std::size_t>(mid)], function, {left, right}),
                 {left, right}, 0);
  }

  Expr* relation(int precedence) {
    const Depth depth(*this, relation_depth_);
    if (failed_) return nothing();
    Expr* left = calculation(1);
    return binary(relations, left, precedence, [&](int next) { return relation(next); });
  }

  Expr* calculation(int precedence) {
    const Depth depth(*this, calculation_depth_);
    if (failed_) return nothing();
    Expr* left = unary();
    return binary(calculations, left, precedence, [&](int next) { return calculation(next); });
  }

  template <class Operand>
  Expr* binary(std::span<const BinaryOperator> table, Expr* left, int precedence, Operand operand) {
    while (!failed_) {
      const BinaryOperator* op = find_operator(table, peek());
      if (op == nullptr || op->precedence < precedence) break;
      const ExprId id = make_.id(take().offset);
      Expr* right = operand(op->precedence + 1);
      left = raise(make_.call(id, op->function, {left, right}), {left, right});
    }
    return left;
  }

  [[nodiscard]] bool signed_number() const {
    return peek() == TokenKind::minus &&
           (peek(1) == TokenKind::integer || peek(1) == TokenKind::floating);
  }

  Expr* unary() {
    if (failed_) return nothing();
    const TokenKind op = peek();
    const bool applies =
        op == TokenKind::exclamation || (op == TokenKind::minus && !signed_number());
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

  Expr* member() {
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

  Expr* selection(Expr* operand) {
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

  static std::string_view field_name(const Token& name) {
    return name.kind == TokenKind::escaped_identifier ? name.text.substr(1, name.text.size() - 2)
                                                      : name.text;
  }

  Expr* index(Expr* target) {
    const ExprId id = make_.id(take().offset);
    const bool optional = accept(TokenKind::question);
    Expr* key = expr();
    if (!expect(TokenKind::right_bracket)) return nothing();
    const auto function = optional ? operators::optional_index : operators::index;
    return raise(make_.call(id, function, {target, key}), {target, key});
  }

  /// From the open parenthesis on.
  Expr* call(std::string_view function, Expr* target) {
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

  Expr* call_or_macro(ExprId id, std::string_view function, Expr* target,
                      const std::vector<Expr*>& args) {
    Expansion macro = expand_macro(make_, id, function, target, args);
    if (!macro.matched) return make_.call(id, function, args, target);
    make_.drop_id(id);
    if (macro.expr != nullptr) return macro.expr;
    return error_at(make_.offset(macro.error_at), std::move(macro.error));
  }

  Expr* primary() {
    if (failed_) return nothing();
    switch (peek()) {
      case TokenKind::left_paren: {
        take();
        Expr* inner = expr();
        return expect(TokenKind::right_paren) ? inner : nothing();
      }
      case TokenKind::left_bracket:
        return list();
      case TokenKind::left_brace:
        return map();
      case TokenKind::dot:
      case TokenKind::identifier:
        return name();
      default:
        return literal();
    }
  }

  Expr* name() {
    if (const std::size_t brace = object_brace(); brace != 0) return object(brace);
    const std::int32_t start = token().offset;
    const bool leading_dot = accept(TokenKind::dot);
    if (peek() != TokenKind::identifier) {
      syntax_error("no viable alternative at input");
      return nothing();
    }
    const Token& identifier = take();
    const bool is_call = peek() == TokenKind::left_paren;
    if (std::ranges::find(reserved_names, identifier.text) != reserved_names.end()) {
      Expr* error = error_at(start, fmt::format("reserved identifier: {}", identifier.text));
      if (is_call) call(identifier.text, nullptr);
      return error;
    }
    std::string_view text = identifier.text;
    if (leading_dot) text = make_.arena().copy("." + std::string(text));
    if (is_call) return call(text, nullptr);
    return make_.ident(make_.id(identifier.offset), text);
  }

  /// How many tokens ahead the brace of `a.b.C{` is, or 0.
  [[nodiscard]] std::size_t object_brace() const {
    std::size_t ahead = peek() == TokenKind::dot ? 1 : 0;
    for (;;) {
      if (peek(ahead) != TokenKind::identifier) return 0;
      ++ahead;
      if (peek(ahead) == TokenKind::left_brace) return ahead;
      if (peek(ahead) != TokenKind::dot) return 0;
      ++ahead;
    }
  }

  Expr* object(std::size_t brace) {
    std::string type;
    for (std::size_t i = 0; i < brace; ++i) type += take().text;
    const ExprId id = make_.id(take().offset);
    std::vector<Entry> fields;
    while (!failed_ && peek() != TokenKind::right_brace) {
      if (!fields.empty() && !expect(TokenKind::comma)) break;
      if (!fields.empty() && peek() == TokenKind::right_brace) break;
      if (fields.empty() && accept(TokenKind::comma)) break;
      fields.push_back(field());
    }
    if (!expect(TokenKind::right_brace)) return nothing();
    Expr* made = make_.object(id, make_.arena().copy(type), fields);
    for (const Entry& entry : fields) raise(made, {entry.value}, 0);
    return made;
  }

  Entry field() {
    Entry made{.id = make_.id(-1)};
    made.optional = accept(TokenKind::question);
    const Token& name = token();
    if (name.kind != TokenKind::identifier && name.kind != TokenKind::escaped_identifier) {
      syntax_error("no viable alternative at input");
      return made;
    }
    take();
    made.field = field_name(name);
    make_.set_offset(made.id, token().offset);
    if (expect(TokenKind::colon)) made.value = expr();
    return made;
  }

  Expr* list() {
    const ExprId id = make_.id(take().offset);
    std::vector<Expr*> elements;
    std::vector<bool> optionals;
    while (!failed_ && peek() != TokenKind::right_bracket) {
      if (!elements.empty() && !expect(TokenKind::comma)) break;
      if (!elements.empty() && peek() == TokenKind::right_bracket) break;
      if (elements.empty() && accept(TokenKind::comma)) break;
      optionals.push_back(accept(TokenKind::question));
      elements.push_back(expr());
    }
    if (!expect(TokenKind::right_bracket)) return nothing();
    return raise(make_.list(id, elements, optionals), elements, 0);
  }

  Expr* map() {
    const ExprId id = make_.id(take().offset);
    std::vector<Entry> entries;
    while (!failed_ && peek() != TokenKind::right_brace) {
      if (!entries.empty() && !expect(TokenKind::comma)) break;
      if (!entries.empty() && peek() == TokenKind::right_brace) break;
      if (entries.empty() && accept(TokenKind::comma)) break;
      Entry entry{.id = make_.id(-1)};
      entry.optional = accept(TokenKind::question);
      entry.key = expr();
      if (failed_) break;
      make_.set_offset(entry.id, token().offset);
      if (expect(TokenKind::colon)) entry.value = expr();
      entries.push_back(entry);
    }
    if (!expect(TokenKind::right_brace)) return nothing();
    Expr* made = make_.map(id, entries);
    for (const Entry& entry : entries) raise(made, {entry.key, entry.value}, 0);
    return made;
  }

  Expr* literal() {
    const Token first = token();
    const auto made = [&](Value value) { return make_.literal(make_.id(first.offset), value); };
    switch (first.kind) {
      case TokenKind::true_literal:
      case TokenKind::false_literal:
        take();
        return made(Value::of(first.kind == TokenKind::true_literal));
      case TokenKind::null_literal:
        take();
        return made(Value{});
      case TokenKind::string:
      case TokenKind::bytes:
        take();
        return text_literal(first);
      case TokenKind::minus:
        if (!signed_number()) {
          syntax_error("no viable alternative at input", 1);
          return nothing();
        }
        take();
        return number(first.offset, true);
      case TokenKind::integer:
      case TokenKind::unsigned_integer:
      case TokenKind::floating:
        return number(first.offset, false);
      default:
        syntax_error("mismatched input");
        return nothing();
    }
  }

  Expr* number(std::int32_t offset, bool negative) {
    const Token digits = take();
    const auto made = [&](Value value) { return make_.literal(make_.id(offset), value); };
    if (digits.kind == TokenKind::floating) {
      const auto value = parse_double((negative ? "-" : "") + std::string(digits.text));
      return value ? made(Value::of(*value)) : error_at(offset, "invalid double literal");
    }
    if (digits.kind == TokenKind::unsigned_integer) {
      const auto value = parse_uint_literal(digits.text.substr(0, digits.text.size() - 1));
      return value ? made(Value::of(*value)) : error_at(offset, "invalid uint literal");
    }
    const auto value = parse_int_literal(digits.text, negative);
    return value ? made(Value::of(*value)) : error_at(offset, "invalid int literal");
  }

  Expr* text_literal(const Token& quoted) {
    const bool bytes = quoted.kind == TokenKind::bytes;
    std::string error;
    const auto text = unescape(quoted.text.substr(bytes ? 1 : 0), bytes, error);
    if (!text) error_at(quoted.offset, error);
    const std::string_view kept = make_.arena().copy(text.value_or(std::string(quoted.text)));
    return make_.literal(make_.id(quoted.offset),
                         Value::of(kept, bytes ? Kind::bytes : Kind::string));
  }

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

}  // namespace

void parse(Ast& ast, SourceErrors& errors) {
  if (ast.source.size() > most_code_points) {
    errors.report({}, fmt::format("expression code point size exceeds limit: size: {}, limit {}",
                                  ast.source.size(), most_code_points));
    return;
  }
  ast.root = Parser(ast, errors).run();
}

}  // namespace dray::cel
