#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "dray/base/time.h"
#include "dray/model/provisioning_request.h"
#include "dray/planner/job.h"
#include "dray/policy/config.h"
#include "engine/protocol/command.h"

namespace dray::engine {

/// Nodes asked for jobs of several pods, all or none: a ProvisioningRequest for each, of which the
/// cluster autoscaler says when its nodes are there, or that there will be none.
///
///   asked        the request and its templates are being written
///   pending      the autoscaler has not said anything final
///   provisioned  the nodes are there: the job's pods may be shown
///   over         refused, revoked or run out: it goes, and after a while another takes its place
///
/// A request that no pod waits for any more is deleted. What the API server has is the truth: a new
/// leader goes on with the requests that it finds.
class NodeRequests {
 public:
  using FindJob = std::function<std::shared_ptr<const planner::Job>(const Uid&)>;

  explicit NodeRequests(FindJob find_job) : find_job_(std::move(find_job)) {}

  /// A request as the watch shows it; others' are left alone.
  [[nodiscard]] Commands put(const ProvisioningRequest& request, Time now);
  [[nodiscard]] Commands erase(const ProvisioningKey& key);

  /// Sees to it that nodes are asked for what waits of the job.
  [[nodiscard]] Commands ask(const planner::Job& job, const policy::Provisioning& rule, Time now);
  /// There is a request for the job that is not over.
  [[nodiscard]] bool asks_for(const Uid& job) const;
  /// What its pods are to say of the request whose nodes they use; null: no nodes are there.
  [[nodiscard]] const Labels* provisioned(const Uid& job) const;
  [[nodiscard]] Commands step(const Uid& job, const WriteOutcome& outcome, Time now);
  /// Deletes what nobody waits for any more; all, where the policy asks for no nodes.
  [[nodiscard]] Commands settle(bool wanted);
  [[nodiscard]] bool none() const { return asked_.empty(); }
  /// Leadership changed: what was under way is not known to have happened.
  void reset();

 private:
  enum class State : std::uint8_t { asked, pending, provisioned, over };
  struct Asked {
    ProvisioningKey key;
    Uid uid;  ///< empty until the watch shows it
    State state = State::asked;
    std::uint32_t attempt = 1;  ///< of the requests for the job, each under a name of its own
    bool complete = false;      ///< its templates are there
    bool under_way = false;     ///< a write of it is
    bool leaving = false;       ///< it is being deleted
    Time retry_at;              ///< not asked for again before
    Labels marks;               ///< see provisioned()
  };

  [[nodiscard]] bool needed(const Uid& job) const;
  static void drop(const Uid& job, Asked& asked, Commands& out);

  FindJob find_job_;
  std::map<Uid, Asked> asked_;
};

}  // namespace dray::engine
