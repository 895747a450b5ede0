#include "app/simulate/checkpoint.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/temp_folder.h"

namespace dray::app::checkpoint_test {
namespace {

namespace fs = std::filesystem;

const std::vector<InputMark> inputs{{"the program", "1-a"}, {"the cluster", "b"}, {"flags", "c"}};
const RunKey key{"policies/to day.yaml", "0123", 42};

fs::path only_run(const std::string& folder) {
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".run") runs.push_back(entry.path());
  }
  REQUIRE(runs.size() == 1);
  return runs.front();
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a checkpoint has the runs that were kept, and no others") {
  const testing::TempFolder temp;
  const auto folder = temp.path() + "/a/b";
  auto checkpoint = Checkpoint::open(folder, inputs);
  REQUIRE(checkpoint);
  std::vector<std::string> warnings;
  CHECK_FALSE(checkpoint->find(key, warnings));
  const std::string bytes("\0run\n", 5);
  REQUIRE(checkpoint->keep(key, bytes));
  const auto again = Checkpoint::open(folder, inputs);
  REQUIRE(again);
  CHECK(again->find(key, warnings) == bytes);
  CHECK(only_run(folder).filename() == "to_day.yaml-42-0123.run");
  auto other = key;
  SECTION("another seed") {
    other.seed = 43;
  }
  SECTION("another policy") {
    other.mark = "0124";
  }
  CHECK_FALSE(again->find(other, warnings));
  CHECK(warnings.empty());
}

TEST_CASE("a file that is cut off, changed or of another run is told, and is no run") {
  const testing::TempFolder temp;
  auto checkpoint = Checkpoint::open(temp.path(), inputs);
  REQUIRE(checkpoint);
  REQUIRE(checkpoint->keep(key, std::string(1000, 'x')));
  const auto path = only_run(temp.path());
  auto text = read(path);
  SECTION("cut off") {
    text.pop_back();
  }
  SECTION("empty") {
    text.clear();
  }
  SECTION("changed") {
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  }
  SECTION("of another run") {
    auto other = key;
    other.seed = 43;
    REQUIRE(checkpoint->keep(other, "y"));
    text = read(temp.path() + "/to_day.yaml-43-0123.run");
  }
  write(path, text);
  std::vector<std::string> warnings;
  CHECK_FALSE(checkpoint->find(key, warnings));
  CHECK(warnings ==
        std::vector<std::string>{path.string() +
                                 ": damaged, or not written to its end: this run is made again"});
  REQUIRE(checkpoint->keep(key, "new"));
  warnings.clear();
  CHECK(checkpoint->find(key, warnings) == "new");
}

TEST_CASE("a folder of other inputs, or of other files, is refused with what differs") {
  const testing::TempFolder temp;
  const auto name = "--checkpoint " + temp.path() + ": ";
  const auto refused = [&](const std::vector<InputMark>& with) {
    const auto opened = Checkpoint::open(temp.path(), with);
    return opened ? "" : opened.error().message;
  };
  SECTION("inputs") {
    REQUIRE(Checkpoint::open(temp.path(), inputs));
    auto other = inputs;
    other[1].mark = "x";
    CHECK(refused(other) == name +
                                "its runs were made with other inputs (the cluster is not the "
                                "same): name another folder, or remove this one");
    other[0].mark = "x";
    CHECK(refused(other) == name +
                                "its runs were made with other inputs (the program, the cluster "
                                "are not the same): name another folder, or remove this one");
  }
  SECTION("files") {
    write(temp.path() + "/notes.txt", "mine");
    CHECK(refused(inputs) == name + "has other files in it: name a folder that is new or empty");
    CHECK_FALSE(fs::exists(temp.path() + "/inputs.txt"));
  }
  SECTION("a file of its name") {
    write(temp.path() + "/inputs.txt", "mine");
    CHECK(refused(inputs) == name + "inputs.txt is none of a checkpoint: name another folder");
  }
  SECTION("a new volume, and what a process left that ended early") {
    fs::create_directory(temp.path() + "/lost+found");
    write(temp.path() + "/inputs.txt.Ab12Cd", "half");
    CHECK(refused(inputs).empty());
  }
}

}  // namespace dray::app::checkpoint_test
