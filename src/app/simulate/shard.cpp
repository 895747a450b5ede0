#include "app/simulate/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace dray::app {
namespace {

constexpr std::string_view head = R"({"shard":")";
constexpr std::string_view middle = R"(","runs":[)";
constexpr std::string_view tail = "]}\n";
constexpr std::size_t most_shards = 100'000;

struct ShardText {
  Shard shard;
  std::vector<std::string_view> runs;
};

/// The elements of a list of objects: what stands between commas that are in none of them.
std::vector<std::string_view> elements(std::string_view list) {
  std::vector<std::string_view> found;
  std::size_t begin = 0;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != ',' || depth > 0) continue;
    found.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  if (begin < list.size()) found.push_back(list.substr(begin));
  return found;
}

/// Without the lines for people, which the log of a container has, too.
std::string_view without_warnings(std::string_view text) {
  constexpr std::string_view warning = "dray simulate: ";
  while (text.starts_with(warning)) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return text;
}

std::optional<ShardText> read_shard(std::string_view text) {
  text = without_warnings(text);
  if (!text.starts_with(head) || !text.ends_with(tail)) return std::nullopt;
  const auto end = text.find(middle);
  if (end == std::string_view::npos) return std::nullopt;
  auto shard = parse_shard(std::string(text.substr(head.size(), end - head.size())));
  if (!shard) return std::nullopt;
  text.remove_suffix(tail.size());
  return ShardText{*shard, elements(text.substr(end + middle.size()))};
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  if (text.empty()) return Shard{};
  Shard shard;
  const auto* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool by = index.ec == std::errc{} && index.ptr != end && *index.ptr == '/';
  const auto count = by ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!by || count.ec != std::errc{} || count.ptr != end || shard.index >= shard.count ||
      shard.count > most_shards) {
    return fail(ErrorCode::invalid,
                fmt::format("--shard {}: expected INDEX/COUNT, as 0/8 to 7/8, of at most {}", text,
                            most_shards));
  }
  return shard;
}

std::vector<std::size_t> runs_of(const Shard& shard, std::size_t runs) {
  std::vector<std::size_t> numbers;
  for (auto at = shard.index; at < runs; at += shard.count) numbers.push_back(at);
  return numbers;
}

std::string name_shard(std::string json, const Shard& shard) {
  if (shard.count == 1) return json;
  return fmt::format("{}{}/{}\",{}", head, shard.index, shard.count, json.substr(1));
}

Result<std::string> merge_shards(const std::vector<std::string>& texts) {
  std::vector<std::optional<ShardText>> shards;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto shard = read_shard(texts[i]);
    if (!shard) {
      return fail(
          ErrorCode::invalid,
          fmt::format("file {}: not what `dray simulate --shard I/N -o json` prints", i + 1));
    }
    if (shards.empty()) shards.resize(shard->shard.count);
    const auto& [index, count] = shard->shard;
    if (count != shards.size() || shards[index]) {
      return fail(ErrorCode::invalid,
                  fmt::format("file {}: shard {}/{} is {}", i + 1, index, count,
                              count == shards.size() ? "there twice" : "of another run"));
    }
    shards[index] = std::move(shard);
  }
  std::string text = R"({"runs":[)";
  for (std::size_t at = 0; !shards.empty(); ++at) {
    const auto& shard = shards[at % shards.size()];
    if (!shard) {
      return fail(ErrorCode::invalid,
                  fmt::format("shard {}/{} is missing", at % shards.size(), shards.size()));
    }
    const auto turn = at / shards.size();
    if (turn >= shard->runs.size()) break;
    if (at > 0) text += ',';
    text += shard->runs[turn];
  }
  return text + std::string(tail);
}

}  // namespace dray::app
