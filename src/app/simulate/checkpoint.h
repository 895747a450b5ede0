#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/simulate/input_marks.h"
#include "dray/base/error.h"

namespace dray::app {

/// Which run of a comparison.
struct RunKey {
  std::string policy;  ///< as its results have it
  std::string mark;    ///< of the policy, and of what else is of this run alone
  std::uint64_t seed = 0;
};

/// A folder with the finished runs of a comparison, a file each. Several processes may use one at a
/// time, as the shards of a comparison do. Thread-safe.
class Checkpoint {
 public:
  /// Makes the folder, or goes on with one of the same inputs. An Error says what the folder is
  /// else: of other inputs, of another program, or no checkpoint.
  [[nodiscard]] static Result<Checkpoint> open(const std::string& folder,
                                               const std::vector<InputMark>& inputs);

  /// The bytes of a run that was kept. Nothing: it was not; or its file is damaged or is cut off,
  /// which `warnings` say.
  [[nodiscard]] std::optional<std::string> find(const RunKey& key,
                                                std::vector<std::string>& warnings) const;
  /// Keeps a run: its file is there as a whole, or not at all.
  [[nodiscard]] Result<void> keep(const RunKey& key, const std::string& bytes);

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  Checkpoint(std::string folder, std::string mark)
      : folder_(std::move(folder)), mark_(std::move(mark)) {}

  [[nodiscard]] std::string path_of(const RunKey& key) const;
  [[nodiscard]] std::string head_of(const RunKey& key) const;

  std::string folder_;
  std::string mark_;  ///< of all inputs
};

}  // namespace dray::app
