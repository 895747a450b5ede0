#include "report/jobs_report.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/report/measured_run.h"

namespace dray::report::jobs_report_test {

using Catch::Contains;
using Catch::StartsWith;
using testing::measured;

TEST_CASE("a run is told as a whole, by queue, size and model") {
  const auto json = jobs_json({measured()});
  CHECK_THAT(json, Contains(R"("evictions":2,"preemptions":1,)"));
  CHECK_THAT(json, Contains(R"("sizes":[{"size":"up to 8 GPUs","jobs":1,"started":1,)"));
  CHECK_THAT(json, Contains(R"({"size":"up to 16 GPUs","jobs":1,"started":0,)"));
  CHECK_THAT(json,
             Contains(R"("models":[{"model":"big","gpus":8,"utilisation":50},)"
                      R"({"model":"small","gpus":8,"utilisation":0}],)"
                      R"("classes":[{"class":"nic","devices":4,"utilisation":25}],"aligned":75,)"
                      R"("gangs":[{"level":"node","gangs":4,"together":25},)"
                      R"({"level":"rack","gangs":4,"together":75}],)"
                      R"("waitsFor":[{"reason":"no room","jobs":1}])"));
  auto plain = measured();
  plain.measures.aligned.reset();
  CHECK_THAT(jobs_json({plain}), !Contains("aligned"));
}

TEST_CASE("CSV has a line for the run, each queue and each size") {
  const auto text = jobs_csv({measured()});
  CHECK_THAT(text, StartsWith("policy,seed,queue,size,jobs,started,ended,waitMean,"));
  CHECK_THAT(text, Contains("\np,7,*,*,2,1,1,10,"));
  CHECK_THAT(text, Contains("\np,7,q,*,2,1,1,10,"));
  CHECK_THAT(text, Contains("\np,7,*,up to 8 GPUs,1,1,1,10,"));
  CHECK_THAT(text, Contains("\np,7,*,up to 16 GPUs,1,0,0,0,"));
}

TEST_CASE("the same for Prometheus") {
  const auto text = jobs_metrics({measured()});
  const auto has = [&](const std::string& line) {
    CHECK_THAT(text, Contains("\ndray_simulation_" + line + "\n"));
  };
  has(R"(jobs{policy="p",seed="7",state="submitted"} 2)");
  has(R"(jobs{policy="p",seed="7",queue="q",state="ended"} 1)");
  has(R"(wait_seconds{policy="p",seed="7",quantile="0.95"} 10)");
  has(R"(wait_seconds{policy="p",seed="7",size="up to 8 GPUs",quantile="0.5"} 10)");
  has(R"(preemptions{policy="p",seed="7"} 1)");
  has(R"(model_utilisation_percent{policy="p",seed="7",model="big"} 50)");
  has(R"(gangs_together_percent{policy="p",seed="7",level="rack"} 75)");
  has(R"(fragmented_percent{policy="p",seed="7"} 25)");
  has(R"(class_utilisation_percent{policy="p",seed="7",class="nic"} 25)");
  has(R"(aligned_percent{policy="p",seed="7"} 75)");
  has(R"(waiting_jobs{policy="p",seed="7",reason="no room"} 1)");
  has(R"(queue_fair_share_gpus{policy="p",seed="7",queue="q"} 12)");
  has(R"(queue_owed_gpus{policy="p",seed="7",queue="q"} 4)");
  has(R"(utilisation_percent{policy="p",seed="7"} 25)");
}

}  // namespace dray::report::jobs_report_test
