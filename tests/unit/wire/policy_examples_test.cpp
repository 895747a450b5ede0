#include "wire/policy/policy_examples.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "wire/policy/policy_form.h"
#include "wire/yaml/config_node.h"

namespace dray::wire::policy_examples_test {
namespace {

struct Key {
  std::string path;
  const PolicyField* field;
};

void collect(const PolicyShape& shape, const std::string& path, std::vector<Key>& keys) {
  if (shape.form == Form::list) return collect(*shape.item, path + "[]", keys);
  if (shape.form == Form::map) return collect(*shape.item, path + ".NAME", keys);
  for (const auto& field : shape.fields) {
    keys.push_back({path_below(path, field.key), &field});
    collect(*field.shape, keys.back().path, keys);
  }
}

}  // namespace

TEST_CASE("every key has an example of its form") {
  const auto shape = policy_shape();
  std::vector<Key> keys;
  collect(shape, "", keys);
  for (const auto& key : keys) {
    CAPTURE(key.path);
    const auto text = example_of(key.path, *key.field->shape);
    REQUIRE_FALSE(text.empty());
    const auto example = parse_yaml(text);
    REQUIRE(example);
    PolicyForm form;
    form.check(*example, *key.field->shape, key.path);
    for (const auto& problem : form.problems()) FAIL_CHECK(problem.to_string());
  }
}

TEST_CASE("every row of examples is of a key that there is, and tells more than the form does") {
  const auto shape = policy_shape();
  std::vector<Key> keys;
  collect(shape, "", keys);
  for (const auto& row : key_examples()) {
    CAPTURE(row.path);
    const auto key = std::ranges::find(keys, row.path, &Key::path);
    REQUIRE(key != keys.end());
    CHECK((example_of("no such key", *key->field->shape) != row.yaml || !row.unit.empty()));
  }
}

TEST_CASE("what is counted in what") {
  CHECK(unit_of("budgets.jobs", Form::integer) == "jobs");
  CHECK(unit_of("gangs.staleAfter", Form::duration) == "ms, s, m, h, d or w");
  CHECK(unit_of("podQueues.otherwise", Form::text).empty());
}

TEST_CASE("a key without a row says what its form may say") {
  const auto example = [](Form form) {
    PolicyShape shape;
    shape.form = form;
    return example_of("new", shape);
  };
  CHECK(example(Form::duration) == "10m");
  CHECK(example(Form::boolean) == "true");
  CHECK(example(Form::integer) == "1");
  CHECK(example(Form::text).empty());
  CHECK(path_below("", "queues") == "queues");
  CHECK(path_below("queues[]", "name") == "queues[].name");
}

}  // namespace dray::wire::policy_examples_test
