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

struct ReadManifests {
  std::vector<KubeObject> objects;
  std::vector<sim::PodOwner> owners;
  std::vector<std::string> strangers;
};

Result<ReadManifests> read_manifests(const std::vector<std::string>& paths, wire::Owners owners) {
  const auto files = manifest_files(paths);
  if (!files) return std::unexpected(files.error());
  ReadManifests all;
  for (const auto& file : *files) {
    auto text = read_file(file);
    if (text && is_zip(*text)) text = unzip(*text, "snapshot.json", file);
    if (!text) return std::unexpected(text.error());
    auto manifests = wire::load_manifests(*text, file, owners);
    if (!manifests) return std::unexpected(manifests.error());
    for (auto& owner : manifests->owners) {
      owner.position += all.objects.size();
      all.owners.push_back(std::move(owner));
    }
    for (auto& located : manifests->objects) all.objects.push_back(std::move(located.value));
    std::ranges::move(manifests->strangers, std::back_inserter(all.strangers));
  }
  return all;
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
  auto read = read_manifests(paths, wire::Owners::skip);
  if (!read) return std::unexpected(std::move(read.error()));
  return std::move(read->objects);
}

Result<Applied> load_applied(const std::vector<std::string>& paths, bool later) {
  auto read = read_manifests(paths, wire::Owners::read);
  if (!read) return std::unexpected(std::move(read.error()));
  auto left_out = sim::add_owned_pods(read->objects, read->owners, {.later = later});
  if (!left_out) return std::unexpected(std::move(left_out.error()));
  return Applied{std::move(read->objects), *std::move(left_out), std::move(read->strangers)};
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
