#include <catch2/catch.hpp>

#include "dray/simulate/trace.h"

namespace dray::simulate::openb_test {
namespace {

constexpr std::string_view heading =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n";

Result<Traced<Workload>> pods(const std::string& rows, bool lenient = false) {
  return read_openb_pods(std::string(heading) + rows, {lenient});
}

}  // namespace

TEST_CASE("nodes are read as the trace has them") {
  const auto nodes =
      read_openb_nodes("sn,cpu_milli,memory_mib,gpu,model\nn0,64000,1024,2,P100\n").value().value;
  CHECK(nodes == std::vector<GpuNode>{{"n0", 64000, 1024, 2, "P100"}});
  CHECK(read_openb_nodes("sn,cpu_milli,memory_mib,gpu,model\nn0,64000,1024,17,P100\n")
            .error()
            .message == "2:15: gpu: expected a whole number from 0 to 16, found \"17\"");
}

TEST_CASE("pods ask for parts of one GPU or for whole ones, and name models") {
  const auto jobs =
      pods("a,4000,8,1,460,A10|T4,LS,5,65.5\nb,1,2,0,0,,BE,7,7\nc,1,2,8,1000,,,9,10\n")
          .value()
          .value.jobs;
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].ask == PodAsk{4000, 8, 1, 460, {"A10", "T4"}});
  CHECK(jobs[0].queue == "LS");
  CHECK(jobs[0].submitted == std::chrono::seconds(5));
  CHECK(jobs[0].run_time == std::chrono::milliseconds(60'500));
  CHECK(jobs[1].ask == PodAsk{1, 2, 0, 0, {}});
  CHECK(jobs[2].ask.total_gpu_milli() == 8000);
}

TEST_CASE("a bad row ends it, or with lenient is skipped and counted") {
  const std::string rows = "a,1,2,1,460,,LS,0,9\nb,1,2,2,460,,LS,0,9\nc,1,2,1,460,,LS,8,4\n";
  CHECK(pods(rows).error().message ==
        "3:9: gpu_milli: expected a whole number from 1000 to 1000, found \"460\"");
  const auto traced = pods(rows, true).value();
  CHECK(traced.value.jobs.size() == 1);
  CHECK(traced.skipped.count == 2);
  CHECK(traced.skipped.first.starts_with("3:9: gpu_milli"));
}

}  // namespace dray::simulate::openb_test
