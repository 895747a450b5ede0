#include "app/common/files.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/net/support.h"

namespace dray::app::files_test {
namespace {

using net::testing::TempFolder;

std::string namespaced(const std::string& name) {
  return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + "}\n";
}

}  // namespace

TEST_CASE("a folder stands for its manifests, by name, and for nothing else in it") {
  const TempFolder folder;
  const auto b = folder.write("b.yaml", namespaced("b"));
  const auto a = folder.write("a.yml", namespaced("a"));
  const auto c = folder.write("c.json", R"({"apiVersion":"v1","kind":"Namespace"})");
  folder.write("notes.txt", "");
  CHECK(manifest_files({folder.path(), b}) == std::vector<std::string>{a, b, c, b});
}

TEST_CASE("objects come in the order of files and documents") {
  const TempFolder folder;
  folder.write("2.yaml", namespaced("third"));
  folder.write("1.yaml", namespaced("first") + "---\n" + namespaced("second"));
  const auto objects = load_cluster({folder.path()});
  REQUIRE(objects);
  std::vector<std::string> names;
  for (const auto& object : *objects) names.push_back(meta_of(object).name);
  CHECK(names == std::vector<std::string>{"first", "second", "third"});
}

TEST_CASE(
    "of a folder come the files with one of the endings, by name; a name that is only an ending "
    "does not") {
  const TempFolder folder;
  const auto second = folder.write("2.jsonl.zst", "");
  const auto first = folder.write("1.jsonl.zst", "");
  folder.write("1.yaml", "");
  folder.write(".jsonl.zst", "");
  constexpr std::array<std::string_view, 1> endings{".jsonl.zst"};
  const auto other = folder.write("named", "");
  const auto files = files_of({other, folder.path()}, endings);
  REQUIRE(files);
  CHECK(*files == std::vector<std::string>{other, first, second});
}

TEST_CASE("what cannot be read is named") {
  const TempFolder folder;
  CHECK(read_file("/no/such").error().message ==
        "/no/such: cannot be read: no such file or directory");
  CHECK(load_cluster({"/no/such"}).error().message ==
        "/no/such: cannot be read: no such file or directory");
  CHECK(manifest_files({folder.path()}).error().message ==
        folder.path() + ": no *.yaml, *.yml or *.json in this folder");
  const auto broken = folder.write("broken.yaml", namespaced("a") + "---\nkind: [\n");
  const auto failed = load_cluster({broken});
  REQUIRE(!failed);
  CHECK(failed.error().message.starts_with(broken + ":"));
}

TEST_CASE("what is not bundled says where it was looked for") {
  const auto missing = find_bundled("no/such.yaml");
  REQUIRE(!missing);
  CHECK(missing.error().message.starts_with("no/such.yaml: not beside the program: looked at "));
  CHECK(find_bundled("demo/workload.yaml").value().ends_with("/config/demo/workload.yaml"));
}

}  // namespace dray::app::files_test
