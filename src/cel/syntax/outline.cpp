#include "cel/syntax/outline.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "cel/syntax/source.h"
#include "cel/syntax/token.h"

namespace dray::cel {
namespace {

/// Calls whose arguments are evaluated for each element, or not at all.
constexpr std::array<std::string_view, 13> macro_names{
    "has",    "all",    "exists",        "exists_one",   "existsOne",
    "map",    "filter", "transformList", "transformMap", "transformMapEntry",
    "sortBy", "optMap", "optFlatMap"};
/// What stands before the dot of a function's name, and is no value.
constexpr std::array<std::string_view, 7> namespaces{"cel",     "optional", "sets", "lists",
                                                     "strings", "format",   "ip"};

/// The grammar of CEL over a text that is known to fit it.
class Reader {
 public:
  explicit Reader(std::string_view text)
      : source_(text), errors_(source_), tokens_(tokenize(source_, errors_)) {}

  Outline expr() {
    const std::size_t first = at_;
    Outline condition = chain(TokenKind::logical_or);
    if (!accept(TokenKind::question)) return condition;
    Outline made{Outline::Kind::conditional, {}, {}};
    made.parts.push_back(std::move(condition));
    made.parts.push_back(chain(TokenKind::logical_or));
    accept(TokenKind::colon);
    made.parts.push_back(expr());
    return ended(std::move(made), first);
  }

 private:
  using Kinds = std::initializer_list<TokenKind>;

  [[nodiscard]] TokenKind peek() const { return tokens_[at_].kind; }
  bool accept(TokenKind kind) {
    if (peek() != kind) return false;
    if (at_ + 1 < tokens_.size()) ++at_;
    return true;
  }
  bool accept_any(Kinds kinds) {
    return std::ranges::any_of(kinds, [this](TokenKind kind) { return accept(kind); });
  }

  /// The text from a token up to the one before the next.
  [[nodiscard]] Outline ended(Outline made, std::size_t first) const {
    const std::string_view all = source_.text();
    const std::string_view last = tokens_[at_ - 1].text;
    const auto begin = tokens_[first].text.begin() - all.begin();
    made.text = all.substr(static_cast<std::size_t>(begin),
                           static_cast<std::size_t>(last.end() - all.begin() - begin));
    return made;
  }

  Outline chain(TokenKind op) {
    const bool is_or = op == TokenKind::logical_or;
    const auto operand = [&] { return is_or ? chain(TokenKind::logical_and) : relation(); };
    const std::size_t first = at_;
    Outline one = operand();
    if (peek() != op) return one;
    Outline made{is_or ? Outline::Kind::logical_or : Outline::Kind::logical_and, {}, {}};
    made.parts.push_back(std::move(one));
    while (accept(op)) made.parts.push_back(operand());
    return ended(std::move(made), first);
  }

  template <class Operand>
  Outline binary(Kinds operators, Operand operand) {
    const std::size_t first = at_;
    Outline left = operand();
    while (accept_any(operators)) {
      Outline made;
      made.parts.push_back(std::move(left));
      made.parts.push_back(operand());
      left = ended(std::move(made), first);
    }
    return left;
  }

  Outline relation() {
    return binary(
        {TokenKind::less, TokenKind::less_equals, TokenKind::greater, TokenKind::greater_equals,
         TokenKind::equals, TokenKind::not_equals, TokenKind::in},
        [this] { return sum(); });
  }
  Outline sum() {
    return binary({TokenKind::plus, TokenKind::minus}, [this] { return product(); });
  }
  Outline product() {
    return binary({TokenKind::star, TokenKind::slash, TokenKind::percent},
                  [this] { return unary(); });
  }

