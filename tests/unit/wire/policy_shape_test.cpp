#include "wire/policy/policy_shape.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dray::wire::policy_shape_test {

namespace {

/// The shape at a path of keys; `[]` and `.*` are gone through.
const PolicyShape& at(const PolicyShape& file, const std::vector<std::string_view>& keys) {
  const auto* shape = &file;
  for (const auto key : keys) {
    while (shape->item != nullptr) shape = shape->item.get();
    const auto field = std::ranges::find(shape->fields, key, &PolicyField::key);
    REQUIRE(field != shape->fields.end());
    shape = field->shape.get();
  }
  return *shape;
}

}  // namespace

TEST_CASE("each type of value has its form") {
  const auto file = policy_shape();
  struct Row {
    std::string name;
    std::vector<std::string_view> keys;
    Form form;
    std::string expected;
  };
  const auto row = GENERATE(values<Row>({
      {"the section of all", {}, Form::object, "fields"},
      {"one word", {"kind"}, Form::word, "Policy"},
      {"an enum", {"queuesFrom"}, Form::word, "file or kai"},
      {"names with rules", {"resources"}, Form::map, "names with values"},
      {"a strong name", {"resources", "deviceClass"}, Form::text, "a text"},
      {"an amount", {"resources", "amount"}, Form::quantity, "an amount, as 16, 500m or 80Gi"},
      {"an amount that may be absent",
       {"resources", "per"},
       Form::quantity,
       "an amount, as 16, 500m or 80Gi"},
      {"a list of sections", {"queues"}, Form::list, "a list"},
      {"any whole number", {"queues", "priority"}, Form::integer, "a whole number"},
      {"a whole number from 0",
       {"budgets", "evictions"},
       Form::integer,
       "a whole number of at least 0"},
      {"a whole number from 1", {"budgets", "jobs"}, Form::integer, "a whole number of at least 1"},
      {"a number", {"fairness", "strength"}, Form::number, "a number"},
      {"a boolean", {"reclaim", "enabled"}, Form::boolean, "true or false"},
      {"a time", {"aging"}, Form::duration, "a time with its unit, as 90s, 1h30m or 7d"},
      {"a section that may be absent", {"fractions"}, Form::object, "fields"},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto& shape = at(file, row.keys);
    CHECK(shape.form == row.form);
    CHECK(expected(shape) == row.expected);
  }
}

TEST_CASE("bounds may be unlimited, and weights one for all") {
  const auto file = policy_shape();
  REQUIRE(at(file, {"queues", "quota"}).item != nullptr);
  CHECK(at(file, {"queues", "quota"}).item->form == Form::bound);
  CHECK(expected(*at(file, {"queues", "limit"}).item) ==
        "an amount, as 16, 500m or 80Gi, or unlimited");
  const auto& weights = at(file, {"queues", "overQuotaWeight"});
  CHECK(weights.form == Form::quantity);
  REQUIRE(weights.alternative != nullptr);
  CHECK(weights.alternative->form == Form::map);
}

TEST_CASE("a default is part of what a key says, and the required ones are known") {
  const auto file = policy_shape();
  const auto says = [](const PolicyShape& section, std::string_view key) {
    return std::ranges::find(section.fields, key, &PolicyField::key)->doc;
  };
  CHECK(says(at(file, {"gangs"}), "staleAfter").ends_with(" Default 1m."));
  CHECK(says(at(file, {"preemption"}), "minRuntime").ends_with(" Default 0s."));
  CHECK(says(at(file, {"preemption"}), "enabled").ends_with(" Default false."));
  CHECK(says(at(file, {"podQueues"}), "labels")
            .ends_with(" Default dray.dev/queue, kai.scheduler/queue."));
  CHECK(says(file, "topology").find("Default") == std::string::npos);
  CHECK(std::ranges::count_if(file.fields, &PolicyField::required) == 2);
  CHECK(at(file, {"fractions"}).fields[0].required);
}

}  // namespace dray::wire::policy_shape_test
