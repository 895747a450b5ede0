#include "wire/policy/policy_pieces.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "wire/json/json_writer.h"
#include "wire/yaml/yaml_comments.h"
#include "wire/yaml/yaml_scalar.h"

namespace dray::wire {
namespace {

/// Whether the text may stand without quotes, also between brackets.
bool may_be_plain(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (std::string_view("?:,[]{}#&*!|>'\"%@`~").contains(text.front())) return false;
  if (text.front() == '-' && (text.size() == 1 || text[1] == ' ')) return false;
  if (text.contains(": ") || text.contains(" #")) return false;
  return std::ranges::none_of(text, [](char c) {
    return std::string_view(",[]{}").contains(c) ||
           std::iscntrl(static_cast<unsigned char>(c)) != 0;
  });
}

/// Quotes stay where the value would be a number, say, without them.
std::string written(const std::string& text, bool quoted) {
  const bool is_text = plain_scalar_to_json(text).starts_with('"');
  if (may_be_plain(text) && (!quoted || is_text)) return text;
  JsonWriter out;
  out.string(text);
  return std::move(out).take();
}

const PolicyShape* shape_for(const PolicyShape* shape, ConfigNode::Kind kind) {
  const bool other =
      shape != nullptr && shape->alternative != nullptr && kind != ConfigNode::Kind::scalar;
  return other ? shape->alternative.get() : shape;
}

PolicyPiece piece_of(const ConfigNode& node, const PolicyShape* given) {
  const auto* shape = shape_for(given, node.kind);
  PolicyPiece piece;
  piece.kind = node.kind;
  piece.place = node.place;
  if (node.kind == ConfigNode::Kind::scalar) piece.scalar = written(node.text, node.quoted);
  const auto* item = shape == nullptr ? nullptr : shape->item.get();
  for (const auto& each : node.items) piece.parts.push_back(piece_of(each, item));
  for (const auto& member : node.members) {
    const PolicyShape* below = item;
    if (shape != nullptr && shape->form == Form::object) {
      const auto field = std::ranges::find(shape->fields, member.key, &PolicyField::key);
      below = field == shape->fields.end() ? nullptr : field->shape.get();
    }
    auto part = piece_of(member.value, below);
    part.key = written(member.key, false);
    part.place = member.place;
    piece.parts.push_back(std::move(part));
  }
  return piece;
}

/// The keys of objects in the order of their descriptions; names and items stay as they are.
void sort(PolicyPiece& piece, const PolicyShape* given) {
  const auto* shape = shape_for(given, piece.kind);
  if (shape == nullptr) return;
  const auto place = [&](const PolicyPiece& part) {
    return std::ranges::find(shape->fields, part.key, &PolicyField::key) - shape->fields.begin();
  };
  const bool is_object = shape->form == Form::object;
  if (is_object) std::ranges::stable_sort(piece.parts, {}, place);
  for (auto& part : piece.parts) {
    const auto at = place(part);
    const auto known = is_object && at < std::ssize(shape->fields);
    sort(part, known ? shape->fields[static_cast<std::size_t>(at)].shape.get() : shape->item.get());
  }
}

/// Puts comments where they belong.
class Attachment {
 public:
  Attachment(std::string_view yaml, PolicyPiece& root) : root_(root) {
    root_.place = {0, 0};
    list(root_);
    int number = 1;
    for (std::size_t at = 0; at < yaml.size(); ++number) {
      const auto end = std::min(yaml.find('\n', at), yaml.size());
      if (yaml.substr(at, end - at).find_first_not_of(" \t\r") == std::string_view::npos) {
        blank_.insert(number);
      }
      at = end + 1;
    }
  }

  void run(const std::vector<YamlComment>& comments) {
    for (const auto& comment : comments) {
      comment.own_line ? add_line(comment) : add_beside(comment);
    }
    for (auto* piece : pieces_) {
      const bool blank = blank_.contains(piece->place.line - 1);
      if (piece == pieces_.front()) {
        // Whatever stands first, the blank line is the header's.
        if (blank && !root_.above.empty()) root_.above.emplace_back();
      } else if (piece->above.empty()) {
        piece->blank_above = blank;
      } else if (blank) {
        piece->above.emplace_back();
      }
    }
  }

 private:
  void list(PolicyPiece& piece) {
    for (auto& part : piece.parts) {
      parents_.push_back(&piece);
      pieces_.push_back(&part);
      list(part);
    }
  }

  void add_line(const YamlComment& comment) {
    const auto next = std::ranges::find_if(
        pieces_, [&](const auto* piece) { return piece->place.line > comment.place.line; });
    const bool blank = blank_.contains(comment.place.line - 1);
    if (next == pieces_.begin()) return push(root_.above, comment, blank);
    if (next != pieces_.end() && comment.place.column <= (*next)->place.column) {
      auto& piece = **next;
      if (piece.above.empty()) piece.blank_above = blank;
      return push(piece.above, comment, blank && !piece.above.empty());
    }
    auto* inside = *std::prev(next);
    while (inside != &root_ && inside->place.column >= comment.place.column) {
      inside = parent_of(inside);
    }
    push(inside->below, comment, blank);
  }

  void add_beside(const YamlComment& comment) {
    const auto same_line = [&](const auto* piece) {
      return piece->place.line == comment.place.line;
    };
    const auto at = std::ranges::find_if(pieces_, same_line);
    if (at == pieces_.end() || !(*at)->beside.empty()) return add_line(comment);
    (*at)->beside = comment.text;
  }

  static void push(std::vector<std::string>& lines, const YamlComment& comment, bool blank) {
    if (blank) lines.emplace_back();
    lines.push_back(comment.text);
  }

  PolicyPiece* parent_of(const PolicyPiece* piece) const {
    const auto at = std::ranges::find(pieces_, piece) - pieces_.begin();
    return parents_[static_cast<std::size_t>(at)];
  }

  PolicyPiece& root_;
  std::vector<PolicyPiece*> pieces_;   ///< each before its parts
  std::vector<PolicyPiece*> parents_;  ///< of each
  std::set<int> blank_;                ///< lines
};

}  // namespace

PolicyPiece policy_pieces(std::string_view yaml, const ConfigNode& root, const PolicyShape& shape) {
  auto pieces = piece_of(root, &shape);
  Attachment(yaml, pieces).run(comments_in(yaml));
  sort(pieces, &shape);
  return pieces;
}

}  // namespace dray::wire