  Outline unary() {
    const std::size_t first = at_;
    std::size_t negations = 0;
    while (accept(TokenKind::exclamation)) ++negations;
    const bool negative = negations == 0 && peek() == TokenKind::minus;
    while (negative && accept(TokenKind::minus)) continue;
    Outline inner = member();
    if (negations == 0 && !negative) return inner;
    if (negative && inner.kind == Outline::Kind::literal) return ended(std::move(inner), first);
    const auto kind = negations % 2 == 1 ? Outline::Kind::logical_not : Outline::Kind::other;
    Outline made{kind, {}, {}};
    made.parts.push_back(std::move(inner));
    return ended(std::move(made), first);
  }

  Outline member() {
    const std::size_t first = at_;
    Outline made = primary();
    // A variable with what is taken from it is one path, and a path from a call's result another.
    bool is_path = at_ == first + 1 && tokens_[first].kind == TokenKind::identifier;
    const auto step = [&] {
      if (is_path) {
        made = ended(std::move(made), first);
        return;
      }
      Outline outer;
      outer.parts.push_back(std::move(made));
      made = ended(std::move(outer), first);
      is_path = true;
    };
    for (;;) {
      if (accept(TokenKind::dot)) {
        accept(TokenKind::question);
        const std::string_view name = tokens_[at_].text;
        accept_any({TokenKind::identifier, TokenKind::escaped_identifier});
        if (accept(TokenKind::left_paren)) {
          made = called(std::move(made), name, first);
          is_path = false;
        } else {
          step();
        }
      } else if (accept(TokenKind::left_bracket)) {
        accept(TokenKind::question);
        Outline key = expr();
        accept(TokenKind::right_bracket);
        step();
        if (key.kind != Outline::Kind::literal) made.parts.push_back(std::move(key));
      } else {
        return made;
      }
    }
  }

  /// From behind the bracket.
  Outline called(Outline target, std::string_view name, std::size_t first) {
    const bool bind = target.text == "cel" && name == "bind";
    const bool is_name = std::ranges::find(namespaces, target.text) != namespaces.end();
    Outline made;
    if (!is_name) made.parts.push_back(std::move(target));
    arguments(made, name, bind);
    return ended(std::move(made), first);
  }

  void arguments(Outline& made, std::string_view name, bool bind) {
    const bool macro = std::ranges::find(macro_names, name) != macro_names.end();
    for (std::size_t i = 0; peek() != TokenKind::right_paren && peek() != TokenKind::end; ++i) {
      Outline argument = expr();
      const bool has_value = bind ? i == 1 : !macro;
      if (has_value) made.parts.push_back(std::move(argument));
      accept(TokenKind::comma);
    }
    accept(TokenKind::right_paren);
  }

  Outline primary() {
    const std::size_t first = at_;
    switch (peek()) {
      case TokenKind::left_paren: {
        accept(TokenKind::left_paren);
        Outline inner = expr();
        accept(TokenKind::right_paren);
        return inner;
      }
      case TokenKind::left_bracket:
        return elements(TokenKind::right_bracket);
      case TokenKind::left_brace:
        return elements(TokenKind::right_brace);
      default:
        break;
    }
    accept(TokenKind::dot);
    const std::string_view name = tokens_[at_].text;
    if (accept(TokenKind::identifier)) {
      Outline made;
      if (accept(TokenKind::left_paren)) arguments(made, name, false);
      return ended(std::move(made), first);
    }
    if (at_ + 1 < tokens_.size()) ++at_;
    return ended({Outline::Kind::literal, {}, {}}, first);
  }

  /// A list or map; of literals only it is one itself.
  Outline elements(TokenKind close) {
    const std::size_t first = at_++;
    Outline made;
    bool constant = true;
    while (peek() != close && peek() != TokenKind::end) {
      accept(TokenKind::question);
      Outline element = expr();
      if (element.kind != Outline::Kind::literal) {
        constant = false;
        made.parts.push_back(std::move(element));
      }
      accept_any({TokenKind::comma, TokenKind::colon});
    }
    accept(close);
    if (constant) made.kind = Outline::Kind::literal;
    return ended(std::move(made), first);
  }

  Source source_;
  SourceErrors errors_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

Outline outline(std::string_view expression) {
  return Reader(expression).expr();
}

}  // namespace dray::cel
