#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "dray/model/reason.h"
#include "dray/simulate/jobs_run.h"

namespace dray::simulate {

/// Counts why jobs, or pods, wait.
class WaitingReasons {
 public:
  void add(Reason reason);
  /// The most first; of as many in the order of the words.
  [[nodiscard]] std::vector<WaitingFor> list() const;

 private:
  std::map<std::string, std::size_t> counts_;  ///< by what people are told
};

}  // namespace dray::simulate
