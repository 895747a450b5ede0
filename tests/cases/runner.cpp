#include "tests/cases/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace dray::cases {

namespace fs = std::filesystem;

void Report::fail(const std::string& id, const std::string& got, const std::string& want) {
  ++failed_;
  fmt::print("FAIL {}\n  got:  {}\n  want: {}\n", id, got, want);
}

void Report::differs(const std::string& id, const std::string& got, const std::string& want,
                     const std::string& why) {
  skip("differs on purpose");
  fmt::print("DIFFERS {}\n  got:  {}\n  peer: {}\n  why:  {}\n", id, got, want, why);
}

void Report::close() const {
  std::size_t skipped = 0;
  for (const auto& [cause, count] : skipped_) {
    fmt::print("skipped {}: {}\n", count, cause);
    skipped += count;
  }
  fmt::print("{} passed, {} failed, {} skipped\n", passed_, failed_, skipped);
}

std::string Case::id() const {
  for (const char* key : {"id", "name"}) {
    if (json.is_object() && json.contains(key) && json[key].is_string()) {
      return json[key].get<std::string>();
    }
  }
  return fmt::format("{}:{}", file.filename().string(), line);
}

namespace {

std::map<std::string, FileSuite>& suites() {
  static std::map<std::string, FileSuite> all;
  return all;
}

/// The files that an argument stands for, sorted.
std::vector<fs::path> files_of(const fs::path& argument) {
  if (!fs::is_directory(argument)) return {argument};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(argument)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Register::Register(const char* name, FileSuite suite) {
  suites()[name] = std::move(suite);
}

Register::Register(const char* name, Suite suite)
    : Register(name, FileSuite([suite = std::move(suite)](const fs::path& file, Report& report) {
                 for (const Case& one : read_cases(file)) suite(one, report);
               })) {}

std::vector<Case> read_cases(const fs::path& file) {
  std::vector<Case> cases;
  const std::string text = read_text(file);
  if (file.extension() == ".json") {
    const Json all = Json::parse(text);
    for (std::size_t i = 0; i < all.size(); ++i) cases.push_back({file, i + 1, all[i]});
    return cases;
  }
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    ++line;
    if (end > at) cases.push_back({file, line, Json::parse(text.substr(at, end - at))});
    at = end + 1;
  }
  return cases;
}

Json read_beside(const fs::path& file, const std::string& name) {
  const fs::path side = file.parent_path() / name;
  return fs::exists(side) ? Json::parse(read_text(side)) : Json();
}

int run(int argc, char** argv) {
  if (argc < 3 || !suites().contains(argv[1])) {
    fmt::print(stderr, "usage: dray_cases SUITE [--strict] FILE|DIR...\nsuites:");
    for (const auto& [name, suite] : suites()) fmt::print(stderr, " {}", name);
    fmt::print(stderr, "\n");
    return 2;
  }
  Report report;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--strict") {
      report.be_strict();
      continue;
    }
    if (!fs::exists(argv[i])) {
      fmt::print(stderr, "{}: no such file\n", argv[i]);
      return 2;
    }
    for (const fs::path& file : files_of(argv[i])) suites()[argv[1]](file, report);
  }
  report.close();
  return report.ok() ? 0 : 1;
}

}  // namespace dray::cases
