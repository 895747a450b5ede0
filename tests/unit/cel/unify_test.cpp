#include "cel/check/unify.h"

#include <catch2/catch.hpp>

namespace dray::cel::unify_test {
namespace {

TEST_CASE("a variable stands for the first type that it meets") {
  TypePool pool;
  Unifier unifier(pool);
  const auto& variable = unifier.fresh_variable();
  CHECK(unifier.assignable(variable, types::int64));
  CHECK(unifier.assignable(variable, types::int64));
  CHECK_FALSE(unifier.assignable(variable, types::string));
  CHECK(&unifier.substitute(variable, false) == &types::int64);
}

TEST_CASE("what failed leaves no variable bound") {
  TypePool pool;
  Unifier unifier(pool);
  const auto& variable = unifier.fresh_variable();
  const auto& pair = pool.map(variable, types::string);
  CHECK_FALSE(unifier.assignable(pair, pool.map(types::int64, types::int64)));
  CHECK(unifier.assignable(pair, pool.map(types::boolean, types::string)));
  CHECK(plain_text(unifier.substitute(pair, false)) == "map(bool, string)");
}

TEST_CASE("dyn goes with everything, and is the more general") {
  TypePool pool;
  Unifier unifier(pool);
  CHECK(unifier.assignable(types::dyn, types::string));
  CHECK(unifier.assignable(types::string, types::dyn));
  CHECK(unifier.assignable(pool.list(types::dyn), pool.list(types::int64)));
  CHECK_FALSE(unifier.assignable(pool.list(types::string), pool.list(types::int64)));
  CHECK(&Unifier::most_general(types::string, types::dyn) == &types::dyn);
  CHECK(&Unifier::most_general(types::dyn, types::string) == &types::dyn);
}

TEST_CASE("a variable that nothing bound becomes dyn where it has to be a type") {
  TypePool pool;
  Unifier unifier(pool);
  const auto& list = pool.list(unifier.fresh_variable());
  CHECK(plain_text(unifier.substitute(list, true)) == "list(dyn)");
}

TEST_CASE("a type cannot be part of itself") {
  TypePool pool;
  Unifier unifier(pool);
  const auto& variable = unifier.fresh_variable();
  CHECK_FALSE(unifier.assignable(variable, pool.list(variable)));
}

}  // namespace
}  // namespace dray::cel::unify_test
