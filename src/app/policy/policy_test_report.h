#pragma once

#include <string>
#include <vector>

#include "app/policy/test_case.h"

namespace dray::app {

/// A case that was played.
struct PlayedCase {
  std::string name;
  int line = 0;
  std::vector<TestCheck> checks;
  std::string plans =
      {};  ///< `3 plans, 2 of them ended by budgets.jobs`; empty: one, without budgets

  [[nodiscard]] bool passed() const;
};

/// A test file whose cases were played.
struct PlayedFile {
  std::string path;
  std::vector<PlayedCase> cases;
};

/// A row a case; below those that fail each expectation that was not met, what was expected (`-`)
/// and what came (`+`); at the end the counts.
[[nodiscard]] std::string test_table(const std::vector<PlayedFile>& files, bool coloured);

/// `{"files":[{"file","cases":[{"name","line","passed","plans","checks":[…]}]}],"passed","failed"}`.
[[nodiscard]] std::string test_json(const std::vector<PlayedFile>& files);

}  // namespace dray::app
