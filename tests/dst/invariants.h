#pragma once

#include <optional>
#include <span>
#include <string>

#include "tests/dst/facts.h"

namespace dray::dst {

/// A rule that every commit must keep; the text says how one broke it, empty: it did not.
struct CommitRule {
  const char* number;
  const char* what;
  std::string (*broken)(const Facts&, const Commit&);
};
/// A rule that what a replica decides, or sends, must keep.
struct RequestRule {
  const char* number;
  const char* what;
  std::string (*broken)(const Facts&, const sim::ApiRequest&);
};

// By their numbers in docs/faults.md.
std::span<const CommitRule> commit_rules();
std::span<const RequestRule> decision_rules();
std::span<const RequestRule> sending_rules();
// And those of odd seeds.
std::span<const CommitRule> odd_commit_rules();
std::span<const RequestRule> odd_decision_rules();
std::span<const RequestRule> odd_sending_rules();

/// Judges a run by what the API server commits, what is sent to it and what is answered to
/// kube-scheduler, and by nothing that dray believes. The first violation is kept.
class Checker {
 public:
  explicit Checker(sim::ClusterLoop& loop);

  void committed(const sim::WatchEvent& event);
  /// From now on the rules of odd seeds are asked, too.
  void be_strict(const Strictness& strict);
  /// I9, I10: an OK to a bind call is true: the API server holds the binding, to that node.
  void bind_answered(const extender::BindRequest& request, const std::string& error);

  void violate(const std::string& what) {
    if (violation_) return;
    violation_ = what;
    loop_.note("BROKEN", what);
  }
  /// `I1: ...`
  [[nodiscard]] const std::optional<std::string>& violation() const { return violation_; }
  [[nodiscard]] Facts& facts() { return facts_; }
  [[nodiscard]] const Facts& facts() const { return facts_; }

 private:
  void ask(std::span<const CommitRule> rules, const Commit& commit);
  void ask(std::span<const RequestRule> rules, const sim::ApiRequest& request);
  void note_refusal(const sim::ApiRequest& request, const Error& error);
  void note_denial(const Uid& uid);

  sim::ClusterLoop& loop_;
  Facts facts_;
  std::optional<std::string> violation_;
};

}  // namespace dray::dst
