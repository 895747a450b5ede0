#include "app/simulate/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "app/common/unpacked_size.h"

namespace dray::app {
namespace {

constexpr int gzip = 15 + 16;  // the largest window, with gzip's header

}  // namespace

bool is_gzip(std::string_view text) {
  return text.starts_with("\x1f\x8b");
}

Result<std::string> unpack_gzip(std::string packed, const std::string& path) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip) != Z_OK) return fail(ErrorCode::internal, "zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 1 << 16> part{};
  const auto most = most_unpacked(packed.size());
  int status = Z_OK;
  while (status == Z_OK && text.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
    if (status == Z_STREAM_END && stream.avail_in > 0) status = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (text.size() > most) {
    return fail(ErrorCode::invalid,
                fmt::format("{}: {} bytes of gzip data unpack to more than {} bytes: unpack it "
                            "yourself if you trust it",
                            path, packed.size(), most));
  }
  if (status == Z_STREAM_END) return text;
  return fail(ErrorCode::invalid, path + ": gzip data that cannot be unpacked");
}

std::string pack_gzip(std::string text) {
  z_stream stream{};
  constexpr int memory = 8;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string packed;
  std::array<char, 1 << 16> part{};
  std::size_t given = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) {
      const auto count =
          std::min<std::size_t>(text.size() - given, std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(text.data() + given);
      stream.avail_in = static_cast<uInt>(count);
      given += count;
    }
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    status = deflate(&stream, given == text.size() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(part.data(), part.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return packed;
}

}  // namespace dray::app
