#include "wire/policy/policy_writer.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "wire/policy/policy_codec.h"

namespace dray::wire::policy_writer_test {
namespace {

/// A value of every form that the file has.
constexpr auto file = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
queuesFrom: file
resources:
  gpu: [{deviceClass: gpu.nvidia.com, amount: 1}, {deviceClass: mig.nvidia.com, capacity: memory, per: 80Gi}]
queues:
  - {name: team, quota: {gpu: 16}, limit: {gpu: unlimited, cpu: 500m}, overQuotaWeight: 2}
  - {name: a, parent: team, priority: 7, overQuotaWeight: {gpu: 3}, gangs: [job, jobSet],
     preemptMinRuntime: 90s, placement: {gpu: spread}, namespaces: [x], serviceAccounts: [y/z]}
  - {name: b, parent: team, gangs: []}
podQueues: {labels: [queue], namespaces: {x: a}, otherwise: b}
shares: spread
alignment: {prefer: [numa], aliases: {numa: [dra.net/numaNode]}}
topology: [zone, rack]
fairness: {halfLife: 7d}
aging: 1h30m
reclaim: {enabled: true}
)";

TEST_CASE("a policy is read as it was written") {
  const auto config = decode_policy(file);
  REQUIRE(config);
  CAPTURE(encode_policy(*config));
  const auto again = decode_policy(encode_policy(*config));
  REQUIRE(again);
  CHECK(*again == *config);
  CHECK(again->queues.at(2).gangs == std::vector<policy::GangOwner>{});
}

/// A file's text.
std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("so are those that dray comes with") {
  std::vector<std::filesystem::path> paths{"config/policy.yaml", "config/demo/policy.yaml"};
  for (const auto& entry : std::filesystem::directory_iterator("config/policies")) {
    if (!entry.path().string().ends_with(".test.yaml")) paths.push_back(entry.path());
  }
  CHECK(paths.size() > 4);
  for (const auto& path : paths) {
    CAPTURE(path);
    const auto config = decode_policy(text_of(path));
    REQUIRE(config);
    const auto again = decode_policy(encode_policy(*config));
    REQUIRE(again);
    CHECK(*again == *config);
  }
}

TEST_CASE("so is one that says nothing") {
  const auto again = decode_policy(encode_policy(policy::PolicyConfig()));
  REQUIRE(again);
  CHECK(*again == policy::PolicyConfig());
}

}  // namespace
}  // namespace dray::wire::policy_writer_test
