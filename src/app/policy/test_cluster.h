#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/policy/policy_test_file.h"
#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/model/object.h"

namespace dray::app {

/// The cluster of a case, as an API server would show it.
struct TestCluster {
  std::vector<KubeObject> objects;
  /// Pods by the names that a test file may call them: their own, a job's, a group's, their
  /// owner's.
  std::map<std::string, std::set<Uid>, std::less<>> pods;
};

/// What `cluster` of a case names, relative to the folder. Errors name the file.
[[nodiscard]] Result<std::vector<KubeObject>> load_test_objects(
    const std::vector<std::string>& sources, const std::string& folder,
    std::vector<std::string>& warnings);

/// What `workload` of a case names, with the pods that the controllers of Jobs and the like make of
/// it. An object of which it is not known what pods it makes is an Error.
[[nodiscard]] Result<std::vector<KubeObject>> load_test_workload(
    const std::vector<std::string>& sources, const std::string& folder,
    std::vector<std::string>& warnings);

/// These objects with the case's jobs: those that run have got their nodes and devices from a plan
/// without a policy, the one that runs longest first. An Error says which has no room.
[[nodiscard]] Result<TestCluster> make_test_cluster(std::vector<KubeObject> objects,
                                                    const std::vector<TestJob>& jobs,
                                                    const engine::Options& options, Time now);

}  // namespace dray::app
