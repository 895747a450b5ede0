#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/write.h"

namespace dray::engine {

/// The protocol that evicts the pods of one beneficiary: all are asked for with dryRun first, so
/// that a disruption budget in the way of one keeps the others running; then all for real. A real
/// one that is refused all the same (budgets count one by one) is asked for again for a while.
class EvictionSet {
 public:
  /// A pod's place among the victims.
  using Token = std::size_t;
  struct Victim {
    PodKey pod;
    Uid uid;
    bool operator==(const Victim&) const = default;
  };
  struct Command {
    Token token;
    EvictPod write;
  };
  using Commands = std::vector<Command>;

  enum class Result : std::uint8_t {
    evicted,  ///< all are on their way out, or gone
    refused,  ///< none was touched
    partly,   ///< some are on their way out; the others were refused for long, or are spared
  };

  EvictionSet(std::vector<Victim> victims, Time now);

  [[nodiscard]] Commands start();
  [[nodiscard]] Commands step(Token token, const WriteOutcome& outcome, Time now);
  [[nodiscard]] Commands tick(Time now);
  /// Before a step or tick: the victim is gone or has finished, and is not asked for any more.
  void left(Token token) { states_[token].left = true; }
  /// Before a step or tick: nobody needs the room any more. Who is not on its way out stays.
  void withdraw() { withdrawn_ = true; }
  [[nodiscard]] std::optional<Time> next_tick() const;

  [[nodiscard]] std::span<const Victim> victims() const { return victims_; }
  /// The dry run is over, and was no refusal: real evictions are under way or done.
  [[nodiscard]] bool committed() const { return phase_ == Phase::evicting; }
  [[nodiscard]] bool finished() const { return result_.has_value(); }
  [[nodiscard]] std::optional<Result> result() const { return result_; }
  /// Whom the API server would not evict, once it is finished.
  [[nodiscard]] std::vector<Uid> refused() const { return who(Step::refused); }
  /// Who was spared, as the set was withdrawn before it was evicted, once it is finished.
  [[nodiscard]] std::vector<Uid> spared() const { return who(Step::spared); }
  /// What the API server said first when it refused.
  [[nodiscard]] const std::string& error() const { return error_; }

  /// How long refused evictions are asked for again.
  static constexpr Duration patience = std::chrono::seconds(30);

 private:
  enum class Phase : std::uint8_t { asking, evicting };
  enum class Step : std::uint8_t { sent, waiting, done, refused, spared };
  struct State {
    Step step = Step::sent;
    std::uint32_t attempts = 0;
    std::optional<Time> retry_at;
    bool left = false;
  };

  void send(Token token, Commands& out);
  void settle(Commands& out);
  [[nodiscard]] std::vector<Uid> who(Step step) const;

  std::vector<Victim> victims_;
  std::vector<State> states_;
  Phase phase_ = Phase::asking;
  Time deadline_;
  bool withdrawn_ = false;
  std::optional<Result> result_;
  std::string error_;
};

}  // namespace dray::engine
