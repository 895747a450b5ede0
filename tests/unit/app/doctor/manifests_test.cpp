#include "app/doctor/manifests.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace dray::app::manifests_test {

TEST_CASE("the program knows every file that is installed, word for word") {
  std::size_t files = 0;
  for (const auto* folder : {"manifests", "deploy/chart/reader"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const auto name = entry.path().filename().string();
      if (entry.is_directory() || name == "kustomization.yaml") continue;
      ++files;
      INFO(name);
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      const auto embedded = std::ranges::find(embedded_manifests(), name, &EmbeddedFile::name);
      REQUIRE(embedded != embedded_manifests().end());
      CHECK(embedded->text == text);
    }
  }
  CHECK(embedded_manifests().size() == files);
}

TEST_CASE("the objects of manifests/, where the API has them") {
  const auto objects = installed_objects();
  const auto gate =
      std::ranges::find(objects, "MutatingAdmissionPolicyBinding dray-gate", &Installed::describe);
  REQUIRE(gate != objects.end());
  CHECK(gate->path() ==
        "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings/dray-gate");
  CHECK(gate->is_admission());
  CHECK(gate->is_binding());
  const auto exclusion =
      std::ranges::find(objects, "ConfigMap dray-system/dray-exclusion", &Installed::describe);
  REQUIRE(exclusion != objects.end());
  CHECK(exclusion->path() == "/api/v1/namespaces/dray-system/configmaps/dray-exclusion");
  CHECK(!exclusion->is_admission());
  CHECK(resource_path("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "") ==
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies");
}

TEST_CASE("every admission policy has a binding") {
  const auto objects = installed_objects();
  for (const auto& object : objects) {
    if (!object.is_admission() || object.is_binding()) continue;
    INFO(object.describe());
    CHECK(std::ranges::any_of(objects, [&](const Installed& other) {
      return other.kind == object.kind + "Binding" &&
             text_at(other.tree, {"spec", "policyName"}) == object.name;
    }));
  }
}

}  // namespace dray::app::manifests_test
