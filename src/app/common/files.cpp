#include "app/common/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "app/common/zip.h"
#include "net/file.h"
#include "wire/object/manifests.h"

namespace dray::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> manifest_endings{".yaml", ".yml", ".json"};

bool ends_with_one_of(const fs::path& path, std::span<const std::string_view> endings) {
  const auto name = path.filename().string();
  return std::ranges::any_of(endings, [&](std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending);
  });
}

/// As a sentence has them: `*.yaml, *.yml or *.json`.
std::string patterns_of(std::span<const std::string_view> endings) {
  std::string text;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    if (i > 0) text += i + 1 < endings.size() ? ", " : " or ";
    text.append("*").append(endings[i]);
  }
  return text;
}

/// As installed, or in that folder of the source tree as seen from the program.
Result<std::string> find_beside_program(const std::string& name, const fs::path& in_tree) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error).parent_path();
  const std::vector<fs::path> places{program / ".." / "share" / "dray" / name,
                                     program / in_tree / name};
  for (const auto& place : places) {
    if (fs::exists(place, error)) return fs::weakly_canonical(place, error).string();
  }
  return fail(ErrorCode::not_found, fmt::format("{}: not beside the program: looked at {} and {}",
                                                name, places[0].lexically_normal().string(),
                                                places[1].lexically_normal().string()));
}

}  // namespace

std::string in_folder(const std::string& path, const std::string& folder) {
  if (path == "-" || folder.empty() || fs::path(path).is_absolute()) return path;
  return (fs::path(folder) / path).lexically_normal().string();
}

Result<std::vector<std::string>> files_of(const std::vector<std::string>& paths,
                                          std::span<const std::string_view> endings) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (ends_with_one_of(entry.path(), endings)) found.push_back(entry.path().string());
    }
    if (error) return fail(ErrorCode::not_found, path + ": " + error.message());
    if (found.empty()) {
      return fail(ErrorCode::not_found, path + ": no " + patterns_of(endings) + " in this folder");
    }
    std::ranges::sort(found);
    std::ranges::move(found, std::back_inserter(files));
  }
  return files;
}

Result<std::vector<std::string>> manifest_files(const std::vector<std::string>& paths) {
  return files_of(paths, manifest_endings);
}

Result<std::string> read_file(const std::string& path) {
  return path == "-" ? net::read_all(STDIN_FILENO, "standard input") : net::read_file(path);
}

Result<std::vector<KubeObject>> load_cluster(const std::vector<std::string>& paths) {
  const auto files = manifest_files(paths);
  if (!files) return std::unexpected(files.error());
  std::vector<KubeObject> objects;
  for (const auto& file : *files) {
    auto text = read_file(file);
    if (text && is_zip(*text)) text = unzip(*text, "snapshot.json", file);
    if (!text) return std::unexpected(text.error());
    auto manifests = wire::load_manifests(*text, file);
    if (!manifests) return std::unexpected(manifests.error());
    for (auto& located : manifests->objects) objects.push_back(std::move(located.value));
  }
  return objects;
}

Result<std::string> find_bundled(const std::string& name) {
  return find_beside_program(name, fs::path("..") / ".." / ".." / "config");
}

Result<std::string> find_web(const std::string& name) {
  auto found = find_beside_program(name, fs::path("..") / ".." / "web");
  if (!found) return fail(found.error().code, "build it with ./dev web: " + found.error().message);
  return found;
}

}  // namespace dray::app
