#include "service/record/record_file.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace dray::service {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeWriting {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeReading {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

constexpr std::size_t chunk = std::size_t{64} * 1024;
constexpr int window_log = 23;
constexpr int most_window_log = 25;  // 32 MiB: a file says how much memory its reader needs

Error broken(const std::string& path, std::string_view why) {
  return {ErrorCode::unavailable, path + ": " + std::string(why)};
}

}  // namespace

struct RecordWriter::State {
  std::string path;
  std::unique_ptr<std::FILE, CloseFile> file;
  std::unique_ptr<ZSTD_CCtx, FreeWriting> context;
  std::uint64_t size = 0;

  Result<void> put(std::string_view text, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    std::array<char, chunk> buffer{};
    for (;;) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      const auto left = ZSTD_compressStream2(context.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0) {
        return std::unexpected(broken(path, ZSTD_getErrorName(left)));
      }
      if (std::fwrite(buffer.data(), 1, out.pos, file.get()) != out.pos) {
        return std::unexpected(broken(path, "cannot be written"));
      }
      const bool taken = in.pos == in.size;
      if (taken && (directive == ZSTD_e_continue || left == 0)) return {};
    }
  }
};

RecordWriter::RecordWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

RecordWriter::~RecordWriter() {
  (void)finish();
}

Result<void> RecordWriter::finish() {
  if (!state_->file) return {};
  auto ended = state_->put({}, ZSTD_e_end);
  if (std::fclose(state_->file.release()) != 0 && ended) {
    ended = std::unexpected(broken(state_->path, "cannot be written"));
  }
  return ended;
}

Result<std::unique_ptr<RecordWriter>> RecordWriter::create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file.reset(std::fopen(path.c_str(), "wbe"));
  if (!state->file) return std::unexpected(broken(path, "cannot be written"));
  state->context.reset(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_compressionLevel, 3);
  // Node names come again with every filter call: matches reach far back.
  ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_windowLog, window_log);
  ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_checksumFlag, 1);
  return std::unique_ptr<RecordWriter>(new RecordWriter(std::move(state)));
}

Result<void> RecordWriter::add(std::string_view line) {
  state_->size += line.size() + 1;
  if (auto put = state_->put(line, ZSTD_e_continue); !put) return put;
  return state_->put("\n", ZSTD_e_continue);
}

Result<void> RecordWriter::flush() {
  if (auto put = state_->put({}, ZSTD_e_flush); !put) return put;
  if (std::fflush(state_->file.get()) != 0) {
    return std::unexpected(broken(state_->path, "cannot be written"));
  }
  return {};
}

std::uint64_t RecordWriter::size() const {
  return state_->size;
}

namespace {

/// Cuts what is unpacked into lines, and judges it by the limits.
class LineReader {
 public:
  LineReader(const std::string& path, const std::function<Result<void>(std::string_view)>& line,
             const RecordLimits& limits)
      : path_(path), line_(line), limits_(limits) {}

  /// `packed`: the bytes of the file that have been read for it so far.
  [[nodiscard]] Result<void> take(std::string_view text, std::uint64_t packed) {
    unpacked_ += text.size();
    if (unpacked_ > limits_.total_bytes) {
      return refuse(fmt::format("the record unpacks to more than {} bytes", limits_.total_bytes));
    }
    if (unpacked_ > limits_.free_bytes + packed * limits_.most_expansion) {
      return refuse(
          fmt::format("{} bytes of the file unpack to more than {} bytes: no recorder writes such "
                      "a file",
                      packed, limits_.free_bytes + packed * limits_.most_expansion));
    }
    while (!text.empty()) {
      const auto end = text.find('\n');
      const auto part = text.substr(0, end);
      if (rest_.size() + part.size() > limits_.line_bytes) {
        return refuse(
            fmt::format("a line has at most {} bytes, and this one is longer", limits_.line_bytes));
      }
      rest_.append(part);
      if (end == std::string_view::npos) return {};
      if (auto taken = take_line(packed); !taken) return taken;
      text.remove_prefix(end + 1);
    }
    return {};
  }

 private:
  [[nodiscard]] Result<void> take_line(std::uint64_t packed) {
    objects_ += static_cast<std::uint64_t>(
        std::ranges::count_if(rest_, [](char c) { return c == '{' || c == '['; }));
    const auto most = limits_.free_objects + packed * limits_.objects_a_byte;
    if (objects_ > most) {
      return refuse(
          fmt::format("{} bytes of the file hold more than {} JSON objects and lists: no "
                      "recorder writes such a file",
                      packed, most));
    }
    if (auto taken = line_(rest_); !taken) {
      return std::unexpected(std::move(taken.error()).within(place()));
    }
    rest_.clear();
    ++number_;
    return {};
  }
  [[nodiscard]] std::string place() const { return fmt::format("{}:{}", path_, number_); }
  [[nodiscard]] Result<void> refuse(const std::string& why) const {
    return fail(ErrorCode::invalid, place() + ": " + why);
  }

  const std::string& path_;
  const std::function<Result<void>(std::string_view)>& line_;
  const RecordLimits& limits_;
  std::string rest_;  ///< of a line that is not whole yet
  std::uint64_t number_ = 1;
  std::uint64_t unpacked_ = 0;
  std::uint64_t objects_ = 0;
};

}  // namespace

Result<void> read_record(const std::string& path,
                         const std::function<Result<void>(std::string_view)>& line,
                         const RecordLimits& limits) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return fail(ErrorCode::not_found, path + ": cannot be read");
  const std::unique_ptr<ZSTD_DCtx, FreeReading> context(ZSTD_createDCtx());
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, most_window_log);
  LineReader lines(path, line, limits);
  std::vector<char> read(chunk);
  std::vector<char> made(chunk);
  std::uint64_t packed = 0;
  while (const auto count = std::fread(read.data(), 1, read.size(), file.get())) {
    packed += count;
    ZSTD_inBuffer in{read.data(), count, 0};
    bool more = true;
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{made.data(), made.size(), 0};
      const auto left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left) != 0) {
        return fail(ErrorCode::invalid, path + ": no record: " + ZSTD_getErrorName(left));
      }
      more = out.pos == out.size;
      if (auto taken = lines.take({made.data(), out.pos}, packed); !taken) return taken;
    }
  }
  return {};
}

}  // namespace dray::service
