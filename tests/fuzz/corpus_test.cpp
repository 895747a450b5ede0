#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "dray/base/check.h"
#include "tests/fuzz/targets.h"

namespace dray::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The stems of the files of a folder, or the names of its folders.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : entries_of(folder)) names.push_back(entry.stem().string());
  return names;
}

TEST_CASE("every input of the corpora is taken as its target says") {
  for (const auto& target : targets()) {
    const auto inputs = entries_of(fs::path("tests/fuzz/corpus") / target.name);
    CHECK(inputs.size() > 1);
    for (const auto& path : inputs) {
      const auto bytes = content_of(path);
      const auto broken = run_checked([&] { target.run(bytes); });
      INFO(path);
      INFO((broken ? broken->text : ""));
      CHECK_FALSE(broken);
    }
  }
}

TEST_CASE("every target stands in the table, and has a corpus") {
  std::vector<std::string> names;
  for (const auto& target : targets()) names.emplace_back(target.name);
  CHECK(names_in("tests/fuzz/target") == names);
  CHECK(names_in("tests/fuzz/corpus") == names);
}

TEST_CASE("no target fails without an input") {
  for (const auto& target : targets()) {
    INFO(target.name);
    CHECK(!run_checked([&] { target.run(""); }));
  }
}

}  // namespace
}  // namespace dray::fuzz
