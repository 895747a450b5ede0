#include "dray/engine/write.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dray::write_test {

using namespace dray::engine;

TEST_CASE("a write says what it is and what it is about") {
  struct Row {
    Write write;
    const char* name;
    const char* subject;
  };
  const auto row = GENERATE(values<Row>({
      {LiftGate{{"team", "p"}, Uid("u"), {}}, "LiftGate", "team/p"},
      {ReadClaim{{"team", "c"}}, "ReadClaim", "team/c"},
      {BindPod{{"team", "p"}, Uid("u"), NodeName("n")}, "BindPod", "team/p"},
      {ReadLease{{"dray-system", "dray"}}, "ReadLease", "dray-system/dray"},
  }));
  CHECK(name(row.write) == row.name);
  CHECK(subject(row.write) == row.subject);
}

}  // namespace dray::write_test
