#pragma once

#include <string>
#include <vector>

#include "dray/model/pod.h"
#include "engine/books/job_key.h"

namespace dray::engine {

/// What a pod says of a group: whose word it is, the name, and the part of it (see JobKey).
struct Mention {
  GroupSource source = GroupSource::none;
  std::string name;
  std::string part = {};
};

/// The groups that the pod speaks of, what is said on purpose before what follows from its owner.
[[nodiscard]] std::vector<Mention> mentions_of(const Pod& pod);

/// A label's or annotation's value; empty where there is none.
[[nodiscard]] std::string mark(const Labels& marks, const char* key);

}  // namespace dray::engine
