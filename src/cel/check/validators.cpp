#include "cel/check/validators.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "cel/text/format_text.h"
#include "cel/text/regex.h"
#include "cel/text/time_text.h"

namespace dray::cel {

namespace {

using Visit = std::function<void(const Expr*, bool in_format)>;

/// Every node, parents first, with whether it stands inside a call of format().
void walk(const Expr* e, bool in_format, const Visit& visit) {
  visit(e, in_format);
  const bool inside = in_format || (e->kind == ExprKind::call && e->name == "format");
  if (e->operand != nullptr) walk(e->operand, inside, visit);
  for (const Expr* arg : e->args) walk(arg, inside, visit);
  for (const Entry& entry : e->entries) {
    if (entry.key != nullptr) walk(entry.key, inside, visit);
    walk(entry.value, inside, visit);
  }
  if (e->fold == nullptr) return;
  for (const Expr* part :
       {e->fold->range, e->fold->accu_init, e->fold->condition, e->fold->step, e->fold->result}) {
    walk(part, inside, visit);
  }
}

class Validator {
 public:
  Validator(const Ast& ast, const Checked& checked, SourceErrors& errors)
      : ast_(ast), checked_(checked), errors_(errors) {}

  void run() {
    walk(ast_.root, false, [this](const Expr* e, bool in_format) {
      if (e->kind == ExprKind::list && !in_format) list(e);
    });
    walk(ast_.root, false, [this](const Expr* e, bool in_format) {
      if (e->kind == ExprKind::map && !in_format) map(e);
    });
    literal_argument("duration",
                     [](std::string_view text) { return parse_duration(text).has_value(); });
    literal_argument("timestamp", [](std::string_view text) {
      const auto time = parse_timestamp(text);
      return time && time->seconds >= first_timestamp && time->seconds <= last_timestamp;
    });
    literal_argument("matches", [](std::string_view text) {
      std::string error;
      return Regex::compile(text, RegexUse::match, error).has_value();
    });
    walk(ast_.root, false, [this](const Expr* e, bool) {
      if (e->kind == ExprKind::call && e->name == "format") format(e);
    });
  }

 private:
  void report(ExprId id, std::string message) {
    errors_.report(ast_.location(id), std::move(message));
  }
  void mismatch(const Expr* e, const Type& expected, const Type& actual) {
    report(e->id, fmt::format("expected type '{}' but found '{}'", checker_text(expected),
                              checker_text(actual)));
  }
  [[nodiscard]] const Type& element_type(const Expr* e, bool optional) const {
    const Type& type = checked_.type(e);
    return optional && !type.params().empty() ? *type.params()[0] : type;
  }

  void list(const Expr* e) {
    const Type* first = nullptr;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const Type& type = element_type(e->args[i], e->optionals[i]);
      if (first == nullptr) {
        first = &type;
      } else if (!same_type(*first, type)) {
        return mismatch(e->args[i], *first, type);
      }
    }
  }

  void map(const Expr* e) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (const Entry& entry : e->entries) {
      const Type& own_key = checked_.type(entry.key);
      const Type& own_value = element_type(entry.value, entry.optional);
      if (key == nullptr) {
        key = &own_key;
        value = &own_value;
        continue;
      }
      if (!same_type(*key, own_key)) mismatch(entry.key, *key, own_key);
      if (!same_type(*value, own_value)) mismatch(entry.value, *value, own_value);
    }
  }

  template <class Check>
  void literal_argument(std::string_view function, Check check) {
    walk(ast_.root, false, [&](const Expr* e, bool) {
      if (e->kind != ExprKind::call || e->name != function || e->args.empty()) return;
      const Expr* arg = e->args[0];
      if (arg->kind != ExprKind::literal) return;
      const bool in_range = arg->literal.is(Kind::int64) && function == "timestamp" &&
                            arg->literal.int64 >= first_timestamp &&
                            arg->literal.int64 <= last_timestamp;
      if (in_range || (arg->literal.is(Kind::string) && check(arg->literal.text()))) return;
      report(arg->id, fmt::format("invalid {} argument", function));
    });
  }

