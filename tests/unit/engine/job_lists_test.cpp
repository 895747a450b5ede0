#include "engine/books/job_lists.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/objects/pods.h"

namespace dray::engine::job_lists_test {
namespace {

using State = planner::MemberState;
using namespace testing;

/// Jobs by name, and how often one was asked for.
struct Shelf {
  std::map<Uid, std::shared_ptr<const planner::Job>> jobs;
  int asked = 0;
  JobLists lists{[this](const Uid& uid) {
    ++asked;
    const auto at = jobs.find(uid);
    return at == jobs.end() ? nullptr : at->second;
  }};

  void put(const std::string& name, const std::vector<State>& members) {
    planner::Job job;
    job.uid = Uid(name);
    for (const auto state : members) {
      job.members.push_back(
          {.pod = std::make_shared<const Pod>(make_pod(name)), .state = state, .node = {}});
    }
    jobs[Uid(name)] = std::make_shared<const planner::Job>(std::move(job));
    lists.changed(Uid(name));
  }
  void erase(const std::string& name) {
    jobs.erase(Uid(name));
    lists.changed(Uid(name));
  }
};

TEST_CASE("those that hold something can be listed bit by bit, while they change") {
  Shelf shelf;
  for (int i = 0; i < 10; ++i) shelf.put("j" + std::to_string(i), {State::placed});
  CHECK(shelf.lists.read_ahead(4));
  CHECK(shelf.asked == 4);
  shelf.put("j1", {State::waiting});
  shelf.erase("j9");
  CHECK(shelf.lists.read_ahead(4));
  CHECK_FALSE(shelf.lists.read_ahead(4));
  CHECK(shelf.asked == 8);
  CHECK(shelf.lists.holders().size() == 8);
  CHECK(shelf.lists.holders().find(Uid("j1")) == nullptr);
}

TEST_CASE("all jobs are listed; a list asks for those alone that changed") {
  Shelf shelf;
  shelf.put("b", {State::waiting});
  shelf.put("a", {State::placed});
  REQUIRE(shelf.lists.all().size() == 2);
  CHECK(shelf.lists.all()[0]->uid == Uid("a"));
  CHECK(shelf.asked == 2);
  shelf.put("a", {State::waiting});
  CHECK(shelf.lists.all()[0] == shelf.jobs[Uid("a")]);
  CHECK(shelf.asked == 3);
  shelf.erase("a");
  CHECK(shelf.lists.all().size() == 1);
}

TEST_CASE("a holder has room or is leaving it") {
  struct Row {
    State state;
    bool holds;
  };
  const auto row =
      GENERATE(Row{State::waiting, false}, Row{State::blocked, false}, Row{State::placed, true},
               Row{State::leaving, true}, Row{State::stuck, true}, Row{State::done, false});
  Shelf shelf;
  shelf.put("a", {State::done, row.state});
  CHECK(shelf.lists.holders().size() == (row.holds ? 1 : 0));
}

TEST_CASE("of a holder that wants more the others see what it has") {
  Shelf shelf;
  shelf.put("a", {State::placed, State::waiting});
  const auto seen = shelf.lists.holders()[0];
  CHECK(seen->members[0].state == State::placed);
  CHECK(seen->members[1].state == State::blocked);
  CHECK(shelf.lists.all()[0]->members[1].state == State::waiting);
  CHECK(shelf.lists.holders()[0] == seen);
  shelf.put("a", {State::placed, State::placed});
  CHECK(shelf.lists.holders()[0] == shelf.jobs[Uid("a")]);
}

TEST_CASE("who gives up the room is no holder any more") {
  Shelf shelf;
  shelf.put("a", {State::placed});
  shelf.put("b", {State::placed});
  CHECK(shelf.lists.holders().size() == 2);
  shelf.put("a", {State::waiting});
  shelf.erase("b");
  CHECK(shelf.lists.holders().empty());
  CHECK(shelf.lists.all().size() == 1);
}

TEST_CASE("jobs that came and went are not kept in mind for who never asks") {
  Shelf shelf;
  shelf.put("stays", {State::placed});
  for (int i = 0; i < 20'000; ++i) {
    const auto name = "j" + std::to_string(i);
    shelf.put(name, {State::placed});
    if (i % 100 == 0) CHECK(shelf.lists.all().find(Uid(name)) != nullptr);
    // What went is looked for a little at a time, and not in one long step.
    shelf.asked = 0;
    shelf.erase(name);
    REQUIRE(shelf.asked <= 4);
  }
  CHECK(shelf.lists.kept_in_mind() < 4'096);
  // Nor where they are there still.
  for (int i = 0; i < 2'000; ++i) {
    shelf.asked = 0;
    shelf.put("more" + std::to_string(i), {State::placed});
    REQUIRE(shelf.asked <= 4);
  }
  for (int i = 0; i < 2'000; ++i) shelf.erase("more" + std::to_string(i));
  CHECK(shelf.lists.holders().size() == 1);
  CHECK(shelf.lists.all().size() == 1);
  CHECK(shelf.lists.kept_in_mind() == 0);
}

}  // namespace
}  // namespace dray::engine::job_lists_test
