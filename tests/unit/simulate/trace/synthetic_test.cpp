#include "dray/simulate/synthetic.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

namespace dray::simulate::synthetic_test {
namespace {

SyntheticWorkload spec_of(std::string_view text) {
  return parse_synthetic(text).value();
}

}  // namespace

TEST_CASE("the same seed draws the same jobs, another one others") {
  CHECK(synthetic(spec_of("jobs=50,seed=7")) == synthetic(spec_of("jobs=50,seed=7")));
  CHECK_FALSE(synthetic(spec_of("jobs=50,seed=7")) == synthetic(spec_of("jobs=50,seed=8")));
}

TEST_CASE("jobs come as often and run as long as asked for") {
  const auto jobs = synthetic(spec_of("jobs=20000,per-hour=100,median=600,sigma=1.5")).jobs;
  REQUIRE(jobs.size() == 20'000);
  CHECK(std::ranges::is_sorted(jobs, {}, &TraceJob::submitted));
  const auto hours = std::chrono::duration<double>(jobs.back().submitted).count() / 3600;
  CHECK(hours == Approx(200).epsilon(0.03));
  const auto shorter = std::ranges::count_if(
      jobs, [](const auto& job) { return *job.run_time < std::chrono::seconds(600); });
  CHECK(static_cast<double>(shorter) == Approx(10'000).epsilon(0.03));
  // A heavy tail: 0.13 % of a log-normal are beyond three sigma, 90 times the median.
  const auto longest = std::ranges::max(jobs, {}, &TraceJob::run_time);
  CHECK(*longest.run_time > std::chrono::seconds(50 * 600));
  const auto bounded = synthetic(spec_of("jobs=2000,median=600,most=900")).jobs;
  CHECK(std::ranges::all_of(
      bounded, [](const auto& job) { return *job.run_time <= std::chrono::seconds(900); }));
}

TEST_CASE("more come at noon than at midnight") {
  const auto jobs = synthetic(spec_of("jobs=20000,per-hour=100,swing=0.8")).jobs;
  std::map<std::int64_t, int> by_hour;
  for (const auto& job : jobs) {
    ++by_hour[std::chrono::duration_cast<std::chrono::hours>(job.submitted).count() % 24];
  }
  CHECK(by_hour[12] > 5 * by_hour[0]);
}

TEST_CASE("jobs of a trace without queues get some, drawn by weight, the same each time") {
  auto workload = synthetic(spec_of("jobs=4000"));
  auto again = workload;
  draw_queues(workload, parse_queues("a*3+b").value());
  draw_queues(again, parse_queues("a*3+b").value());
  CHECK(workload == again);
  const auto of_a = std::ranges::count(workload.jobs, "a", &TraceJob::queue);
  CHECK(static_cast<double>(of_a) == Approx(3000).epsilon(0.05));
  CHECK(std::ranges::count(workload.jobs, "b", &TraceJob::queue) == 4000 - of_a);
  CHECK(parse_queues("a*3+").error().message.contains("NAME or NAME*WEIGHT"));
  CHECK(parse_queues("a*-1").error().message.contains("found \"a*-1\""));
}

TEST_CASE("queues and sizes are drawn by their weights") {
  const auto jobs = synthetic(spec_of("jobs=4000,queues=a*3+b,sizes=1*8+4x8*2+0,per-hour=10")).jobs;
  std::map<std::string, double> queues;
  std::map<std::pair<std::int32_t, std::int32_t>, double> sizes;
  for (const auto& job : jobs) {
    ++queues[job.queue];
    ++sizes[{job.pods, job.ask.gpus}];
  }
  CHECK(queues["a"] == Approx(3000).epsilon(0.05));
  CHECK(queues.size() == 2);
  CHECK(sizes[{1, 1}] == Approx(4000 * 8 / 11.0).epsilon(0.05));
  CHECK(sizes[{4, 8}] == Approx(4000 * 2 / 11.0).epsilon(0.1));
  CHECK(sizes.size() == 3);
}

TEST_CASE("what is wrong with a specification is said") {
  struct Row {
    const char* text;
    const char* want;
  };
  const auto row = GENERATE(
      Row{"jobs=0", "jobs: expected a whole number from 1 to 10000000, found \"0\""},
      Row{"swing=2", "swing: expected a number from 0 to 1, found \"2\""},
      Row{"jobs",
          "synthetic: expected KEY=VALUE of jobs, per-hour, swing, median, sigma, most, "
          "queues, sizes, seed, with commas between, found \"jobs\""},
      Row{"size=1",
          "key: expected one of jobs, per-hour, swing, median, sigma, most, queues, "
          "sizes, seed, found \"size\""},
      Row{"queues=a*0", "queues: expected NAME or NAME*WEIGHT, with + between, found \"a*0\""},
      Row{"sizes=2x17",
          "sizes: expected GPUS or PODSxGPUS, each with *WEIGHT or without, up to 16 "
          "GPUs a pod, with + between, found \"2x17\""});
  CHECK(parse_synthetic(row.text).error().message == row.want);
}

}  // namespace dray::simulate::synthetic_test
