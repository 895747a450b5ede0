#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dray/engine/engine.h"
#include "net/published.h"
#include "service/record/record_file.h"
#include "service/record/record_input.h"
#include "service/record/state_table.h"

namespace dray::service {

struct RecorderOptions {
  std::string folder;  ///< empty: nothing is recorded
  /// Of a file, its state apart, before compression (about a tenth after it): then the next one
  /// begins.
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;
  std::uint64_t total_bytes = std::uint64_t{512} << 20;  ///< of all files: then the oldest goes
  bool observed = false;  ///< nothing is decided: what is noted is what happened in a cluster
  std::size_t most_waiting = 50'000;  ///< steps; beyond, recording ends: the disk is too slow
  /// The same by the memory that they take, about (noted_size()).
  std::size_t most_waiting_bytes = std::size_t{256} << 20;
  /// What went wrong, for the log. Any thread.
  std::function<void(const std::string&)> notice = [](const std::string&) {};
};

/// Whether the engine is settled and no timer is due soon: apart from the writes that it has asked
/// for, another engine that gets the same state continues in the same way. Costs what has changed
/// since it was last asked.
[[nodiscard]] bool is_idle(const engine::Engine& engine, Time now);

/// The flight recorder: what goes into an engine, step by step, with what the engine decided, in a
/// folder of files `dray-START-NUMBER.jsonl.zst`. Each but a run's first opens with all that an
/// engine has to be told to go on from there. note() is for the engine's strand; a thread of its
/// own does the rest. Recording that fails ends, with a line in the log, and disturbs nothing else.
class Recorder {
 public:
  /// Makes the folder if it is not there.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> open(RecorderOptions options,
                                                              engine::Options engine, Time now);
  /// Writes what is waiting.
  ~Recorder();
  /// Writes what is waiting and closes the file. An error: some of the record is missing, because
  /// of that or since an earlier failure. Nothing may be noted after it.
  [[nodiscard]] Result<void> finish();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// A step of the engine, and whether it is_idle() after it; that is needed only while
  /// wants_idle().
  void note(Time now, RecordInput input, engine::Effects effects,
            std::optional<extender::FilterResponse> answer, bool idle);
  struct Figures {
    bool recording = false;   ///< false: it has ended
    std::uint64_t steps = 0;  ///< that were given to it
    std::size_t waiting = 0;  ///< of them, to be written
  };
  /// Any thread.
  [[nodiscard]] Figures figures() const { return {!ended_, steps_, waiting_}; }
  /// A segment has begun whose first step with an idle engine is still to come.
  [[nodiscard]] bool wants_idle() const { return wants_idle_.load(); }

 private:
  struct Noted {
    Time now;
    RecordInput input;
    engine::Effects effects;
    std::optional<extender::FilterResponse> answer;
    bool idle = false;
    std::size_t size = 0;  ///< noted_size()
  };

  Recorder(RecorderOptions options, engine::Options engine, Time now);
  void write(Noted noted);
  void end(std::string why);
  [[nodiscard]] Result<void> write_step(Noted& noted);
  [[nodiscard]] Result<void> begin_segment(Time now);
  void count(const RecordInput& input, const engine::Effects& effects);
  void drop_oldest() const;

  // Fixed after construction.
  RecorderOptions options_;
  engine::Options engine_;
  Time start_;
  // Any thread.
  std::atomic<bool> wants_idle_{false};
  std::atomic<bool> ended_{false};
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::size_t> waiting_bytes_{0};
  Published<std::string> failure_;  ///< why recording has ended
  std::atomic<std::uint64_t> steps_{0};
  // Of the thread.
  StateTable state_;
  std::unique_ptr<RecordWriter> file_;
  std::uint64_t segment_ = 0;
  std::uint64_t opened_ = 0;            ///< size of the file when its state was written
  std::int64_t under_way_ = 0;          ///< writes, binds and plans without an outcome
  boost::asio::thread_pool thread_{1};  ///< the last, so that it ends first
};

}  // namespace dray::service
