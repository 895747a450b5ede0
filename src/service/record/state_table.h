#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "service/record/record_input.h"

namespace dray::service {

/// What an engine would have been told by now if it had started this moment: the objects that there
/// are, the policy, who leads. A segment opens with it.
class StateTable {
 public:
  void take(const RecordInput& input);

  /// The inputs that make it, in the order in which a new engine takes them.
  [[nodiscard]] std::vector<RecordInput> inputs() const;
  /// The objects, by kind and name; unreadable ones as far as they could be made out.
  [[nodiscard]] std::vector<KubeObject> objects() const;
  /// dray's own ConfigMap as last read or written.
  [[nodiscard]] std::optional<ConfigMap> config_map(const ConfigMapKey& key) const;

 private:
  using Key = std::tuple<Kind, std::string, std::string>;
  void take_event(const engine::Event& event);

  std::optional<engine::PolicyChanged> policy_;
  std::map<Key, engine::Event> objects_;
  std::map<Key, ConfigMap> maps_;
  bool synced_ = false;
  std::optional<engine::LeadershipChanged> leadership_;
};

}  // namespace dray::service