  // --- "...".format([...]) ---
  void format(const Expr* e) {
    const bool literal = e->operand != nullptr && e->operand->kind == ExprKind::literal &&
                         e->operand->literal.is(Kind::string) && e->args.size() == 1 &&
                         e->args[0]->kind == ExprKind::list;
    if (!literal) return;
    const std::span<Expr* const> args = e->args[0]->args;
    std::string_view rest = e->operand->literal.text();
    std::size_t used = 0;
    while (!rest.empty()) {
      const bool percent = rest[0] == '%';
      rest.remove_prefix(1);
      if (!percent) continue;
      if (rest.starts_with('%')) {
        rest.remove_prefix(1);
        continue;
      }
      if (rest.empty()) return report(e->id, "unexpected end of string");
      if (used >= args.size()) return report(e->id, fmt::format("index {} out of range", used));
      std::string error;
      const auto clause = read_clause(rest, error);
      if (!clause) return report(e->id, "could not parse formatting clause: " + error);
      if (!clause_takes(*clause, args[used++])) return;
    }
    if (args.size() > used) {
      report(e->id, fmt::format("too many arguments supplied to string.format (expected {}, got "
                                "{})",
                                used, args.size()));
    }
  }

  [[nodiscard]] bool is_one_of(const Expr* e, std::initializer_list<TypeKind> kinds) const {
    const Type& type = checked_.type(e);
    if (type.kind() == TypeKind::dyn) return true;
    return std::find(kinds.begin(), kinds.end(), type.kind()) != kinds.end();
  }

  bool refuse(const Expr* e, std::string_view message) {
    report(e->id, fmt::format("error during formatting: {}, was given {}", message,
                              checked_.type(e).name()));
    return false;
  }

  bool clause_takes(const FormatClause& clause, const Expr* arg) {
    using enum TypeKind;
    switch (clause.verb) {
      case 's':
        return text_takes(arg);
      case 'd':
        return is_one_of(arg, {int64, uint64}) ||
               refuse(arg, "decimal clause can only be used on integers");
      case 'f':
        return is_one_of(arg, {float64, string}) ||
               refuse(arg, "fixed-point clause can only be used on doubles");
      case 'e':
        return is_one_of(arg, {float64, string}) ||
               refuse(arg, "scientific clause can only be used on doubles");
      case 'b':
        return is_one_of(arg, {int64, uint64, boolean}) ||
               refuse(arg, "only integers and bools can be formatted as binary");
      case 'o':
        return is_one_of(arg, {int64, uint64}) ||
               refuse(arg, "octal clause can only be used on integers");
      default:
        return is_one_of(arg, {int64, uint64, string, bytes}) ||
               refuse(arg, "only integers, byte buffers, and strings can be formatted as hex");
    }
  }

  bool text_takes(const Expr* arg) {
    using enum TypeKind;
    const bool fits = is_one_of(arg, {list, map, int64, uint64, float64, boolean, string, timestamp,
                                      bytes, duration, type, null});
    if (!fits) {
      return refuse(arg,
                    "string clause can only be used on strings, bools, bytes, ints, doubles, "
                    "maps, lists, types, durations, and timestamps");
    }
    if (arg->kind == ExprKind::list) {
      for (const Expr* element : arg->args) {
        if (!text_takes(element)) return false;
      }
    }
    if (arg->kind == ExprKind::map) {
      for (const Entry& entry : arg->entries) {
        if (!text_takes(entry.key) || !text_takes(entry.value)) return false;
      }
    }
    return true;
  }

  const Ast& ast_;
  const Checked& checked_;
  SourceErrors& errors_;
};

}  // namespace

void validate(const Ast& ast, const Checked& checked, SourceErrors& errors) {
  Validator(ast, checked, errors).run();
}

}  // namespace dray::cel
