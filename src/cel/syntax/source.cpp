#include "cel/syntax/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "cel/text/utf8.h"

namespace dray::cel {

Source::Source(std::string_view text) : text_(text) {
  ascii_ = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii_) {
    for (std::size_t byte = 0; byte < text.size();) {
      starts_.push_back(static_cast<std::uint32_t>(byte));
      byte += decode_rune(text.substr(byte)).size;
    }
    starts_.push_back(static_cast<std::uint32_t>(text.size()));
  }
  const std::size_t length = size();
  for (std::size_t i = 0; i < length; ++i) {
    if (text_[byte_at(i)] == '\n') line_offsets_.push_back(static_cast<std::int32_t>(i + 1));
  }
}

char32_t Source::at(std::size_t offset) const {
  if (ascii_) return static_cast<unsigned char>(text_[offset]);
  return decode_rune(text_.substr(starts_[offset])).rune;
}

std::string_view Source::slice(std::size_t first, std::size_t last) const {
  return text_.substr(byte_at(first), byte_at(last) - byte_at(first));
}

Location Source::location(std::int32_t offset) const {
  const auto next = std::ranges::upper_bound(line_offsets_, offset);
  const auto line = static_cast<int>(next - line_offsets_.begin()) + 1;
  return {line, offset - (line == 1 ? 0 : *(next - 1))};
}

std::string_view Source::line(int number) const {
  const auto index = static_cast<std::size_t>(number - 1);
  const std::size_t first = index == 0 ? 0 : static_cast<std::size_t>(line_offsets_[index - 1]);
  const std::size_t last =
      index < line_offsets_.size() ? static_cast<std::size_t>(line_offsets_[index]) - 1 : size();
  return slice(first, last);
}

void SourceErrors::report(Location where, std::string message) {
  constexpr std::size_t most = 100;
  if (++count_ <= most) entries_.push_back({where, std::move(message)});
}

namespace {

constexpr std::size_t longest_snippet = 16384;

void append_snippet(std::string& out, std::string_view line, int column) {
  std::string shown(line);
  std::ranges::replace(shown, '\t', ' ');
  std::string caret;
  std::string_view rest = shown;
  for (int i = 0; i < column && !rest.empty(); ++i) {
    const unsigned size = decode_rune(rest).size;
    caret += size > 1 ? "\uff0e" : ".";
    rest.remove_prefix(size);
  }
  caret += !rest.empty() && decode_rune(rest).size > 1 ? "\uff3e" : "^";
  out += "\n | " + shown + "\n | " + caret;
}

}  // namespace

std::string SourceErrors::text() const {
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::ranges::stable_sort(order, {}, [](const Entry* entry) {
    return std::tuple(entry->where.line, entry->where.column);
  });
  std::string out;
  for (const Entry* entry : order) {
    if (!out.empty()) out += "\n";
    out += fmt::format("ERROR: <input>:{}:{}: {}", entry->where.line, entry->where.column + 1,
                       entry->message);
    if (entry->where.line < 1 || source_->size() == 0) continue;
    const std::string_view line = source_->line(entry->where.line);
    if (line.size() <= longest_snippet) append_snippet(out, line, entry->where.column);
  }
  if (count_ > entries_.size()) {
    out += fmt::format("\n{} more errors were truncated", count_ - entries_.size());
  }
  return out;
}

}  // namespace dray::cel
