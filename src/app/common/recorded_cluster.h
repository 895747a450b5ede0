#pragma once

#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/model/object.h"

namespace dray::app {

/// Whether that is a file of a record, or a folder with some.
[[nodiscard]] bool is_record(const std::string& path);

/// A cluster as a record has it.
struct RecordedCluster {
  std::vector<KubeObject> objects;
  Time at;  ///< of the last change in it
};

/// As it was `at` that moment (RFC 3339), or at the end of the record where that is empty.
[[nodiscard]] Result<RecordedCluster> recorded_cluster(const std::vector<std::string>& paths,
                                                       const std::string& at);

}  // namespace dray::app
