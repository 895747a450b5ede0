#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/error.h"
#include "dray/policy/config.h"
#include "dray/policy/counting.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// Node label keys by the name of their topology, the widest domain first. The policy file's own
/// levels are the topology with the empty name.
using Topologies = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Second names of levels, by the topology and the alias: the label that it stands for (KAI's
/// Topology, spec.levels[].alias).
using LevelAliases = std::map<std::pair<std::string, std::string>, std::string>;

/// The name of the one queue of the default policy.
inline constexpr std::string_view default_queue = "default";

/// A policy ready for use. Immutable once made; threads may share it.
struct Policy {
  PolicyConfig config;
  QueueTree queues;  ///< nothing counted in it
  Counting counting;
  Topologies topologies;
  LevelAliases level_aliases;

  /// What holds where no policy is given: one queue `default`, without limits; nobody is evicted.
  [[nodiscard]] static Policy open();
};

/// Fails where make_tree() does. `topologies` come on top of the file's levels.
[[nodiscard]] Result<Policy> compile(PolicyConfig config, Topologies topologies = {},
                                     LevelAliases aliases = {});

}  // namespace dray::policy
