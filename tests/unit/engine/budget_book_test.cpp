#include "engine/books/budget_book.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::budget_book_test {
namespace {

using namespace std::chrono_literals;

PodDisruptionBudget budget(std::int32_t allowed) {
  PodDisruptionBudget object;
  object.meta.namespace_name = "default";
  object.meta.name = "b";
  object.meta.uid = Uid("uid-b");
  object.selector = LabelSelector{.match_labels = {{"app", "x"}}, .match_expressions = {}};
  object.disruptions_allowed = allowed;
  return object;
}

Pod labelled(const std::string& name, const std::string& app) {
  auto pod = make_pod(name, "");
  pod.meta.labels["app"] = app;
  return pod;
}

TEST_CASE("a budget covers the pods that its selector does, whoever came first") {
  BudgetBook book;
  book.put(labelled("p0", "x"));
  CHECK(book.observe(budget(1)));
  CHECK(!book.observe(budget(1)));
  book.put(labelled("p1", "x"));
  book.put(labelled("p2", "y"));
  auto found = book.budgets(start);
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "default/b");
  CHECK(found[0].allowed == 1);
  CHECK(found[0].pods == std::vector{Uid("uid-p0"), Uid("uid-p1")});
  CHECK(book.observe(budget(0)));
  book.put(labelled("p1", "y"));
  book.erase(Uid("uid-p0"));
  CHECK(book.budgets(start).empty());
  CHECK(book.forget(Kind::pod_disruption_budget, "default", "b"));
}

TEST_CASE("a budget whose selector changes covers others from then on") {
  BudgetBook book;
  book.put(labelled("p0", "x"));
  book.put(labelled("p1", "y"));
  auto object = budget(1);
  CHECK(book.observe(object));
  object.selector->match_labels = {{"app", "y"}};
  CHECK(book.observe(object));
  const auto found = book.budgets(start);
  REQUIRE(found.size() == 1);
  CHECK(found[0].pods == std::vector{Uid("uid-p1")});
}

TEST_CASE("a budget finds its pods by any form of selector, in its own namespace") {
  BudgetBook book;
  book.put(labelled("p0", "x"));
  auto elsewhere = labelled("p1", "x");
  elsewhere.meta.namespace_name = "other";
  book.put(elsewhere);
  book.put(labelled("p2", "y"));
  struct Row {
    const char* name;
    LabelSelector selector;
    std::vector<Uid> before;  ///< of p0 and p2, and after p2 has another label
    std::vector<Uid> after;
  };
  const std::vector<Uid> p0{Uid("uid-p0")};
  const std::vector<Uid> both{Uid("uid-p0"), Uid("uid-p2")};
  const auto row = GENERATE_COPY(values<Row>({
      {"all", {}, both, both},
      {"one value", {{{"app", "x"}}, {}}, p0, both},
      {"two labels", {{{"app", "x"}, {"tier", "db"}}, {}}, {}, {}},
      {"some values", {{}, {{"app", "In", {"w", "x"}}}}, p0, both},
      {"any value", {{}, {{"app", "Exists", {}}}}, both, both},
      {"another value", {{}, {{"app", "NotIn", {"y"}}}}, p0, both},
      {"no value", {{}, {{"tier", "DoesNotExist", {}}}}, both, both},
  }));
  auto object = budget(1);
  object.selector = row.selector;
  CHECK(book.observe(object));
  const auto covered = [&] {
    const auto found = book.budgets(start);
    return found.empty() ? std::vector<Uid>()
                         : std::vector<Uid>(found[0].pods.begin(), found[0].pods.end());
  };
  DYNAMIC_SECTION(row.name) {
    CHECK(covered() == row.before);
    book.put(labelled("p2", "x"));
    CHECK(covered() == row.after);
    CHECK(book.forget(Kind::pod_disruption_budget, "default", "b"));
    CHECK(covered().empty());
    CHECK(book.observe(object));
    CHECK(covered() == row.after);
  }
}

TEST_CASE("budgets and pods that have nothing to do with each other are not compared") {
  BudgetBook book;
  constexpr int many = 300;
  for (int i = 0; i < many; ++i) {
    auto object = budget(1);
    object.meta.name = "b" + std::to_string(i);
    object.selector->match_labels = {{"app", std::to_string(i)}};
    CHECK(book.observe(object));
    book.put(labelled("p" + std::to_string(i), std::to_string(i)));
  }
  CHECK(book.compared() == many);
  auto moved = budget(0);
  moved.meta.name = "b7";
  moved.selector->match_labels = {{"app", "7"}};
  CHECK(book.observe(moved));
  CHECK(book.compared() == many);
  const auto first = book.budgets(start);
  const auto second = book.budgets(start);
  CHECK(first == second);
}

TEST_CASE("a refusal stands for a while") {
  BudgetBook book;
  book.put(labelled("p0", "x"));
  book.refused(Uid("uid-p0"), start + 60s);
  const auto found = book.budgets(start);
  REQUIRE(found.size() == 1);
  CHECK(found[0].allowed == 0);
  CHECK(found[0].pods == std::vector{Uid("uid-p0")});
  CHECK(book.next_change() == start + 60s);
  CHECK(book.budgets(start + 60s).empty());
  CHECK(!book.next_change());
}

}  // namespace
}  // namespace dray::engine::budget_book_test
