#include "app/demo/demo_expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "dray/base/count_of.h"

namespace dray::app {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Takes `prefix` off the front of `text`, if it is there.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// ` with 8 devices on dgxh100-00`, after `placed`.
bool parse_placed(std::string_view text, Expected& expected) {
  if (take(text, " with ")) {
    const auto* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, expected.devices);
    if (error != std::errc()) return false;
    text = {rest, static_cast<std::size_t>(end - rest)};
    if (!take(text, " devices") && !take(text, " device")) return false;
  }
  if (take(text, " on ")) {
    expected.node = text;
    return !text.empty() && !text.contains(' ');
  }
  return text.empty();
}

/// `: words`, or nothing.
bool parse_words(std::string_view text, Expected& expected) {
  if (text.empty()) return true;
  if (!take(text, ":")) return false;
  expected.words = trim(text);
  return !expected.words.empty();
}

bool parse_one(std::string_view text, Expected& expected) {
  if (take(text, "placed")) {
    expected.kind = Outcome::Kind::placed;
    return parse_placed(text, expected);
  }
  if (take(text, "evicted")) {
    expected.kind = Outcome::Kind::evicted;
    return parse_words(text, expected);
  }
  expected.kind = Outcome::Kind::waits;
  return take(text, "waits") && parse_words(text, expected);
}

bool is(const DemoRow& row, const Expected& expected) {
  if (row.kind != expected.kind) return false;
  if (row.kind != Outcome::Kind::placed) return row.reason.contains(expected.words);
  return row.devices.size() == expected.devices &&
         (expected.node.empty() || row.node == expected.node);
}

/// In the words of a declaration.
std::string describe(const DemoRow& row) {
  switch (row.kind) {
    case Outcome::Kind::waits:
      return "waits: " + row.reason;
    case Outcome::Kind::evicted:
      return row.reason;
    case Outcome::Kind::placed:
      return fmt::format("placed with {} on {}", count_of(row.devices.size(), "device"), row.node);
  }
  return {};
}

}  // namespace

Result<std::vector<Expected>> parse_expectation(std::string_view text) {
  std::vector<Expected> rows;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(';', at), text.size());
    const auto one = trim(text.substr(at, end - at));
    if (!parse_one(one, rows.emplace_back())) {
      return fail(ErrorCode::invalid,
                  fmt::format("{}: \"{}\" is no outcome; write \"placed with 8 devices on NODE\", "
                              "\"waits: WORDS\" or \"evicted: WORDS\"",
                              expect_annotation, one));
    }
    at = end + 1;
  }
  return rows;
}

Result<Expectations> Expectations::of(const std::vector<KubeObject>& workload) {
  Expectations expectations;
  for (const auto& object : workload) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    const auto text = pod->meta.annotations.find(expect_annotation);
    if (text == pod->meta.annotations.end()) continue;
    auto rows = parse_expectation(text->second);
    if (!rows) return std::unexpected(std::move(rows.error()).within(dray::describe(object)));
    expectations.declared_.push_back({pod->key(), text->second, *std::move(rows), {}});
  }
  return expectations;
}

void Expectations::saw(const DemoRow& row) {
  const auto declared = std::ranges::find(declared_, row.pod, &Declared::pod);
  if (declared != declared_.end()) declared->seen.push_back(row);
}

bool Expectations::open() const {
  return std::ranges::any_of(
      declared_, [](const Declared& each) { return each.seen.size() < each.rows.size(); });
}

std::vector<std::string> Expectations::unmet() const {
  std::vector<std::string> lines;
  for (const auto& [pod, text, rows, seen] : declared_) {
    if (std::ranges::equal(seen, rows, is)) continue;
    std::vector<std::string> was;
    was.reserve(seen.size());
    for (const auto& row : seen) was.push_back(describe(row));
    lines.push_back(fmt::format("pod {}: declared \"{}\", but was \"{}\"", pod.to_string(), text,
                                was.empty() ? "nothing" : fmt::format("{}", fmt::join(was, "; "))));
  }
  return lines;
}

}  // namespace dray::app
