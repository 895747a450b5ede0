#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "dray/base/count_of.h"
#include "dray/model/pod_marks.h"
#include "dray/planner/explain_until.h"
#include "dray/planner/job_watch.h"
#include "planner/explain/help.h"
#include "planner/explain/queue_view.h"
#include "planner/explain/trials.h"
#include "planner/explain/words.h"

namespace dray::planner {
namespace {

constexpr std::size_t most_groups = 6;
constexpr std::size_t most_nodes_named = 3;

std::string with(std::string_view plain, const std::string& detail) {
  return detail.empty() ? std::string(plain) : fmt::format("{}: {}", plain, detail);
}

/// One explanation in the making.
class Explaining {
 public:
  Explaining(const Question& question, const alloc::AllocatorOptions& options, Trials& trials)
      : question_(question), pod_(*question.pod), options_(options), trials_(trials) {
    made_.pod = pod_.key().to_string();
  }

  Explanation run() {
    if (question_.job) job_ = question_.input.jobs.find(*question_.job);
    if (pod_.finished() || pod_.meta.deleted) {
      say(Standing::done,
          pod_.finished() ? "it has finished: " + pod_.phase : "it is being deleted");
    } else if (pod_.node_name) {
      bound();
    } else if (question_.decider == Decider::other_scheduler) {
      made_.helps.push_back(
          fmt::format("if dray is to place it, make it anew with spec.schedulerName: {}",
                      question_.scheduler_name));
      say(Standing::not_ours, fmt::format("it is of scheduler \"{}\", not of dray's \"{}\"",
                                          pod_.scheduler_name, question_.scheduler_name));
    } else if (question_.decider == Decider::nobody_needed) {
      say(Standing::bypasses,
          "it asks for no devices, and is in no gang and no queue that counts what it asks for: "
          "dray lets it pass, and kube-scheduler alone chooses its node");
    } else if (!job_) {
      unformed();
    } else {
      plan();
    }
    add_notes();
    return std::move(made_);
  }

 private:
  void say(Standing standing, std::string summary) {
    made_.standing = standing;
    made_.summary = std::move(summary);
  }

  void bound() {
    made_.node = pod_.node_name->get();
    say(Standing::runs, (pod_.phase == "Running" ? "runs on " : "is bound to ") + made_.node);
    if (const auto claims = claims_of(*question_.input.snapshot, pod_)) {
      for (const auto& claim : *claims) {
        if (!claim->allocation) continue;
        std::ranges::move(device_lines(*claim->allocation), std::back_inserter(made_.devices));
      }
    }
  }

  /// In no job: its group is not there, or it may not be in its queue.
  void unformed() {
    made_.reason = question_.lacks ? question_.lacks->reason : Reason::planning;
    say(Standing::waits,
        with(plain_text(made_.reason), question_.lacks ? question_.lacks->detail : ""));
    made_.helps = help_for_lack(*question_.input.snapshot, pod_, made_.reason);
  }

  void plan() {
    watch_.job = job_->uid;
    const auto plan = trials_.plan(question_.input, watch_);
    if (trials_.stopped()) return;
    made_.queue = queue_of(*job_, question_, plan, watch_);
    describe_job();
    const auto outcome = std::ranges::find(plan.jobs, job_->uid, &JobOutcome::job);
    const auto its = [&](const Placement& placement) { return placement.pod_uid == pod_.meta.uid; };
    if (outcome == plan.jobs.end()) return held_back();
    if (const auto at = std::ranges::find_if(outcome->placements, its);
        at != outcome->placements.end()) {
      return starts(*at, outcome->detail);
    }
    if (const auto at = std::ranges::find_if(outcome->held, its); at != outcome->held.end()) {
      return follows(*at, plan);
    }
    waits(*outcome, plan);
  }

  void describe_job() {
    if (job_->members.size() == 1) return;
    JobView view{.name = job_->name, .members = job_->members.size()};
    for (const auto& member : job_->members)
      if (has_room(member.state)) ++view.running;
    if (watch_.no_room && !watch_.no_room->is_rest) {
      view.minimum = watch_.no_room->members;
      view.have_room = watch_.no_room->found;
    }
    made_.job = std::move(view);
  }

