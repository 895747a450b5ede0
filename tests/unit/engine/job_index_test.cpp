#include "engine/books/job_index.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/objects/pods.h"

namespace dray::engine::job_index_test {
namespace {

using namespace testing;

/// A job whose first pod an owner of that name made, if there is a name.
JobIndex::JobPtr job(const std::string& uid, const std::string& name, const std::string& owner) {
  auto pod = make_pod("pod-" + uid);
  if (!owner.empty()) {
    pod.meta.owners.push_back({.api_version = "batch/v1",
                               .kind = "Job",
                               .name = owner,
                               .uid = Uid("uid-" + owner),
                               .controller = true});
  }
  planner::Job made;
  made.uid = Uid(uid);
  made.name = name;
  made.members.push_back({.pod = std::make_shared<const Pod>(std::move(pod)), .node = {}});
  return std::make_shared<const planner::Job>(std::move(made));
}

std::vector<std::string> uids(const std::vector<JobIndex::JobPtr>& jobs) {
  std::vector<std::string> found;
  for (const auto& each : jobs) found.push_back(each->uid.get());
  return found;
}

using Uids = std::vector<std::string>;

TEST_CASE("jobs are found by their group's name and by their owner's, in the order of uids") {
  JobIndex index;
  index.put(job("2", "default/train", "mpi"));
  index.put(job("1", "default/other", "train"));
  index.put(job("3", "default/pod-3", ""));
  CHECK(uids(index.named("default/train")) == Uids{"1", "2"});
  CHECK(uids(index.named("default/mpi")) == Uids{"2"});
  CHECK(uids(index.named("default/pod-3")).empty());
  CHECK(uids(index.named("default/trai")).empty());
  CHECK(index.find(Uid("3")) != nullptr);
}

TEST_CASE("a job in place of another is known by its own names alone") {
  JobIndex index;
  const auto before = job("1", "default/a", "x");
  index.put(before);
  const auto after = job("1", "default/b", "x");
  index.put(after);
  CHECK(uids(index.named("default/a")).empty());
  CHECK(uids(index.named("default/b")) == Uids{"1"});
  // It is another that goes.
  index.erase(before);
  CHECK(index.find(Uid("1")) == after);
  CHECK(uids(index.named("default/x")) == Uids{"1"});
  index.erase(after);
  CHECK(index.find(Uid("1")) == nullptr);
  CHECK(uids(index.named("default/b")).empty());
  CHECK(uids(index.named("default/x")).empty());
}

}  // namespace
}  // namespace dray::engine::job_index_test
