#include "dray/simulate/churn.h"

#include <catch2/catch.hpp>

#include "tests/objects/gpus.h"

namespace dray::simulate::churn_test {

TEST_CASE("churn is of nodes that there are, and of devices where there are some") {
  Cluster cluster;
  cluster.nodes = {{"n0", 1, 1, 1, "m"}};
  Churn fails;
  fails.node = "n0";
  CHECK(check_churn({fails}, churn_targets(cluster)));
  fails.node = "n1";
  CHECK_FALSE(check_churn({fails}, churn_targets(cluster)));

  Churn changes;
  changes.kind = ChurnKind::changes;
  changes.objects = {testing::make_gpus("n0", 2)};
  CHECK_FALSE(check_churn({changes}, churn_targets(cluster)));
  cluster.objects = std::vector<KubeObject>{testing::make_node("n0")};
  CHECK(check_churn({changes}, churn_targets(cluster)));
  const std::vector<KubeObject> objects{testing::make_node("n0"), testing::make_pod("n1")};
  CHECK(check_churn({changes}, churn_targets(objects)));
  CHECK_FALSE(check_churn({fails}, churn_targets(objects)));
  fails.node = "n0";
  CHECK(check_churn({fails}, churn_targets(objects)));
  changes.objects = {testing::make_pod("p")};
  CHECK_FALSE(check_churn({changes}, churn_targets(cluster)));
}

TEST_CASE("churn goes by the names of its kinds") {
  CHECK(find_churn("returns") == ChurnKind::returns);
  CHECK_FALSE(find_churn("dies"));
}

}  // namespace dray::simulate::churn_test
