#include "app/simulate/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/simulate/parallel.h"
#include "app/simulate/progress.h"
#include "app/simulate/signal_watch.h"

namespace dray::app {
namespace {

/// Ends the process in good order while runs are made: what is half made is lost, what is done is
/// kept.
class EndBySignal {
 public:
  EndBySignal(const std::string& folder, std::size_t runs, std::size_t kept, ProgressBar& bar)
      : folder_(folder), runs_(runs), kept_(kept), bar_(bar), watch_([this](int signal) {
          end(signal);
        }) {}

  /// Keeps a run, and is not disturbed.
  Result<void> keep(Checkpoint& checkpoint, const RunKey& key, const std::string& bytes) {
    const std::lock_guard whole(mutex_);
    auto kept = checkpoint.keep(key, bytes);
    if (kept) ++kept_;
    return kept;
  }

 private:
  void end(int signal) {
    // What is being kept at this moment is kept, and counts.
    const std::lock_guard whole(mutex_);
    bar_.end();
    std::fputs(fmt::format("dray simulate: ended by a signal: {} of {} runs are kept in {}; the "
                           "same command goes on from there\n",
                           kept_, runs_, folder_)
                   .c_str(),
               stderr);
    std::_Exit(128 + signal);
  }

  std::string folder_;
  std::size_t runs_;
  std::mutex mutex_;
  std::size_t kept_;
  ProgressBar& bar_;
  SignalWatch watch_;
};

Result<std::vector<std::string>> policy_marks(const std::vector<std::string>& policies) {
  std::vector<std::string> marks;
  for (const auto& policy : policies) {
    auto mark = policy_mark(policy);
    if (!mark) return std::unexpected(std::move(mark.error()));
    marks.push_back(*std::move(mark));
  }
  return marks;
}

}  // namespace

Result<Sweep> Sweep::of(const SimulateFlags& flags, const Shard& shard,
                        const std::function<std::string(const Run&)>& of_run) {
  Sweep sweep;
  sweep.threads_ = flags.threads;
  for (const auto number : runs_of(shard, flags.policies.size() * flags.repeat)) {
    const auto repeat = static_cast<std::uint32_t>(number % flags.repeat);
    sweep.runs_.push_back({sweep.runs_.size(), number / flags.repeat, repeat, flags.seed + repeat});
  }
  if (flags.checkpoint.empty()) return sweep;
  const auto inputs = input_marks(flags);
  if (!inputs) return std::unexpected(inputs.error());
  const auto policies = policy_marks(flags.policies);
  if (!policies) return std::unexpected(policies.error());
  auto checkpoint = Checkpoint::open(flags.checkpoint, *inputs);
  if (!checkpoint) return std::unexpected(std::move(checkpoint.error()));
  sweep.checkpoint_ = std::move(*checkpoint);
  for (const auto& run : sweep.runs_) {
    const auto& name = flags.policies[run.policy];
    Mark mark;
    mark.add((*policies)[run.policy]).add(of_run ? of_run(run) : std::string());
    sweep.keys_.push_back({name, mark.text(), run.seed});
  }
  return sweep;
}

std::vector<std::size_t> Sweep::take_kept(const Work& work) const {
  std::vector<std::size_t> missing;
  std::vector<std::string> warnings;
  for (const auto& run : runs_) {
    const auto bytes = checkpoint_ ? checkpoint_->find(keys_[run.place], warnings) : std::nullopt;
    if (!bytes || !work.take(run, *bytes)) missing.push_back(run.place);
  }
  print_warnings("simulate", warnings);
  return missing;
}

void Sweep::make_missing(const Work& work, const std::vector<std::size_t>& missing,
                         std::vector<std::optional<Error>>& errors) {
  const auto kept = runs_.size() - missing.size();
  ProgressBar bar(runs_.size(), kept);
  std::optional<EndBySignal> end;
  if (checkpoint_) end.emplace(checkpoint_->folder(), runs_.size(), kept, bar);
  std::once_flag told;
  run_parallel(
      missing.size(), threads_,
      [&](std::size_t at) {
        const auto place = missing[at];
        if (auto made = work.make(runs_[place]); !made) {
          errors[place] = std::move(made.error());
          return;
        }
        if (!end) return;
        const auto written = end->keep(*checkpoint_, keys_[place], work.pack(runs_[place]));
        if (written) return;
        // What was asked for is the comparison; that it can be interrupted is less.
        std::call_once(told, [&] {
          bar.end();
          print_warnings("simulate",
                         {written.error().message + "; runs that cannot be written are not kept"});
        });
      },
      [&](std::size_t) { bar.one_done(); });
}

Result<void> Sweep::make(const Work& work) {
  const auto missing = take_kept(work);
  std::vector<std::optional<Error>> errors(runs_.size());
  if (!missing.empty()) make_missing(work, missing, errors);
  for (auto& error : errors) {
    if (error) return std::unexpected(std::move(*error));
  }
  return {};
}

}  // namespace dray::app
