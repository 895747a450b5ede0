#include "engine/books/queue_users.h"

#include <catch2/catch.hpp>

#include "engine/books/job_book.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::queue_users_test {
namespace {

/// team has research below it, and pods of default and ml/trainer; open is everybody's.
policy::PolicyConfig config() {
  policy::PolicyConfig config;
  policy::QueueConfig team;
  team.name = policy::QueueName("team");
  team.namespaces = {"default"};
  team.service_accounts = {"ml/trainer"};
  policy::QueueConfig research;
  research.name = policy::QueueName("research");
  research.parent = team.name;
  policy::QueueConfig closed = research;
  closed.name = policy::QueueName("closed");
  closed.namespaces = {"elsewhere"};
  policy::QueueConfig open;
  open.name = policy::QueueName("open");
  config.queues = {team, research, closed, open};
  return config;
}

TEST_CASE("whose pods may be in which queue") {
  struct Row {
    std::string name;
    std::string queue;
    std::string space;
    std::string account;
    bool allowed;
  };
  const auto row = GENERATE(Row{"its namespace", "team", "default", "", true},
                            Row{"another namespace", "team", "other", "", false},
                            Row{"its service account", "team", "ml", "trainer", true},
                            Row{"another account of that namespace", "team", "ml", "", false},
                            Row{"an account of that name elsewhere", "team", "x", "trainer", false},
                            Row{"below", "research", "default", "", true},
                            Row{"below, and not allowed above", "research", "other", "", false},
                            Row{"below, with a list of its own", "closed", "default", "", false},
                            Row{"everybody's", "open", "other", "", true},
                            Row{"one that is not there", "nowhere", "other", "", true});
  DYNAMIC_SECTION(row.name) {
    Pod pod;
    pod.meta.namespace_name = row.space;
    pod.service_account = row.account;
    CHECK(QueueUsers(config()).allows(row.queue, pod) == row.allowed);
  }
}

TEST_CASE("a pod that names a queue that is not for it waits, and is told why") {
  Bench bench;
  bench.add_nodes(1, 1);
  auto given = config();
  given.queues[0].namespaces = {"elsewhere"};
  given.pod_queues.otherwise = policy::QueueName("open");
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(given)});
  bench.tell(make_claim("c", 1));
  auto pod = make_pod("p", "c");
  pod.meta.labels["dray.dev/queue"] = "team";
  bench.tell(pod);
  auto view = bench.engine.pod(pod.key());
  REQUIRE(view);
  CHECK_FALSE(view->placement);
  CHECK(view->reason == Reason::queue_missing);
  CHECK_THAT(view->detail, Catch::StartsWith("queue team is not for namespace default"));
  pod.meta.labels["dray.dev/queue"] = "open";
  bench.tell(pod);
  view = bench.engine.pod(pod.key());
  REQUIRE(view);
  CHECK(view->placement);
}

TEST_CASE("a running pod's queue does not move with its labels") {
  JobBook book([](const Pod& pod) {
    return pod.node_name ? JobBook::MemberView{planner::MemberState::placed, pod.node_name, false}
                         : JobBook::MemberView{};
  });
  auto made = policy::compile(config());
  REQUIRE(made);
  book.set_policy(std::make_shared<const policy::Policy>(std::move(*made)), false);
  auto pod = make_pod("p", "");
  const auto queue_after_put = [&] {
    book.put(std::make_shared<const Pod>(pod), start);
    book.refresh(start);
    const auto job = book.job_of(pod.meta.uid);
    return job ? job->queue.get() : "";
  };
  pod.meta.labels["dray.dev/queue"] = "research";
  CHECK(queue_after_put() == "research");
  pod.meta.labels["dray.dev/queue"] = "team";
  CHECK(queue_after_put() == "team");  // it waits
  pod.node_name = NodeName("n0");
  CHECK(queue_after_put() == "team");
  pod.meta.labels["dray.dev/queue"] = "open";
  CHECK(queue_after_put() == "team");
}

}  // namespace
}  // namespace dray::engine::queue_users_test
