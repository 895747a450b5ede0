#include "wire/policy/policy_format.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "wire/policy/policy_codec.h"

namespace dray::wire::policy_format_test {
namespace {

/// `body` below the two keys that a policy has to have.
std::string policy(const std::string& body) {
  return "apiVersion: dray.dev/v1alpha1\nkind: Policy\n" + body;
}

}  // namespace

TEST_CASE("a policy file gets its canonical form") {
  struct Row {
    std::string name;
    std::string before;
    std::string after;
  };
  const auto row = GENERATE(values<Row>({
      {"keys in their order, at the top and in queues",
       "queues:\n- limit: {gpu: 2}\n  name: a\nresources: {gpu: [{amount: 1, deviceClass: g}]}\n",
       "resources:\n  gpu: [{deviceClass: g, amount: 1}]\nqueues:\n  - {name: a, limit: {gpu: "
       "2}}\n"},
      {"names and lists stay in theirs",
       "placement:\n    gpu: pack\n    cpu: pack\ntopology: [b, a]",
       "placement: {gpu: pack, cpu: pack}\ntopology: [b, a]\n"},
      {"a comment goes with the key below it",
       "reclaim: {enabled: true}\n# of gangs\ngangs: {staleAfter: 1m}\n",
       "# of gangs\ngangs: {staleAfter: 1m}\nreclaim: {enabled: true}\n"},
      {"a comment beside a value", "shares:   spread   # parts\n", "shares: spread  # parts\n"},
      {"a comment in a list opens it", "topology: [a,\n  # one\n  b]\n",
       "topology:\n  - a\n  # one\n  - b\n"},
      {"a comment at the end of a section stays in it",
       "queues:\n  - {name: a}\n  # - {name: b}\nshares: pack\n",
       "queues:\n  - {name: a}\n  # - {name: b}\nshares: pack\n"},
      {"a comment at the end of the file", "shares: pack\n\n# end\n", "shares: pack\n\n# end\n"},
      {"one blank line of several", "shares: pack\n\n\naging: 1h\n", "shares: pack\n\naging: 1h\n"},
      {"a comment within a queue", "queues:\n  - name: a\n    # why\n    quota: {gpu: 1}\n",
       "queues:\n  - name: a\n    # why\n    quota: {gpu: 1}\n"},
      {"the first key of a queue has the comment, and is not the first any more",
       "queues:\n  - quota: {gpu: 1}  # why\n    # who\n    name: a\n",
       "queues:\n  # who\n  - {name: a, quota: {gpu: 1}}  # why\n"},
      {"quotes where they matter alone", "topology: [\"a\", 'b/c']\nqueues: [{name: \"1\"}]\n",
       "queues:\n  - {name: \"1\"}\ntopology: [a, b/c]\n"},
      {"what is long goes on several lines",
       "topology: [" + std::string(60, 'a') + ", " + std::string(60, 'b') + "]\n",
       "topology:\n  - " + std::string(60, 'a') + "\n  - " + std::string(60, 'b') + "\n"},
      {"no queues", "queues: []\n", "queues: []\n"},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto formatted = format_policy(policy(row.before));
    REQUIRE(formatted);
    CHECK(*formatted == policy(row.after));
  }
}

TEST_CASE("the header stays at the top, wherever the first key goes") {
  const auto formatted = format_policy("# header\n\nkind: Policy\napiVersion: dray.dev/v1alpha1\n");
  REQUIRE(formatted);
  CHECK(*formatted == "# header\n\napiVersion: dray.dev/v1alpha1\nkind: Policy\n");
}

TEST_CASE("what cannot be formatted is said") {
  struct Row {
    std::string name;
    std::string yaml;
    std::string want;
  };
  const auto row = GENERATE(values<Row>({
      {"no YAML", "a: [", "1:"},
      {"no such field", policy("qeues: []\n"), "3:1: qeues: no such field; did you mean queues?"},
      {"an alias", policy("topology: &t [a]\nalignment: {require: *t}\n"),
       "an alias (*) stands here"},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto formatted = format_policy(row.yaml);
    REQUIRE(!formatted);
    CHECK(formatted.error().message.contains(row.want));
  }
}

TEST_CASE("the policies of config say the same in their canonical form, and keep it") {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("config")) {
    const auto path = entry.path().string();
    if (!path.ends_with("policy.yaml") && !path.contains("config/policies/")) continue;
    if (path.ends_with(".test.yaml") || !path.ends_with(".yaml")) continue;
    CAPTURE(path);
    ++files;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto once = format_policy(text);
    REQUIRE(once);
    CHECK(format_policy(*once) == *once);
    CHECK(decode_policy(*once) == decode_policy(text));
    if (path.contains("config/policies/")) CHECK(*once == text);
  }
  CHECK(files > 2);
}

}  // namespace dray::wire::policy_format_test
