#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dray/base/error.h"

namespace dray::app {

/// The part of a comparison's runs that one process of several makes: every `count`th of them.
struct Shard {
  std::size_t index = 0;  ///< from 0, as Kubernetes numbers the pods of an Indexed Job
  std::size_t count = 1;

  bool operator==(const Shard&) const = default;
};

/// Reads `2/8`; empty: all of it.
[[nodiscard]] Result<Shard> parse_shard(const std::string& text);
/// The numbers of its runs, of so many.
[[nodiscard]] std::vector<std::size_t> runs_of(const Shard& shard, std::size_t runs);

/// What `-o json` has of a shard's runs, with the shard's name for merge_shards(); the same text
/// where the shard is all.
[[nodiscard]] std::string name_shard(std::string json, const Shard& shard);
/// What one process would have printed, of the texts of all shards, in any order. An Error says
/// which text is no shard, twice there or missing.
[[nodiscard]] Result<std::string> merge_shards(const std::vector<std::string>& texts);

}  // namespace dray::app
