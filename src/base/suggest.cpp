#include "dray/base/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace dray {

namespace {

bool same_letter(char a, char b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(a) == lower(b);
}

/// Levenshtein's distance, capitals aside.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto substituted = diagonal + (same_letter(a[i], b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string suggest_near(std::string_view word, std::span<const std::string> known) {
  if (known.empty()) return "";
  const auto closest = std::ranges::min_element(
      known, {}, [&](const std::string& other) { return distance(word, other); });
  // Less than half of the word is wrong.
  return distance(word, *closest) * 2 < word.size() ? fmt::format("; did you mean {}?", *closest)
                                                    : "";
}

std::string suggest(std::string_view word, std::span<const std::string> known) {
  if (known.empty()) return "";
  auto near = suggest_near(word, known);
  if (!near.empty()) return near;
  return fmt::format("; there {} {}", known.size() == 1 ? "is" : "are", fmt::join(known, ", "));
}

}  // namespace dray
