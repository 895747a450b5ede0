#include <catch2/catch.hpp>
#include <string>

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

TEST_CASE("one's own jobs may come at a time, and from columns of other names") {
  const std::string rows =
      "id,at,seconds,num_gpus\na,2026-01-05 09:00:10,60,8\nb,2026-01-05T09:00:00Z,60,1\n";
  TraceRules rules;
  rules.columns = {{"name", "id"}, {"submit", "at"}, {"run_time", "seconds"}, {"gpus", "num_gpus"}};
  const auto jobs = read_jobs_csv(rows, rules).value().value.jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].name == "a");
  CHECK(jobs[0].submitted == seconds(10));
  CHECK(jobs[1].submitted == seconds(0));
  CHECK(read_jobs_csv("name,submit,run_time,gpus\na,soon,1,1\n").error().message ==
        "2:3: submit: expected seconds, or a time as 2017-10-09 07:01:55, found \"soon\"");
}

TEST_CASE("Helios' own files name virtual clusters, and CPUs of a job as a whole") {
  const std::string names =
      "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
      "queue\n";
  const auto jobs = read_helios(names +
                                "1,uX,vcJkd,16,32,2,COMPLETED,2020-06-09 18:41:01,"
                                "2020-06-09 18:41:02,2020-06-10 04:55:09,36848,1\n"
                                "2,uV,vchbv,0,4,1,FAILED,2020-06-09 18:41:00,,,249,0\n")
                        .value()
                        .value.jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].name == "1");
  CHECK(jobs[0].queue == "vcJkd");
  CHECK(jobs[0].submitted == seconds(1));
  CHECK(jobs[0].run_time == seconds(36848));
  CHECK(jobs[0].pods == 2);
  CHECK(jobs[0].ask == PodAsk{16000, 0, 8, whole_gpu, {}});
  CHECK(jobs[1].ask == PodAsk{4000, 0, 0, 0, {}});
  CHECK(read_helios(names + "1,u,v,1,x,1,C,2020-06-09 18:41:01,,,1,0\n").error().message ==
        "2:9: cpu_num: expected a whole number from 0 to 65536000, found \"x\"");
  CHECK_FALSE(read_helios("job_id,gpu_num,submit_time,duration\n"));
}

}  // namespace dray::simulate::job_traces_test
