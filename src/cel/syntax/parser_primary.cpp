#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cel/syntax/literal.h"
#include "cel/syntax/parser_rules.h"
#include "cel/text/number_text.h"

namespace dray::cel {

namespace {

constexpr std::array<std::string_view, 21> reserved_names{
    "as",       "break",     "const",  "continue", "else", "false", "for",
    "function", "if",        "import", "in",       "let",  "loop",  "null",
    "package",  "namespace", "return", "true",     "var",  "void",  "while"};

}  // namespace

std::string_view Parser::field_name(const Token& name) {
  return name.kind == TokenKind::escaped_identifier ? name.text.substr(1, name.text.size() - 2)
                                                    : name.text;
}

Expr* Parser::primary() {
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

Expr* Parser::name() {
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

std::size_t Parser::object_brace() const {
  std::size_t ahead = peek() == TokenKind::dot ? 1 : 0;
  for (;;) {
    if (peek(ahead) != TokenKind::identifier) return 0;
    ++ahead;
    if (peek(ahead) == TokenKind::left_brace) return ahead;
    if (peek(ahead) != TokenKind::dot) return 0;
    ++ahead;
  }
}

Expr* Parser::object(std::size_t brace) {
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

Entry Parser::field() {
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

Expr* Parser::list() {
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

Expr* Parser::map() {
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

Expr* Parser::literal() {
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

Expr* Parser::number(std::int32_t offset, bool negative) {
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

Expr* Parser::text_literal(const Token& quoted) {
  const bool bytes = quoted.kind == TokenKind::bytes;
  std::string error;
  const auto text = unescape(quoted.text.substr(bytes ? 1 : 0), bytes, error);
  if (!text) error_at(quoted.offset, error);
  const std::string_view kept = make_.arena().copy(text.value_or(std::string(quoted.text)));
  return make_.literal(make_.id(quoted.offset),
                       Value::of(kept, bytes ? Kind::bytes : Kind::string));
}

}  // namespace dray::cel
