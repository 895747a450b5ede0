#include <catch2/catch.hpp>

#include "dray/simulate/trace.h"

namespace dray::simulate::job_traces_test {

using std::chrono::seconds;

TEST_CASE("Philly's jobs count from the first, and large ones are gangs") {
  const auto jobs = read_philly(
                        "timestamp,duration,num_gpus,gpu_time,cluster\n"
                        "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
                        "2017-10-09 07:00:55,10.5,12,126,6214e9\n")
                        .value()
                        .value.jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].submitted == seconds(60));
  CHECK(jobs[0].queue == "11cb48");
  CHECK(jobs[1].submitted == seconds(0));
  CHECK(jobs[1].run_time == std::chrono::milliseconds(10'500));
  CHECK(jobs[1].pods == 2);
  CHECK(jobs[1].ask.gpus == 6);
  CHECK(read_philly("timestamp,duration,num_gpus,cluster\nyesterday,1,1,q\n").error().message ==
        "2:1: timestamp: expected a time as 2017-10-09 07:01:55, found \"yesterday\"");
}

TEST_CASE("Helios' jobs, and those of one's own") {
  const auto helios =
      read_helios("job_id,arrival_s,service_sec,gpu_count\nx,5.0,172800.0,32\n").value().value.jobs;
  CHECK(helios[0].pods == 4);
  CHECK(helios[0].queue == "default");
  const auto own =
      read_jobs_csv("name,submit,run_time,gpus,pods,cpu_milli,queue\nx,1,2,4,3,500,q\n")
          .value()
          .value.jobs;
  CHECK(own[0].pods == 3);
  CHECK(own[0].ask == PodAsk{500, 0, 4, whole_gpu, {}});
  CHECK(own[0].queue == "q");
}

}  // namespace dray::simulate::job_traces_test