  /// Not to be placed now: a claim that is missing, somebody else's gate.
  void held_back() {
    if (const auto claims = claims_of(*question_.input.snapshot, pod_); !claims) {
      made_.reason = claims.error().reason;
      say(Standing::waits, with(plain_text(made_.reason), claims.error().detail));
      made_.helps = help_for_lack(*question_.input.snapshot, pod_, made_.reason);
      return;
    }
    std::vector<std::string> gates;
    std::ranges::copy_if(pod_.scheduling_gates, std::back_inserter(gates),
                         [&](const auto& gate) { return gate != question_.gate; });
    if (gates.empty()) return say(Standing::waits, "its job has nothing that could start now");
    say(Standing::waits, fmt::format("the scheduling gate {} keeps it, which is not dray's",
                                     some_of(gates, most_nodes_named)));
    made_.helps.push_back("whoever set the gate has to take it off; dray plans the pod then");
  }

  void starts(const Placement& placement, const std::string& why) {
    made_.node = placement.node.get();
    made_.devices = device_lines(placement);
    say(Standing::starts, with("would start now on " + made_.node, why));
  }

  void follows(const Placement& placement, const Plan& plan) {
    made_.reason = Reason::room_freed;
    made_.node = placement.node.get();
    made_.devices = device_lines(placement);
    std::vector<std::string> own;
    std::size_t others = 0;
    for (const auto& eviction : plan.evictions) {
      if (eviction.beneficiary != job_->uid) continue;
      const auto victim = question_.input.jobs.find(eviction.job);
      if (victim && may_name(question_, *job_, *victim)) {
        own.push_back(victim->name);
      } else {
        ++others;
      }
    }
    auto leave = own.empty() ? std::string() : some_of(own, most_nodes_named);
    if (others > 0) {
      if (!leave.empty()) leave += " and ";
      leave += count_of(others, "job") + " of other tenants";
    }
    if (leave.empty()) leave = "others that are leaving already";
    say(Standing::follows, fmt::format("gets its place on {} once {} {} gone", made_.node, leave,
                                       own.size() + others == 1 ? "has" : "have"));
  }

  void waits(JobOutcome outcome, const Plan& plan) {
    if (outcome.reason == Reason::none && watch_.no_room && !watch_.no_room->nodes.empty()) {
      outcome.reason = watch_.no_room->nodes.front().reason;  // others of the job start without it
      outcome.detail = watch_.no_room->text;
    } else if (outcome.reason == Reason::none) {
      outcome.reason = Reason::planning;
      outcome.detail = "others of its job start now, and the next plan decides about it";
    }
    made_.reason = outcome.reason;
    const auto& groups = watch_.node_groups;
    say(Standing::waits, reason_text(outcome) + (groups.empty() ? "" : "; " + groups));
    if (watch_.no_room) describe_nodes(watch_.no_room->nodes);
    auto found = WhatHelps(question_, *job_, plan, watch_, trials_, options_).find();
    made_.nearest = std::move(found.nearest);
    made_.helps = std::move(found.helps);
    if (made_.helps.empty())
      made_.helps = help_for_lack(*question_.input.snapshot, pod_, made_.reason);
  }

  [[nodiscard]] std::string reason_text(const JobOutcome& outcome) const {
    const auto& no_room = watch_.no_room;
    const auto devices = no_room && !no_room->text.empty() ? no_room->text : outcome.detail;
    switch (outcome.reason) {
      case Reason::queue_limit:
      case Reason::queue_quota:
        if (watch_.capacity) return capacity_text(*watch_.capacity, *question_.input.policy);
        break;
      case Reason::gang_no_room:
        if (no_room) {
          return fmt::format("room for {} of {}, which start together or not at all{}",
                             no_room->found, count_of(no_room->members, "pod"), next_text());
        }
        break;
      case Reason::no_domain:
        if (no_room) {
          return fmt::format("no single topology domain has room for all {}{}",
                             count_of(no_room->members, "pod"),
                             devices.empty() ? "" : "; a pod of it " + devices);
        }
        break;
      case Reason::over_fair_share:
        return fmt::format(
            "no room is free, and queue {} may take none from others: it would be "
            "above its fair share; {}",
            job_->queue.get(), devices);
      default:
        if (no_room && !no_room->text.empty()) return no_room->text;
        if (no_room && reason_info(outcome.reason).stage == ReasonStage::node) {
          return nodes_text(outcome.reason, no_room->nodes);
        }
        break;
    }
    return with(plain_text(outcome.reason), outcome.detail);
  }

