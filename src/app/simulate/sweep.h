#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/simulate/checkpoint.h"
#include "app/simulate/shard.h"
#include "app/simulate/simulate_flags.h"
#include "dray/base/error.h"

namespace dray::app {

/// The runs of a comparison that this process makes: policies times seeds, or a shard of them.
class Sweep {
 public:
  /// Of one run: its place among those of this process, the policy's place among the flags', and
  /// which of the seeds.
  struct Run {
    std::size_t place = 0;
    std::size_t policy = 0;
    std::uint32_t repeat = 0;
    std::uint64_t seed = 0;
  };
  /// What is done about runs, each for itself, on any thread.
  struct Work {
    std::function<Result<void>(const Run&)> make;
    /// The run that was made, for take().
    std::function<std::string(const Run&)> pack;
    /// Takes what pack() gave an earlier process; false: that is none.
    std::function<bool(const Run&, const std::string&)> take;
  };

  /// `of_run`: what there is of a run beside policy and seed that another one has not. Errors are
  /// those of the flags, and of the checkpoint that they name.
  [[nodiscard]] static Result<Sweep> of(const SimulateFlags& flags, const Shard& shard,
                                        const std::function<std::string(const Run&)>& of_run = {});

  /// In order.
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  /// Makes all runs that the checkpoint has not, on all cores, with a bar that says how far it is.
  /// With a checkpoint SIGINT and SIGTERM end the process, with 128 and the signal's number, and a
  /// line that says how to go on. The error is that of the first run that has one.
  [[nodiscard]] Result<void> make(const Work& work);

 private:
  [[nodiscard]] std::vector<std::size_t> take_kept(const Work& work) const;
  void make_missing(const Work& work, const std::vector<std::size_t>& missing,
                    std::vector<std::optional<Error>>& errors);

  unsigned threads_ = 0;
  std::vector<Run> runs_;
  std::vector<RunKey> keys_;  ///< of each, where there is a checkpoint
  std::optional<Checkpoint> checkpoint_;
};

}  // namespace dray::app
