#include "engine/books/budget_book.h"

#include <catch2/catch.hpp>

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