  /// What the nodes that came furthest say, and how many there are of them.
  [[nodiscard]] static std::string nodes_text(Reason reason, const std::vector<NodesAlike>& nodes) {
    const auto furthest = std::ranges::find(nodes, reason, &NodesAlike::reason);
    if (furthest == nodes.end()) return std::string(plain_text(reason));
    std::size_t all = 0;
    for (const auto& group : nodes) all += group.nodes.size();
    auto text = furthest->text + " (";
    if (furthest->text.ends_with(")")) {
      text = furthest->text;
      text.replace(text.size() - 1, 1, "; ");
    }
    return fmt::format("{}{} of {})", text, furthest->nodes.size(), count_of(all, "node"));
  }

  /// What the first member of the gang that found no node lacks.
  [[nodiscard]] std::string next_text() const {
    const auto& nodes = watch_.no_room->nodes;
    const auto full = std::ranges::find(nodes, Reason::gang_no_room, &NodesAlike::reason);
    if (full != nodes.end()) {
      return fmt::format("; no room is left on the {} that would take one more",
                         count_of(full->nodes.size(), "node"));
    }
    return watch_.no_room->text.empty() ? "" : "; for the next: " + watch_.no_room->text;
  }

  void describe_nodes(const std::vector<NodesAlike>& groups) {
    for (const auto& group : groups) {
      if (made_.nodes.size() == most_groups) {
        made_.nodes_left_out += group.nodes.size();
        continue;
      }
      auto& view = made_.nodes.emplace_back();
      view.reason = group.reason;
      view.text = group.text;
      view.count = group.nodes.size();
      for (const auto& node : group.nodes) {
        if (view.names.size() < most_nodes_named) view.names.push_back(node.get());
      }
    }
  }

  /// What kube-scheduler and a running dray last said of it.
  void add_notes() {
    if (made_.standing == Standing::runs || made_.standing == Standing::done) return;
    for (const auto& condition : pod_.conditions) {
      if (condition.status != "False" || condition.message.empty()) continue;
      if (condition.type == admitted_condition) {
        made_.notes.push_back("dray in the cluster last said: " + condition.message);
      } else if (condition.type == "PodScheduled" && condition.reason != "SchedulingGated") {
        made_.notes.push_back("kube-scheduler last said: " + condition.message);
      }
    }
  }

  const Question& question_;
  const Pod& pod_;
  const alloc::AllocatorOptions& options_;
  Trials& trials_;
  std::shared_ptr<const Job> job_;
  JobWatch watch_;
  Explanation made_;
};

}  // namespace

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::done:
      return "done";
    case Standing::runs:
      return "runs";
    case Standing::starts:
      return "starts";
    case Standing::follows:
      return "follows";
    case Standing::waits:
      return "waits";
    case Standing::bypasses:
      return "bypasses";
    case Standing::not_ours:
      return "not-ours";
  }
  std::unreachable();
}

std::optional<Explanation> explain_until(const Question& question,
                                         const alloc::AllocatorOptions& options,
                                         const std::stop_token& stop, ExplainWork* work) {
  Trials trials(question.input, options, stop);
  auto made = Explaining(question, options, trials).run();
  if (work != nullptr) *work = trials.work();
  if (trials.stopped()) return std::nullopt;
  return made;
}

Explanation explain(const Question& question, const alloc::AllocatorOptions& options) {
  return *explain_until(question, options, {});
}

}  // namespace dray::planner
