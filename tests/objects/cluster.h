#pragma once

#include <string>
#include <utility>

#include "dray/cluster/state.h"

// What a ClusterState is told.

namespace dray::testing {

template <class T>
void put(cluster::ClusterState& state, T object) {
  state.apply(cluster::ObjectChanged{std::move(object)});
}

inline void gone(cluster::ClusterState& state, Kind kind, const std::string& name,
                 const std::string& space = "") {
  state.apply(cluster::ObjectGone{kind, space, name, Uid{}});
}

}  // namespace dray::testing
