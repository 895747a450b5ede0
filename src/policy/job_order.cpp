#include "dray/policy/job_order.h"

namespace dray::policy {

std::strong_ordering compare_jobs(const JobRank& left, const JobRank& right) {
  if (const auto o = right.priority <=> left.priority; o != 0) return o;
  if (const auto o = left.phase <=> right.phase; o != 0) return o;
  if (const auto o = left.created <=> right.created; o != 0) return o;
  return left.uid <=> right.uid;
}

}  // namespace dray::policy
