#include "planner/other_jobs.h"

#include <fmt/format.h>

#include "dray/base/count_of.h"

namespace dray::planner {
namespace {

bool shares_namespace(const Job& a, const Job& b) {
  return a.first().meta.namespace_name == b.first().meta.namespace_name;
}

std::string size_of(const Job& job) {
  return "a job of " + count_of(job.members.size(), "pod");
}

}  // namespace

std::string job_for(const Job& reader, const Job& other) {
  if (shares_namespace(reader, other)) return other.name;
  return size_of(other) +
         (reader.queue == other.queue ? " of the same queue" : " of another queue");
}

std::string eviction_text(const Job& victim, const Job& taker) {
  const auto who = job_for(victim, taker);
  std::string more;
  if (shares_namespace(victim, taker)) {
    more = " of queue " + taker.queue.get();
  } else if (victim.queue == taker.queue) {
    more =
        fmt::format(" with priority {}; its own priority is {}", taker.priority, victim.priority);
  }
  return fmt::format("{} of queue {} makes room for {}{}", victim.name, victim.queue.get(), who,
                     more);
}

}  // namespace dray::planner
