#include "report/metrics_text.h"

#include <catch2/catch.hpp>

namespace dray::report::metrics_text_test {

TEST_CASE("samples stand with their families, in the order in which those came") {
  MetricsText text;
  text.add("jobs", "Jobs.", {{"policy", "a"}, {"state", "ended"}}, 3);
  text.add("jain_index", "Even.", {}, 0.5);
  text.add("jobs", "not read", {{"policy", "b"}}, 4);
  CHECK(text.text() ==
        "# HELP dray_simulation_jobs Jobs.\n"
        "# TYPE dray_simulation_jobs gauge\n"
        "dray_simulation_jobs{policy=\"a\",state=\"ended\"} 3\n"
        "dray_simulation_jobs{policy=\"b\"} 4\n"
        "# HELP dray_simulation_jain_index Even.\n"
        "# TYPE dray_simulation_jain_index gauge\n"
        "dray_simulation_jain_index{} 0.500\n");
}

TEST_CASE("labels are written so that they are read as they were") {
  MetricsText text;
  text.add("jobs", "Jobs.", {{"policy", "a\"b\\c\nd"}}, 1);
  CHECK(text.text().ends_with(R"(jobs{policy="a\"b\\c\nd"} 1)"
                              "\n"));
}

}  // namespace dray::report::metrics_text_test
