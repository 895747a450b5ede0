#pragma once

#include <string>
#include <vector>

#include "dray/simulate/experiment.h"
#include "dray/simulate/jobs_run.h"
#include "report/experiment_report.h"
#include "report/jobs_report.h"

namespace dray::report {

// What the report's page (web/report) is given, as JSON. Its size is bounded whatever the run: what
// is left out is counted in it, so that the page can say so.

/// Where a run's input came from, as the user named it.
struct About {
  std::string version;
  std::string cluster;
  std::string workload;
  std::string unit = "job";  ///< what counts as a job
};

/// Of jobs with run times. `runs`: policy by policy, with stays and shares; as many of each as
/// there are seeds. Policies are compared by their runs of the first seed.
[[nodiscard]] std::string jobs_page_data(const About& about, const simulate::Setting& setting,
                                         const std::vector<MeasuredRun>& runs);

/// Of FGD's experiment. `orders`: of each run.
[[nodiscard]] std::string experiment_page_data(
    const About& about, const simulate::Setting& setting, const ExperimentRuns& runs,
    const std::vector<const simulate::ArrivalOrder*>& orders);

}  // namespace dray::report
