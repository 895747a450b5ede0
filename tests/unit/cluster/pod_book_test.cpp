#include "cluster/pod_book.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/pods.h"

namespace dray::pod_book_test {

using namespace dray::testing;

namespace {

struct Books {
  cluster::Stamps stamps;
  cluster::NodeTable nodes{stamps};
  cluster::PoolTable pools{stamps, nodes};
  cluster::ClaimBook claims{pools};
  cluster::PodBook pods{nodes, claims};

  Books() {
    for (const char* name : {"n1", "n2"}) {
      auto facts = std::make_shared<cluster::NodeFacts>();
      facts->name = NodeName(name);
      facts->labels = std::make_shared<const cluster::LabelSet>();
      facts->taints = std::make_shared<const std::vector<NodeTaint>>();
      facts->allocatable = std::make_shared<const cluster::NodeAmounts>();
      facts->declared_features = std::make_shared<const std::vector<std::string>>();
      nodes.put(facts);
    }
  }
  [[nodiscard]] std::int64_t cpu(const char* name) const {
    const auto& use = nodes.entry(*nodes.find(NodeName(name))).use;
    return use ? use->requested.milli_cpu : 0;
  }
};

Pod on(const char* node_name, Pod made = make_pod("p")) {
  made.node_name = NodeName(node_name);
  return made;
}

}  // namespace

TEST_CASE("a pod's requests count on its node, once, as long as it runs") {
  Books books;
  CHECK(books.pods.put(make_pod("p")));
  CHECK(books.cpu("n1") == 0);
  CHECK(books.pods.put(on("n1")));
  CHECK(books.cpu("n1") == 1000);
  CHECK_FALSE(books.pods.put(on("n1")));
  CHECK(books.cpu("n1") == 1000);
  auto done = on("n1");
  done.phase = "Succeeded";
  CHECK(books.pods.put(done));
  CHECK(books.cpu("n1") == 0);
  CHECK(books.pods.put(on("n1", make_pod("p", ResourceList{{"cpu", Quantity(2)}}))));
  CHECK(books.cpu("n1") == 2000);
  CHECK(books.pods.erase({"default", "p"}, Uid()));
  CHECK(books.cpu("n1") == 0);
  CHECK(books.pods.size() == 0);
}

TEST_CASE("an assumed pod counts where it is assumed, until it has a node itself") {
  Books books;
  books.pods.put(make_pod("p"));
  books.pods.assume(placement(make_pod("p"), "n1"));
  CHECK(books.cpu("n1") == 1000);
  books.pods.assume(placement(make_pod("p"), "n2"));
  CHECK(books.cpu("n1") == 0);
  CHECK(books.cpu("n2") == 1000);
  books.pods.put(on("n1"));
  CHECK(books.cpu("n1") == 1000);
  CHECK(books.cpu("n2") == 0);
  CHECK(books.pods.forget(Uid("uid-p")));
  CHECK_FALSE(books.pods.forget(Uid("uid-p")));
  CHECK(books.cpu("n1") == 1000);
}

TEST_CASE("a pod assumed before it is seen counts when it comes") {
  Books books;
  books.pods.assume(placement(make_pod("p"), "n1"));
  CHECK(books.cpu("n1") == 0);
  books.pods.put(make_pod("p"));
  CHECK(books.cpu("n1") == 1000);
}

TEST_CASE("a pod of the same name is another one, and takes the place of the first") {
  Books books;
  books.pods.put(on("n1"));
  auto second = make_pod("p", ResourceList{{"cpu", Quantity(2)}});
  second.meta.uid = Uid("another");
  CHECK(books.pods.put(second));
  CHECK(books.cpu("n1") == 0);
  CHECK(books.pods.find(Uid("uid-p")) == nullptr);
  CHECK(books.pods.find(Uid("another"))->meta.uid == Uid("another"));
  CHECK_FALSE(books.pods.erase({"default", "p"}, Uid("uid-p")));
  CHECK(books.pods.find(PodKey{"default", "p"}) != nullptr);
  CHECK(books.pods.erase({"default", "p"}, Uid("another")));
  CHECK_FALSE(books.pods.erase({"default", "p"}, Uid("another")));
}

TEST_CASE("only what a plan can tell apart is a change") {
  Books books;
  books.pods.put(make_pod("p"));
  auto other = make_pod("p");
  other.conditions.push_back({});
  other.meta.resource_version = ResourceVersion("9");
  other.nominated_node = NodeName("n1");
  CHECK_FALSE(books.pods.put(other));
  other.phase = "Running";
  CHECK(books.pods.put(other));
}

}  // namespace dray::pod_book_test
