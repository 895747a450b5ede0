#include "app/simulate/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "app/common/files.h"
#include "app/simulate/gzip.h"

namespace dray::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "dray simulate: a checkpoint";
constexpr const char* inputs_name = "inputs.txt";

Error write_error(const std::string& path) {
  return {ErrorCode::invalid, path + ": cannot be written: " + std::strerror(errno)};
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return fsync(descriptor) == 0;
}

/// Under a name of its own first, so that nobody ever sees a part of it.
Result<void> write_whole(const std::string& path, std::string_view text) {
  auto own = path + ".XXXXXX";
  const int descriptor = mkostemp(own.data(), O_CLOEXEC);
  if (descriptor < 0) return std::unexpected(write_error(path));
  // As other files that a command writes; mkostemp's are the owner's alone.
  constexpr mode_t everybody_reads = 0644;
  const bool written = fchmod(descriptor, everybody_reads) == 0 && write_all(descriptor, text);
  auto error = write_error(path);
  close(descriptor);
  if (written && rename(own.c_str(), path.c_str()) == 0) return {};
  if (written) error = write_error(path);
  unlink(own.c_str());
  return std::unexpected(std::move(error));
}

std::string text_of(const std::vector<InputMark>& inputs) {
  std::string text(first_line);
  text += '\n';
  for (const auto& [name, mark] : inputs) text += fmt::format("{} {}\n", mark, name);
  return text;
}

std::vector<InputMark> inputs_in(const std::string& text) {
  std::vector<InputMark> inputs;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const auto space = std::min(line.find(' '), line.size());
    inputs.push_back({line.substr(std::min(space + 1, line.size())), line.substr(0, space)});
  }
  return inputs;
}

/// What there is differs from what a checkpoint was made with.
Result<void> check_inputs(const std::string& folder, const std::string& text,
                          const std::vector<InputMark>& inputs) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::invalid, fmt::format("--checkpoint {}: {}", folder, why));
  };
  if (!text.starts_with(first_line)) {
    return refuse(fmt::format("{} is none of a checkpoint: name another folder", inputs_name));
  }
  const auto made_with = inputs_in(text);
  std::vector<std::string> other;
  for (const auto& input : inputs) {
    if (std::ranges::find(made_with, input) == made_with.end()) other.push_back(input.name);
  }
  if (other.empty() && made_with.size() == inputs.size()) return {};
  return refuse(
      fmt::format("its runs were made with other inputs ({} {} not the same): name another folder, "
                  "or remove this one",
                  fmt::join(other, ", "), other.size() == 1 ? "is" : "are"));
}

}  // namespace

Result<Checkpoint> Checkpoint::open(const std::string& folder,
                                    const std::vector<InputMark>& inputs) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::invalid, fmt::format("--checkpoint {}: {}", folder, error.message()));
  }
  const auto wanted = text_of(inputs);
  const auto path = (fs::path(folder) / inputs_name).string();
  if (fs::exists(path, error)) {
    const auto text = read_file(path);
    if (!text) return std::unexpected(text.error());
    if (auto same = check_inputs(folder, *text, inputs); !same) {
      return std::unexpected(same.error());
    }
  } else {
    // lost+found is in every new volume, and a process that ended early leaves a file of its own.
    const bool foreign = std::ranges::any_of(
        fs::directory_iterator(folder, error), [](const fs::directory_entry& entry) {
          const auto name = entry.path().filename().string();
          return name != "lost+found" && !name.starts_with(inputs_name);
        });
    if (error || foreign) {
      return fail(ErrorCode::invalid,
                  fmt::format("--checkpoint {}: {}", folder,
                              error ? error.message()
                                    : "has other files in it: name a folder that is new or empty"));
    }
    if (auto written = write_whole(path, wanted); !written) {
      return std::unexpected(written.error());
    }
  }
  return Checkpoint(folder, Mark().add(wanted).text());
}

std::string Checkpoint::path_of(const RunKey& key) const {
  constexpr std::size_t most_of_name = 80;
  auto name = fs::path(key.policy).filename().string().substr(0, most_of_name);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-'; }, '_');
  return (fs::path(folder_) / fmt::format("{}-{}-{}.run", name, key.seed, key.mark)).string();
}

std::string Checkpoint::head_of(const RunKey& key) const {
  return fmt::format("{} {} {} {}\n", first_line, mark_, key.mark, key.seed);
}

std::optional<std::string> Checkpoint::find(const RunKey& key,
                                            std::vector<std::string>& warnings) const {
  const auto path = path_of(key);
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  auto packed = read_file(path);
  const auto head = head_of(key);
  if (packed && is_gzip(*packed)) {
    auto text = unpack_gzip(*std::move(packed), path);
    if (text && text->starts_with(head)) return text->substr(head.size());
  }
  warnings.push_back(path + ": damaged, or not written to its end: this run is made again");
  return std::nullopt;
}

Result<void> Checkpoint::keep(const RunKey& key, const std::string& bytes) {
  return write_whole(path_of(key), pack_gzip(head_of(key) + bytes));
}

}  // namespace dray::app
