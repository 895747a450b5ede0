#pragma once

#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/sim/api_server.h"
#include "dray/sim/claim_controller.h"
#include "tests/api_model/operation.h"

namespace dray::api_model {

/// The model of the API server, asked in lines: what it answers, and how dray would ask a real one
/// for the same and understand the answer. Each question is an object with a member `do`:
///
///   reset                    an empty server
///   play {op, now}           the operation on the model: {code, message, object}
///   get {kind, namespace, name}
///   events                   what watches were told since the last time: [{type, object}]
///   request {op, read}       the request for a real server; `read`: the second of a ReleaseClaim,
///                            made from the claim that the first one read; no method: none is sent
///   outcome {op, status, body}  what dray takes a real answer for
///   read {object}            the object as far as dray knows it
///   control {now}            the resource claim controller does all that is due: {settled}; not,
///   if
///                            there is no end to it
///   objects                  all pods and claims
class Player {
 public:
  Player() { reset(); }
  /// What is wrong with the question itself stands in `error`.
  [[nodiscard]] Json ask(const Json& question);

 private:
  void reset();
  Json play(const Json& line, const Operation& operation);
  Result<KubeObject> patch(const Patch& patch, Time now);
  Json events();
  Json control(Time now);
  [[nodiscard]] Json objects() const;
  bool tell_controller();

  sim::ApiServer server_;
  std::vector<sim::Watch> watches_;
  sim::ClaimController controller_;
  std::vector<sim::Watch> controllers_watches_;
};

}  // namespace dray::api_model
