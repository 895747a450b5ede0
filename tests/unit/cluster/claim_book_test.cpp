#include "cluster/claim_book.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::claim_book_test {

using namespace dray::testing;

namespace {

struct Book {
  cluster::ClusterState cluster;

  Book() {
    put(cluster, make_node("n1"));
    put(cluster, make_slice("n1", {device("0"), device("1")}));
  }
  [[nodiscard]] std::size_t in_use() const { return cluster.totals().devices_allocated; }
  [[nodiscard]] std::shared_ptr<const AllocationResult> allocated() {
    return cluster.snapshot()->allocation({"default", "c"});
  }
  void assume(const char* pod_name, const char* device_name) {
    cluster.assume(placement(make_pod(pod_name), "n1",
                             {{make_claim("c", {}), allocation({device_id("n1", device_name)})}}));
  }
  void allocate(const char* device_name) {
    auto made = make_claim("c", {});
    if (device_name != nullptr) made.allocation = allocation({device_id("n1", device_name)});
    put(cluster, made);
  }
};

}  // namespace

TEST_CASE("devices that a claim has are in use until it loses them or goes") {
  Book book;
  book.allocate("0");
  CHECK(book.in_use() == 1);
  book.allocate("1");
  CHECK(book.in_use() == 1);
  book.allocate(nullptr);
  CHECK(book.in_use() == 0);
  book.allocate("0");
  gone(book.cluster, Kind::resource_claim, "c", "default");
  CHECK(book.in_use() == 0);
  CHECK(book.allocated() == nullptr);
}

TEST_CASE("the same devices, assumed for two pods and then real, count once") {
  Book book;
  book.allocate(nullptr);
  book.assume("p", "0");
  book.assume("q", "0");
  CHECK(book.in_use() == 1);
  CHECK(book.allocated()->devices[0].device == device_id("n1", "0"));
  const auto now = book.cluster.snapshot();
  const auto pool = now->find_pool(DriverName("gpu.example.com"), PoolName("n1"));
  CHECK(now->pool(*pool).slots[0].use->front().second.dedicated == 1);
  book.cluster.forget(Uid("uid-p"));
  CHECK(book.in_use() == 1);
  book.allocate("0");
  CHECK(book.in_use() == 1);
  book.cluster.forget(Uid("uid-q"));
  CHECK(book.in_use() == 1);
}

TEST_CASE("other devices than the claim has count on top, the claim shows its own") {
  Book book;
  book.assume("p", "0");
  book.allocate("1");
  CHECK(book.in_use() == 2);
  CHECK(book.allocated()->devices[0].device == device_id("n1", "1"));
  book.cluster.forget(Uid("uid-p"));
  CHECK(book.in_use() == 1);
}

TEST_CASE("a promise that is forgotten leaves nothing") {
  Book book;
  book.allocate(nullptr);
  book.assume("p", "0");
  book.cluster.forget(Uid("uid-p"));
  book.cluster.forget(Uid("uid-p"));
  CHECK(book.in_use() == 0);
  CHECK(book.allocated() == nullptr);
}

TEST_CASE("a claim gone while it is promised keeps the promise") {
  Book book;
  book.allocate("0");
  book.assume("p", "0");
  gone(book.cluster, Kind::resource_claim, "c", "default");
  CHECK(book.in_use() == 1);
  CHECK(book.allocated() != nullptr);
}

TEST_CASE("admin access uses up nothing") {
  Book book;
  auto made = make_claim("c", {});
  made.allocation = allocation({device_id("n1", "0")});
  made.allocation->devices[0].admin_access = true;
  put(book.cluster, made);
  CHECK(book.in_use() == 0);
}

}  // namespace dray::claim_book_test
