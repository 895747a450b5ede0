#include "wire/policy/policy_form.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "wire/policy/policy_codec.h"

namespace dray::wire::policy_form_test {
namespace {

std::string file_with(const std::string& rest) {
  return "apiVersion: dray.dev/v1alpha1\nkind: Policy\n" + rest;
}

ConfigNode scalar(std::string text, bool quoted = false) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::scalar;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

}  // namespace

TEST_CASE("a wrong form is told with its place and what would be right") {
  struct Row {
    std::string name, text, want;
  };
  const auto row = GENERATE(values<Row>({
      {"an unknown field", "queue: []\n", "3:1: queue: no such field; did you mean queues?"},
      {"an unknown field below", "queues:\n  - name: a\n    qouta: {gpu: 1}\n",
       "5:5: queues[0].qouta: no such field; did you mean quota?"},
      {"a field twice", "topology: [a]\ntopology: [b]\n", "4:1: topology: is there already"},
      {"a name twice", "placement: {cpu: pack, cpu: spread}\n",
       "3:24: placement.cpu: is there already"},
      {"fractions of nothing", "fractions: {memory: memory}\n",
       "3:12: fractions.deviceClass: is missing: a text"},
      {"fractions by no attribute", "fractions: {deviceClass: c, others: [1/2/3]}\n",
       "3:38: fractions.others[0]: 1/2/3 is no capacity: name or domain/name"},
      {"no unit of time", "aging: 60\n",
       "3:8: aging: expected a time with its unit, as 90s, 1h30m or 7d, not `60`"},
      {"a misspelt word", "placement: {cpu: sprad}\n",
       "3:18: placement.cpu: expected pack or spread, not `sprad`; did you mean spread?"},
      {"a bad amount", "queues: [{name: a, quota: {cpu: 12 cores}}]\n",
       "3:33: queues[0].quota.cpu: expected an amount, as 16, 500m or 80Gi, or unlimited, not "
       "`12 cores`"},
      {"a text for a boolean", "reclaim: {enabled: \"true\"}\n",
       "3:20: reclaim.enabled: expected true or false, not `true`"},
      {"yes for a boolean", "reclaim: {enabled: yes}\n",
       "3:20: reclaim.enabled: expected true or false, not `yes`"},
      {"a fraction of jobs", "budgets: {jobs: 1.5}\n",
       "3:17: budgets.jobs: expected a whole number of at least 1, not `1.5`"},
      {"no jobs", "budgets: {jobs: 0}\n",
       "3:17: budgets.jobs: expected a whole number of at least 1, not `0`"},
      {"infinity", "fairness: {strength: inf}\n",
       "3:22: fairness.strength: expected a number, not `inf`"},
      {"a word for a list", "topology: zone\n", "3:11: topology: expected a list, not `zone`"},
      {"a list for fields", "gangs: [1]\n", "3:8: gangs: expected fields, not a list"},
      {"nothing", "queues:\n", "queues: expected a list, not nothing"},
      {"a queue without a name", "queues:\n  - {priority: 1}\n",
       "4:5: queues[0].name: is missing: a text"},
      {"a number for a node", "nodeGroups: [{name: a, node: 7}]\n",
       "3:30: nodeGroups[0].node: expected a Node as in a manifest, not `7`"},
      {"a pod for a node", "nodeGroups: [{name: a, node: {kind: Pod}}]\n",
       "3:30: nodeGroups[0].node: is no Node of a version that dray knows"},
      {"an amount that is none",
       "nodeGroups: [{name: a, node: {status: {allocatable: {cpu: lots}}}}]\n",
       "quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"weights as a list", "queues: [{name: a, overQuotaWeight: [1]}]\n",
       "3:37: queues[0].overQuotaWeight: expected an amount, as 16, 500m or 80Gi, not a list"},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto file = read_policy(file_with(row.text));
    CHECK_FALSE(file.config);
    REQUIRE(file.problems.size() == 1);
    CHECK_THAT(file.problems[0].to_string(), Catch::EndsWith(row.want));
  }
}

TEST_CASE("what a scalar has to be like") {
  struct Row {
    const char* name;
    PolicyShape shape;
    ConfigNode node;
    bool fits;
  };
  const PolicyShape any{.form = Form::integer};
  const PolicyShape natural{.form = Form::integer, .minimum = 0};
  const PolicyShape word{.form = Form::word, .words = {"pack", "spread"}};
  const auto row = GENERATE_COPY(
      Row{"an empty text", {.form = Form::text}, scalar(""), false},
      Row{"a text of digits", {.form = Form::text}, scalar("1"), true},
      Row{"a word", word, scalar("pack"), true}, Row{"another", word, scalar("Pack"), false},
      Row{"a quoted boolean", {.form = Form::boolean}, scalar("true", true), false},
      Row{"the greatest integer", any, scalar("2147483647"), true},
      Row{"one more", any, scalar("2147483648"), false},
      Row{"below the least", natural, scalar("-1"), false},
      Row{"a quoted integer", natural, scalar("1", true), false},
      Row{"with a unit", natural, scalar("1s"), false},
      Row{"no number", {.form = Form::number}, scalar("nan"), false},
      Row{"a number", {.form = Form::number}, scalar("-1.5e3"), true},
      Row{"a quantity", {.form = Form::quantity}, scalar("500m"), true},
      Row{"no bound for a quantity", {.form = Form::quantity}, scalar("unlimited"), false},
      Row{"no bound", {.form = Form::bound}, scalar("unlimited"), true},
      Row{"a time without a unit", {.form = Form::duration}, scalar("90"), false},
      Row{"a time", {.form = Form::duration}, scalar("1h30m"), true},
      Row{"a list is no scalar", {.form = Form::list}, scalar("a"), false});
  DYNAMIC_SECTION(row.name) {
    CHECK(is_of_form(row.node, row.shape) == row.fits);
  }
}

TEST_CASE("a path that is not in the file stands where the next one around it does") {
  const auto file = parse_yaml("queues:\n  - name: a\n    quota:\n      gpu: 1\n");
  REQUIRE(file);
  PolicyForm form;
  form.check(*file, policy_shape(), "");
  CHECK(form.place_of("queues[0].name") == TextPlace{2, 11});
  CHECK(form.place_of("queues[0].quota.gpu") == TextPlace{4, 12});
  CHECK(form.place_of("queues[0].quota.cpu") == TextPlace{4, 7});
  CHECK(form.place_of("queues[0].limit") == TextPlace{2, 5});
  CHECK(form.place_of("queues[7].name") == form.place_of("queues"));
  CHECK(form.place_of("gangs.staleAfter") == form.place_of(""));
}

}  // namespace dray::wire::policy_form_test
