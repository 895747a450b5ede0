#include "dray/policy/queue_tree.h"

#include <catch2/catch.hpp>

#include "trees.h"

namespace dray::policy::queue_tree_test {

TEST_CASE("a tree of any depth is linked whatever the order of its queues") {
  const auto tree = tree_of({spec("c", "b"), spec("a"), spec("b", "a"), spec("z")});
  const auto path = tree.path_to(at(tree, "c"));
  REQUIRE(path.size() == 3);
  CHECK(tree[path[0]].name.get() == "a");
  CHECK(tree[path[1]].name.get() == "b");
  CHECK(tree[path[2]].name.get() == "c");
  CHECK(tree.tops().size() == 2);
  CHECK(tree[at(tree, "a")].children == std::vector{at(tree, "b")});
  CHECK(tree.parent_of(tree[at(tree, "z")]) == nullptr);
  CHECK(tree.find("b") != tree.find("c"));
  CHECK(tree.find("bb") == std::nullopt);
}

TEST_CASE("what is no tree is refused") {
  struct Row {
    std::string name;
    std::vector<QueueSpec> specs;
    std::string want;
  };
  const auto row = GENERATE(values<Row>({
      {"one name twice", {spec("a"), spec("a")}, "queue a: is there twice"},
      {"a cycle", {spec("a", "b"), spec("b", "a")}, "queue a: its parents form a cycle"},
      {"its own parent", {spec("a", "a")}, "queue a: its parents form a cycle"},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto tree = QueueTree::make(row.specs, 1);
    REQUIRE_FALSE(tree);
    CHECK(tree.error().message == row.want);
  }
  CHECK_FALSE(QueueTree::make({spec("a")}, 2));
}

TEST_CASE("a queue whose parent is not there is an orphan, no top queue") {
  const auto tree = tree_of({spec("a", "gone")});
  CHECK(tree[at(tree, "a")].orphan);
  CHECK(tree.tops().empty());
}

TEST_CASE("what a job holds counts in every queue above it, and is taken off again") {
  auto tree = tree_of({spec("a"), spec("b", "a"), spec("c", "a")});
  const auto before = tree;
  tree.add_requested(at(tree, "b"), amounts({3}));
  tree.add_allocated(at(tree, "b"), amounts({2}), true);
  tree.add_allocated(at(tree, "b"), amounts({1}), false);
  for (const auto* name : {"a", "b"}) {
    CHECK(queue(tree, name).requested == amounts({3}));
    CHECK(queue(tree, name).allocated == amounts({3}));
    CHECK(queue(tree, name).allocated_nonpreemptible == amounts({1}));
  }
  CHECK(queue(tree, "c").allocated == amounts({0}));
  tree.remove_allocated(at(tree, "b"), amounts({2}), true);
  tree.remove_allocated(at(tree, "b"), amounts({1}), false);
  tree.remove_requested(at(tree, "b"), amounts({3}));
  CHECK(tree == before);
}

}  // namespace dray::policy::queue_tree_test
