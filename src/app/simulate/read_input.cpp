#include "app/simulate/read_input.h"

#include <zlib.h>

#include <array>
#include <utility>

#include "app/common/files.h"

namespace dray::app {
namespace {

/// What a trace may have when it is unpacked.
constexpr std::size_t most_bytes = std::size_t{4} << 30U;

Result<std::string> unpack(std::string packed, const std::string& path) {
  z_stream stream{};
  constexpr int gzip = 15 + 16;  // the largest window, with gzip's header
  if (inflateInit2(&stream, gzip) != Z_OK) return fail(ErrorCode::internal, "zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 1 << 16> part{};
  int status = Z_OK;
  while (status == Z_OK && text.size() < most_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
    if (status == Z_STREAM_END && stream.avail_in > 0) status = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (status == Z_STREAM_END) return text;
  return fail(ErrorCode::invalid, path + ": gzip data that cannot be unpacked");
}

}  // namespace

Result<std::string> read_input(const std::string& path) {
  auto text = read_file(path);
  if (!text || !text->starts_with("\x1f\x8b")) return text;
  return unpack(std::move(*text), path);
}

}  // namespace dray::app
