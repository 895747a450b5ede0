#include "engine/books/unreadable_book.h"

#include <utility>

namespace dray::engine {
namespace {

/// The API server takes no longer note.
constexpr std::size_t longest_note = 1024;
/// Who writes many such objects does not make a new leader write as many Events.
constexpr std::size_t told_at_once = 100;

/// At most so many bytes of it, and no part of a character.
void cut(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  const auto inside = [&] { return (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U; };
  while (most > 0 && inside()) --most;
  text.resize(most);
}

}  // namespace

std::vector<Write> UnreadableBook::put(const cluster::ObjectUnreadable& found) {
  const auto& meta = meta_of(found.object);
  const Key key{kind_of(found.object), meta.namespace_name, meta.name};
  auto& known = found_[key];
  const bool same = known.uid == meta.uid && known.problem == found.problem;
  known = {meta.uid, found.problem};
  if (same || !telling_) return {};
  return {event(key, known)};
}

void UnreadableBook::erase(Kind kind, const ObjectMeta& meta) {
  if (!found_.empty()) found_.erase({kind, meta.namespace_name, meta.name});
}

void UnreadableBook::erase(const cluster::ObjectGone& gone) {
  if (!found_.empty()) found_.erase({gone.kind, gone.namespace_name, gone.name});
}

std::vector<Write> UnreadableBook::tell_all() {
  telling_ = true;
  std::vector<Write> out;
  for (const auto& [key, found] : found_) {
    if (out.size() == told_at_once) break;
    out.push_back(event(key, found));
  }
  return out;
}

std::vector<std::size_t> UnreadableBook::counts() const {
  std::vector<std::size_t> counts(kind_table.size());
  for (const auto& [key, found] : found_) ++counts[std::to_underlying(std::get<Kind>(key))];
  return counts;
}

RecordEvent UnreadableBook::event(const Key& key, const Found& found) {
  const auto& [kind, space, name] = key;
  auto note = "dray cannot read this object, and goes on without it: " + found.problem;
  cut(note, longest_note);
  return {.pod = {space, name},
          .uid = found.uid,
          .event = {.type = "Warning",
                    .reason = "Unreadable",
                    .action = "Reading",
                    .note = std::move(note)},
          .regarding = kind};
}

}  // namespace dray::engine
