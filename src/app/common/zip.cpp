#include "app/common/zip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/common/unpacked_size.h"

namespace dray::app {
namespace {

// PKWARE's APPNOTE.TXT, 4.3: the directory stands at the end, and has the sizes that the head of a
// file that was written as a stream has not.
constexpr std::string_view file_head = "PK\x03\x04";
constexpr std::string_view directory_entry = "PK\x01\x02";
constexpr std::string_view directory_end = "PK\x05\x06";
constexpr std::size_t file_head_size = 30;
constexpr std::size_t entry_size = 46;
constexpr std::size_t end_size = 22;

/// A number at a place, the lowest byte first; 0 where the text has none there.
std::uint32_t number_at(std::string_view text, std::size_t at, std::size_t bytes) {
  if (at > text.size() || bytes > text.size() - at) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
  }
  return value;
}

struct Entry {
  std::string name;
  bool encrypted = false;
  std::uint32_t method = 0;
  std::uint32_t crc = 0;
  std::uint32_t packed = 0;
  std::uint32_t size = 0;
  std::uint32_t head = 0;  ///< where the file begins
};

/// Nothing where the directory is not as it should be.
std::optional<std::vector<Entry>> entries_of(std::string_view archive) {
  const auto end = archive.rfind(directory_end);
  if (end == std::string_view::npos || archive.size() - end < end_size) return std::nullopt;
  const auto count = number_at(archive, end + 10, 2);
  std::size_t at = number_at(archive, end + 16, 4);
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (at > archive.size() || archive.size() - at < entry_size ||
        !archive.substr(at).starts_with(directory_entry)) {
      return std::nullopt;
    }
    const auto name_size = number_at(archive, at + 28, 2);
    Entry entry;
    entry.name = archive.substr(at + entry_size, name_size);
    entry.encrypted = (number_at(archive, at + 8, 2) & 1U) != 0;
    entry.method = number_at(archive, at + 10, 2);
    entry.crc = number_at(archive, at + 16, 4);
    entry.packed = number_at(archive, at + 20, 4);
    entry.size = number_at(archive, at + 24, 4);
    entry.head = number_at(archive, at + 42, 4);
    at += entry_size + name_size + number_at(archive, at + 30, 2) + number_at(archive, at + 32, 2);
    if (!entry.name.ends_with('/')) entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<std::string> inflate_raw(std::string_view packed, std::size_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  std::string text(size, 0);
  std::string in(packed);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(size);
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!whole) return std::nullopt;
  return text;
}

/// Nothing where the file is damaged, or cut off.
std::optional<std::string> content_of(std::string_view archive, const Entry& entry) {
  constexpr std::uint32_t stored = 0;
  // deflate makes nothing smaller than a thousandth: who claims more has no such file.
  constexpr std::uint64_t most_ratio = 1100;
  const bool plausible = entry.size <= (std::uint64_t{entry.packed} + 1) * most_ratio;
  const auto begin = std::size_t{entry.head} + file_head_size +
                     number_at(archive, std::size_t{entry.head} + 26, 2) +
                     number_at(archive, std::size_t{entry.head} + 28, 2);
  if (!plausible || begin > archive.size() || entry.packed > archive.size() - begin) {
    return std::nullopt;
  }
  const auto packed = archive.substr(begin, entry.packed);
  auto text =
      entry.method == stored ? std::optional(std::string(packed)) : inflate_raw(packed, entry.size);
  if (!text || text->size() != entry.size) return std::nullopt;
  const auto* bytes = reinterpret_cast<const Bytef*>(text->data());
  if (crc32(0, bytes, static_cast<uInt>(text->size())) != entry.crc) return std::nullopt;
  return text;
}

}  // namespace

bool is_zip(std::string_view text) {
  return text.starts_with(file_head);
}

Result<std::string> unzip(std::string_view archive, std::string_view name,
                          const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::invalid, path + ": " + why);
  };
  const auto entries = entries_of(archive);
  if (!entries) return refuse("a ZIP archive that is cut off or damaged");
  const Entry* found = entries->size() == 1 ? &entries->front() : nullptr;
  std::vector<std::string_view> names;
  for (const auto& entry : *entries) {
    if (entry.name == name) found = &entry;
    names.push_back(entry.name);
  }
  if (found == nullptr) {
    return refuse(
        fmt::format("a ZIP archive without {}: it has {}", name,
                    names.empty() ? "no file" : fmt::format("{}", fmt::join(names, ", "))));
  }
  constexpr std::uint32_t deflated = 8;
  if (found->encrypted || (found->method != 0 && found->method != deflated)) {
    return refuse(found->name + " in it is encrypted, or packed by another method than deflate");
  }
  if (const auto most = most_unpacked(found->packed); found->size > most) {
    return refuse(
        fmt::format("{} in it has {} bytes packed, and says that it unpacks to {}, which "
                    "is more than {}: unpack it yourself if you trust it",
                    found->name, found->packed, found->size, most));
  }
  auto text = content_of(archive, *found);
  if (!text) return refuse(found->name + " in it is cut off or damaged");
  return *std::move(text);
}

}  // namespace dray::app
