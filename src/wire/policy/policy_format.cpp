#include "wire/policy/policy_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "wire/policy/policy_form.h"
#include "wire/policy/policy_pieces.h"
#include "wire/policy/policy_shape.h"
#include "wire/yaml/config_node.h"
#include "wire/yaml/yaml_comments.h"

namespace dray::wire {
namespace {

using Kind = ConfigNode::Kind;

constexpr std::size_t widest = 100;
constexpr int deepest_on_a_line = 2;  ///< `{name: a, quota: {gpu: 1}}`

/// The value on one line.
std::string on_a_line(const PolicyPiece& piece) {
  if (piece.kind == Kind::scalar) return piece.scalar;
  std::string text;
  for (const auto& part : piece.parts) {
    if (!text.empty()) text += ", ";
    if (piece.kind == Kind::map) text += part.key + ": ";
    text += on_a_line(part);
  }
  return piece.kind == Kind::map ? "{" + text + "}" : "[" + text + "]";
}

int depth_of(const PolicyPiece& piece) {
  int depth = 0;
  for (const auto& part : piece.parts) depth = std::max(depth, depth_of(part));
  return piece.kind == Kind::scalar ? 0 : depth + 1;
}

bool has_comments_below(const PolicyPiece& piece) {
  return std::ranges::any_of(piece.parts, [](const PolicyPiece& part) {
    return !part.above.empty() || !part.beside.empty() || !part.below.empty() ||
           has_comments_below(part);
  });
}

class Printer {
 public:
  std::string print(const PolicyPiece& root) {
    comments(root.above, 0);
    for (const auto& part : root.parts) member(part, 0, true);
    comments(root.below, 0);
    const auto first = out_.find_first_not_of('\n');
    return first == std::string::npos ? std::string() : out_.substr(first);
  }

 private:
  void comments(const std::vector<std::string>& lines, std::size_t indent) {
    for (const auto& line : lines) {
      if (!line.empty()) out_.append(indent, ' ').append(line);
      out_ += '\n';
    }
  }

  void before(const PolicyPiece& piece, std::size_t indent) {
    if (piece.blank_above) out_ += '\n';
    comments(piece.above, indent);
  }

  void end_line(const PolicyPiece& piece) {
    if (!piece.beside.empty()) out_ += "  " + piece.beside;
    out_ += '\n';
  }

  /// The queues stand one below the other, however short they are.
  static bool fits(const PolicyPiece& piece, std::size_t column) {
    if (piece.parts.empty()) return true;
    const bool is_queues = piece.key == "queues" && column == std::string_view("queues: ").size();
    return !is_queues && depth_of(piece) <= deepest_on_a_line && !has_comments_below(piece) &&
           column + on_a_line(piece).size() <= widest;
  }

  /// `on_new_line`: else behind the `- ` of its item.
  void member(const PolicyPiece& piece, std::size_t indent, bool on_new_line) {
    if (on_new_line) {
      before(piece, indent);
      out_.append(indent, ' ');
    }
    out_ += piece.key + ":";
    value(piece, indent, indent + piece.key.size() + 2, " ");
  }

  void value(const PolicyPiece& piece, std::size_t indent, std::size_t column,
             std::string_view gap) {
    if (fits(piece, column)) {
      out_ += gap;
      out_ += on_a_line(piece);
      end_line(piece);
    } else {
      end_line(piece);
      for (const auto& part : piece.parts) {
        piece.kind == Kind::map ? member(part, indent + 2, true) : item(part, indent + 2);
      }
    }
    comments(piece.below, indent + 2);
  }

  void item(const PolicyPiece& piece, std::size_t indent) {
    before(piece, indent);
    const bool in_lines = piece.kind == Kind::map && !fits(piece, indent + 2);
    auto beside = piece.beside;
    if (in_lines) {
      comments(piece.parts.front().above, indent);
      if (!piece.parts.front().beside.empty() && !beside.empty()) comments({beside}, indent);
    }
    out_.append(indent, ' ').append("-");
    if (!in_lines) return value(piece, indent, indent + 2, " ");
    out_ += ' ';
    auto first = piece.parts.front();
    if (first.beside.empty()) std::swap(first.beside, beside);
    member(first, indent + 2, false);
    for (std::size_t i = 1; i < piece.parts.size(); ++i) member(piece.parts[i], indent + 2, true);
    comments(piece.below, indent + 2);
  }

  std::string out_;
};

/// A place behind one that comes later in the text is an alias's, which has its anchor's.
std::optional<TextPlace> find_alias(const ConfigNode& node, TextPlace& last) {
  if (node.place < last) return last;
  last = node.place;
  for (const auto& item : node.items) {
    if (const auto found = find_alias(item, last)) return found;
  }
  for (const auto& member : node.members) {
    if (member.place < last) return last;
    last = member.place;
    if (const auto found = find_alias(member.value, last)) return found;
  }
  return std::nullopt;
}

struct Formatted {
  std::string text;
  std::string values;  ///< without comments
};

Result<Formatted> format_once(std::string_view yaml) {
  const auto root = parse_yaml(yaml);
  if (!root) return std::unexpected(root.error());
  const auto shape = policy_shape();
  PolicyForm form;
  form.check(*root, shape, "");
  std::string problems;
  for (const auto& problem : form.problems()) {
    problems += (problems.empty() ? "" : "\n") + problem.to_string();
  }
  if (!problems.empty()) return fail(ErrorCode::invalid, std::move(problems));
  TextPlace last;
  if (const auto place = find_alias(*root, last)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}:{}: an alias (*) stands here or next; write its value out",
                            place->line, place->column));
  }
  const auto pieces = policy_pieces(yaml, *root, shape);
  return Formatted{Printer().print(pieces), on_a_line(pieces)};
}

}  // namespace

Result<std::string> format_policy(std::string_view yaml) {
  auto formatted = format_once(yaml);
  if (!formatted) return std::unexpected(std::move(formatted.error()));
  const auto values = formatted->values;
  const auto comments = comments_in(yaml).size();
  // A key that moves may take its comment out of a queue, which is then short enough for one line.
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds; ++round) {
    auto again = format_once(formatted->text);
    // What is written over a person's file says what that file said, or it is not written.
    if (!again || again->values != values || comments_in(again->text).size() != comments) break;
    if (again->text == formatted->text) return std::move(again->text);
    formatted = std::move(again);
  }
  return fail(ErrorCode::unsupported, "the form of this file cannot be changed safely");
}

}  // namespace dray::wire
