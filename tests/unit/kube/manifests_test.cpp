#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// What is installed by default, as far as other people's pods depend on it.

namespace dray::kube::manifests_test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("an admission policy whose ConfigMap or Lease is not there refuses nobody") {
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("manifests")) {
    if (!entry.is_regular_file()) continue;
    const auto text = text_of(entry.path());
    const std::string key = "parameterNotFoundAction: ";
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      ++seen;
      INFO(entry.path());
      CHECK(text.compare(at + key.size(), 5, "Allow") == 0);
    }
  }
  CHECK(seen >= 3);
}

TEST_CASE("as installed no driver's devices are dray's alone") {
  const auto text = text_of("manifests/exclusion.yaml");
  CHECK(text.find("\n  drivers: \"\"\n") != std::string::npos);
}

TEST_CASE("as installed dray answers the client alone whose certificate the README issues") {
  CHECK(text_of("manifests/dray.yaml").find("\n        - --allowed-clients=dray-scheduler\n") !=
        std::string::npos);
  CHECK(text_of("README.md").find("\n   issue dray-scheduler extendedKeyUsage=clientAuth\n") !=
        std::string::npos);
  CHECK(text_of("deploy/chart/values.yaml").find("\n  clientName: dray-scheduler\n") !=
        std::string::npos);
}

}  // namespace dray::kube::manifests_test
