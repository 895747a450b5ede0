#include "engine/books/unreadable_book.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dray::engine {
namespace {

/// The API server takes no longer note.
constexpr std::size_t longest_note = 1024;
constexpr Duration of_all = std::chrono::seconds(1);
constexpr std::size_t told_at_once = 100;
constexpr Duration at_once_of_all = told_at_once * of_all;
constexpr Duration of_a_namespace = std::chrono::seconds(5);
constexpr Duration at_once_of_a_namespace = 20 * of_a_namespace;

/// At most so many bytes of it, and no part of a character.
void cut(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  const auto inside = [&] { return (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U; };
  while (most > 0 && inside()) --most;
  text.resize(most);
}

}  // namespace

bool UnreadableBook::Allowance::has_room(Bucket& bucket, Duration each, Duration most, Time now) {
  const auto passed = now > bucket.at ? now - bucket.at : Duration{};
  bucket.spent = bucket.spent > passed ? bucket.spent - passed : Duration{};
  bucket.at = std::max(bucket.at, now);
  return bucket.spent + each <= most;
}

bool UnreadableBook::Allowance::take(const std::string& space, Time now) {
  if (!has_room(all_, of_all, at_once_of_all, now)) return false;
  // Those that have all of theirs again are as if they had never been here.
  std::erase_if(spaces_,
                [&](const auto& each) { return each.second.at + each.second.spent <= now; });
  auto& of_space = spaces_[space];
  if (!has_room(of_space, of_a_namespace, at_once_of_a_namespace, now)) return false;
  all_.spent += of_all;
  of_space.spent += of_a_namespace;
  return true;
}

std::vector<Write> UnreadableBook::put(const cluster::ObjectUnreadable& found, Time now) {
  const auto& meta = meta_of(found.object);
  const Key key{kind_of(found.object), meta.namespace_name, meta.name};
  auto& known = found_[key];
  const bool same = known.uid == meta.uid && known.problem == found.problem;
  known = {meta.uid, found.problem};
  if (same || !telling_ || !allowance_.take(meta.namespace_name, now)) return {};
  return {event(key, known)};
}

void UnreadableBook::erase(Kind kind, const ObjectMeta& meta) {
  if (!found_.empty()) found_.erase({kind, meta.namespace_name, meta.name});
}

void UnreadableBook::erase(const cluster::ObjectGone& gone) {
  if (!found_.empty()) found_.erase({gone.kind, gone.namespace_name, gone.name});
}

std::vector<Write> UnreadableBook::tell_all(Time now) {
  telling_ = true;
  allowance_.reset();
  std::vector<Write> out;
  for (auto at = found_.begin(); at != found_.end() && out.size() < told_at_once;) {
    const auto& [kind, space, name] = at->first;
    if (allowance_.take(space, now)) {
      out.push_back(event(at->first, at->second));
      ++at;
    } else {  // none of its others either
      at = found_.lower_bound({kind, space + '\0', {}});
    }
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
