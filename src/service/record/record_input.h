#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/model/config_map.h"
#include "dray/model/extender_api.h"

namespace dray::service {

// What a record holds: the inputs of an engine, each with what the engine decided on it. The engine
// is deterministic, so that an engine that is given the inputs again decides the same.

/// A timer of the engine was due.
struct TickInput {};
struct FilterInput {
  std::shared_ptr<const extender::FilterRequest> request;
};
struct BindInput {
  engine::RequestId id;
  extender::BindRequest request;
};
/// A plan came back. Plans are not kept: they are made again from the same state.
struct PlannedInput {
  std::uint64_t generation = 0;
};
/// dray's own ConfigMap as it was last read or written: part of the state that a segment opens
/// with, never an input.
struct KnownMap {
  ConfigMap map;
};
using RecordInput =
    std::variant<engine::Event, TickInput, FilterInput, BindInput, PlannedInput, KnownMap>;

/// The event as an input; a plan without the plan.
[[nodiscard]] RecordInput input_of(const engine::Event& event);

/// Without what no decision reads (engine/unread.h).
void drop_unread(RecordInput& input);

/// `{"changed":{…}}`: one JSON object, read back by decode_input().
[[nodiscard]] std::string encode_input(const RecordInput& input);
[[nodiscard]] Result<RecordInput> decode_input(std::string_view json);

/// What an engine asked for or answered in a step. Its id is the engine's own count, which another
/// engine has no part in: it is no part of what is compared.
struct Decision {
  enum class Kind : std::uint8_t { write, answer_bind, plan, filter };
  Kind kind = Kind::write;
  std::uint64_t id = 0;  ///< of a write or a plan
  /// One JSON object: the request to the API server, the answer to kube-scheduler.
  std::string text;

  bool operator==(const Decision&) const = default;
};

/// The decisions of a step at `now`, in their order, without what a record does not keep.
[[nodiscard]] std::vector<Decision> decisions_of(engine::Effects effects,
                                                 const engine::Options& options, Time now);
/// An answer to a filter call.
[[nodiscard]] Decision decision_of(const extender::FilterResponse& response,
                                   const extender::FilterRequest& request);
/// `{"write":{"id":5,…}}`.
[[nodiscard]] std::string encode_decision(const Decision& decision);
[[nodiscard]] Result<Decision> decode_decision(std::string_view json);

/// What has to be known to make the engine again.
[[nodiscard]] std::string encode_options(const engine::Options& options);
[[nodiscard]] Result<engine::Options> decode_options(std::string_view json);

}  // namespace dray::service
