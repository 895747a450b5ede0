#include "service/record/record_file.h"

#include <zstd.h>

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
  (void)state_->put({}, ZSTD_e_end);
}

Result<std::unique_ptr<RecordWriter>> RecordWriter::create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file.reset(std::fopen(path.c_str(), "wbe"));
  if (!state->file) return std::unexpected(broken(path, "cannot be written"));
  state->context.reset(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_compressionLevel, 3);
  // Node names come again with every filter call: matches reach far back.
  ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_windowLog, 23);
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

Result<void> read_record(const std::string& path,
                         const std::function<Result<void>(std::string_view)>& line) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return fail(ErrorCode::not_found, path + ": cannot be read");
  const std::unique_ptr<ZSTD_DCtx, FreeReading> context(ZSTD_createDCtx());
  std::vector<char> read(chunk);
  std::vector<char> made(chunk);
  std::string rest;
  while (const auto count = std::fread(read.data(), 1, read.size(), file.get())) {
    ZSTD_inBuffer in{read.data(), count, 0};
    bool more = true;
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{made.data(), made.size(), 0};
      const auto left = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(left) != 0) {
        return fail(ErrorCode::invalid, path + ": no record: " + ZSTD_getErrorName(left));
      }
      more = out.pos == out.size;
      rest.append(made.data(), out.pos);
      std::size_t start = 0;
      for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', start)) {
        if (auto taken = line(std::string_view(rest).substr(start, end - start)); !taken) {
          return std::unexpected(std::move(taken.error()).within(path));
        }
        start = end + 1;
      }
      rest.erase(0, start);
    }
  }
  return {};
}

}  // namespace dray::service
