#include "app/common/cluster_source.h"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include "dray/cluster/snapshot.h"
#include "tests/unit/net/support.h"

namespace dray::app::cluster_source_test {
namespace {

using net::testing::TempFolder;

std::string device_class(const std::string& name, const std::string& expression) {
  return "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: " + name +
         "}\nspec: {selectors: [{cel: {expression: '" + expression + "'}}]}\n";
}

ClusterSource parsed(const std::vector<std::string>& arguments) {
  CLI::App app;
  ClusterSource source;
  add_cluster_source(app, source);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  return source;
}

}  // namespace

TEST_CASE("files come on top of the cluster, and replace what has the same name") {
  const TempFolder folder;
  const auto base =
      folder.write("base.yaml", device_class("a", "true") + "---\n" + device_class("b", "true"));
  const auto over = folder.write("over.yaml", device_class("b", "false"));
  const auto objects = load_objects(parsed({"--cluster", base, "-f", over}));
  REQUIRE(objects);
  REQUIRE(objects->objects.size() == 2);
  const auto& b = std::get<DeviceClass>(objects->objects[1]);
  CHECK(b.meta.name == "b");
  CHECK(b.selectors.at(0).cel == "false");
  CHECK_FALSE(b.meta.uid.get().empty());
  CHECK(snapshot_of(objects->objects)->device_class(ClassName("a")) != nullptr);
}

TEST_CASE("-f and --cluster may be repeated") {
  const auto source = parsed({"-f", "1", "-f", "2", "--cluster", "3", "--cluster", "4"});
  CHECK(source.files == std::vector<std::string>{"1", "2"});
  CHECK(source.cluster == std::vector<std::string>{"3", "4"});
}

TEST_CASE("--cluster and --kubeconfig exclude each other") {
  CHECK_THROWS_AS(parsed({"--cluster", "a", "--kubeconfig", "b"}), CLI::ExcludesError);
  CHECK_THROWS_AS(parsed({"--cluster", "a", "--context", "b"}), CLI::ExcludesError);
}

TEST_CASE("where nothing is named, the cluster is the one that kubectl would ask") {
  const TempFolder folder;
  const auto path = folder.write("config", "kind: Config");
  const ClusterSource named{{}, {}, "", "", [&](const char* name) {
                              return std::string_view(name) == "KUBECONFIG" ? std::optional(path)
                                                                            : std::nullopt;
                            }};
  CHECK(named.live());
  CHECK(load_objects(named).error().message == "kubeconfig " + path + ": sets no current-context");
  auto files = named;
  files.files = {"a.yaml"};
  CHECK_FALSE(files.live());
  files.context = "prod";
  CHECK(files.live());
}

TEST_CASE("what cannot be read is said with its place") {
  const TempFolder folder;
  const auto nowhere = [](const char*) { return std::optional<std::string>(); };
  CHECK(load_objects({{}, {}, "", "", nowhere}).error().message ==
        "no cluster to look at: give -f FILE, --cluster DIR or --kubeconfig FILE");
  CHECK(load_objects({{}, {folder.path()}, "", ""}).error().message ==
        folder.path() + ": no *.yaml, *.yml or *.json in this folder");
  CHECK(load_objects({{folder.path() + "/absent.yaml"}, {}, "", ""}).error().message ==
        folder.path() + "/absent.yaml: cannot be read: no such file or directory");
  const auto bad = folder.write("bad.yaml", "kind: Pod\napiVersion: v1\nmetadata: {name: [1]}\n");
  const auto error = load_objects({{bad}, {}, "", ""}).error().message;
  CHECK_THAT(error, Catch::StartsWith(bad + ":3: "));
  CHECK_THAT(load_objects({{}, {}, folder.path() + "/config", ""}).error().message,
             Catch::StartsWith("kubeconfig: " + folder.path() + "/config"));
}

}  // namespace dray::app::cluster_source_test
