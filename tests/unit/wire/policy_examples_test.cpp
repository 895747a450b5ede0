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

bool is_amount(Form form) {
  return form == Form::integer || form == Form::number || form == Form::quantity ||
         form == Form::duration;
}

}  // namespace

TEST_CASE("every key has an example of its form, and every amount a unit") {
  const auto shape = policy_shape();
  std::vector<Key> keys;
  collect(shape, "", keys);
  CHECK(keys.size() == key_examples().size());
  for (const auto& key : keys) {
    CAPTURE(key.path);
    const auto example = parse_yaml(example_of(key.path).yaml);
    REQUIRE(example);
    PolicyForm form;
    form.check(*example, *key.field->shape, key.path);
    for (const auto& problem : form.problems()) FAIL_CHECK(problem.to_string());
    CHECK(unit_of(key.path, key.field->shape->form).empty() !=
          (is_amount(key.field->shape->form) || key.path == "queues[].quota" ||
           key.path == "queues[].limit"));
  }
}

TEST_CASE("a key that there is not has no example") {
  CHECK(example_of("queues[].quotas").yaml.empty());
  CHECK(path_below("", "queues") == "queues");
  CHECK(path_below("queues[]", "name") == "queues[].name");
}

}  // namespace dray::wire::policy_examples_test
