#include "dray/planner/job_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <string>

namespace dray::planner::job_list_test {
namespace {

JobList::Item job(const std::string& uid, const std::string& name = "") {
  Job made;
  made.uid = Uid(uid);
  made.name = name;
  return std::make_shared<const Job>(std::move(made));
}

/// `a b=new`.
std::string words(const JobList& list) {
  std::string all;
  for (const auto& each : list) {
    all +=
        (all.empty() ? "" : " ") + each->uid.get() + (each->name.empty() ? "" : "=" + each->name);
  }
  return all;
}

TEST_CASE("jobs are sorted by uid, however they come") {
  JobList list{job("b"), job("c"), job("a")};
  CHECK(words(list) == "a b c");
  list.put(job("ab"));
  list.put(job("c", "new"));
  list.put(job("d"));
  CHECK(words(list) == "a ab b c=new d");
  CHECK(list.size() == 5);
  CHECK(list.find(Uid("c"))->name == "new");
  CHECK(list.find(Uid("ac")) == nullptr);
  CHECK(list.find(Uid("e")) == nullptr);
  CHECK(JobList().find(Uid("a")) == nullptr);
}

TEST_CASE("the job after a uid is found whether that uid is there or not, in every chunk") {
  CHECK(JobList().after(Uid("a")) == JobList().end());
  JobList list;
  constexpr int count = 5 * static_cast<int>(JobList::chunk_size);
  for (int i = 0; i < count; i += 2) list.put(job(fmt::format("{:05}", i)));
  REQUIRE(list.chunks().size() > 1);
  for (int i = -1; i < count - 2; ++i) {
    const auto next = list.after(i < 0 ? Uid("") : Uid(fmt::format("{:05}", i)));
    REQUIRE(next != list.end());
    REQUIRE((*next)->uid.get() == fmt::format("{:05}", i < 0 ? 0 : i + 2 - i % 2));
  }
  CHECK(list.after(Uid(fmt::format("{:05}", count - 2))) == list.end());
}

TEST_CASE("many change at once: new ones, others in their place, and some that go") {
  struct Row {
    std::string name;
    std::map<std::string, std::string> now;  ///< `-`: none any more
    std::string want;
  };
  const auto row = GENERATE(
      Row{"nothing", {}, "b d f"}, Row{"another in its place", {{"d", "new"}}, "b d=new f"},
      Row{"new ones before, between and behind", {{"a", ""}, {"c", ""}, {"g", ""}}, "a b c d f g"},
      Row{"the first and the last go", {{"b", "-"}, {"f", "-"}}, "d"},
      Row{"one that was never there goes", {{"x", "-"}}, "b d f"},
      Row{"all of it", {{"b", "-"}, {"c", ""}, {"d", "new"}}, "c d=new f"},
      Row{"all go", {{"b", "-"}, {"d", "-"}, {"f", "-"}}, ""});
  DYNAMIC_SECTION(row.name) {
    JobList list{job("b"), job("d"), job("f")};
    std::set<Uid> changed;
    for (const auto& [uid, now] : row.now) changed.insert(Uid(uid));
    list.update(changed, [&](const Uid& uid) {
      const auto& now = row.now.at(uid.get());
      return now == "-" ? JobList::Item() : job(uid.get(), now);
    });
    CHECK(words(list) == row.want);
  }
}

TEST_CASE("a copy keeps what it was made with, and costs no job") {
  JobList list{job("a"), job("b")};
  const auto copy = list;
  CHECK(&copy[0] == &list[0]);
  list.put(job("c"));
  list.update({Uid("a")}, [](const Uid& /*uid*/) { return JobList::Item(); });
  CHECK(words(list) == "b c");
  CHECK(words(copy) == "a b");
}

TEST_CASE("of many jobs the list holds what a map would, and shares what did not change") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937 draw(seed);
  const auto uid = [&] { return fmt::format("{:04}", draw() % 2'000); };
  JobList list;
  std::map<std::string, std::string> all;
  for (int round = 0; round < 40; ++round) {
    const auto before = list;
    std::map<std::string, std::string> now;
    for (auto i = draw() % 300; i > 0; --i) {
      now[uid()] = draw() % 3 == 0 ? "-" : std::to_string(round);
    }
    std::set<Uid> changed;
    for (const auto& [name, is] : now) {
      changed.insert(Uid(name));
      if (is == "-") {
        all.erase(name);
      } else {
        all[name] = is;
      }
    }
    list.update(changed, [&](const Uid& name) {
      const auto& is = now.at(name.get());
      return is == "-" ? JobList::Item() : job(name.get(), is);
    });
    const auto one = uid();
    all[one] = "put";
    list.put(job(one, "put"));
    std::string want;
    for (const auto& [name, is] : all) want += (want.empty() ? "" : " ") + name + "=" + is;
    CHECK(words(list) == want);
    CHECK(list.size() == all.size());
    for (const auto& chunk : list.chunks()) {
      CHECK_FALSE(chunk->empty());
      CHECK(chunk->size() <= 2 * JobList::chunk_size);
    }
    CHECK(list[all.size() - 1]->uid.get() == all.rbegin()->first);
  }
  const auto copy = list;
  list.put(job("1000", "last"));
  std::size_t other = 0;
  for (const auto& chunk : list.chunks()) {
    if (std::ranges::find(copy.chunks(), chunk) == copy.chunks().end()) ++other;
  }
  CHECK(other <= 2);
}

}  // namespace
}  // namespace dray::planner::job_list_test
