#include "simulate/jobs/waiting_reasons.h"

#include <catch2/catch.hpp>

namespace dray::simulate::waiting_reasons_test {
namespace {

TEST_CASE("what most wait for comes first, then by the words; who is told nothing is counted") {
  WaitingReasons reasons;
  CHECK(reasons.list().empty());
  for (const auto reason :
       {Reason::node_taint, Reason::none, Reason::no_devices, Reason::no_devices}) {
    reasons.add(reason);
  }
  CHECK(reasons.list() ==
        std::vector<WaitingFor>{{std::string(plain_text(Reason::no_devices)), 2},
                                {"", 1},
                                {std::string(plain_text(Reason::node_taint)), 1}});
}

}  // namespace
}  // namespace dray::simulate::waiting_reasons_test
