#include <string>
#include <string_view>

#include "dray/base/check.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"
#include "wire/extender_codec.h"

namespace dray::fuzz {
namespace {

/// What is read and written again is read as the same, and written the same.
template <class Message, class Encode>
void check_message(std::string_view json, Result<Message> (*decode)(std::string_view),
                   const Encode& encode) {
  const auto message = decode(json);
  if (!message) {
    DRAY_CHECK(!message.error().message.empty());
    return;
  }
  const auto text = encode(*message);
  const auto again = decode(text);
  DRAY_CHECK(again.has_value());
  DRAY_CHECK(encode(*again) == text);
}

void check_filter(std::string_view json) {
  check_message(json, &wire::decode_filter_request,
                [](const auto& message) { return wire::encode(message); });
  const auto request = wire::decode_filter_request(json);
  if (!request) return;
  // The answer to it, as kube-scheduler reads it.
  extender::FilterResponse answer;
  answer.all_unresolvable = "no";
  if (request->node_names) answer.node_names = *request->node_names;
  const auto text = wire::encode(answer, *request);
  DRAY_CHECK(wire::decode_filter_response(text).has_value());
}

}  // namespace

/// Requests of kube-scheduler, and the answers that the simulation reads: the first character says
/// which.
void extender(std::string_view bytes) {
  Input input(bytes);
  const auto plainly = [](const auto& message) { return wire::encode(message); };
  switch (input.pick(7)) {
    case 0:
      return check_filter(input.rest());
    case 1:
      return check_message(input.rest(), &wire::decode_bind_request, plainly);
    case 2:
      return check_message(input.rest(), &wire::decode_preempt_request, plainly);
    case 3:
      return check_message(input.rest(), &wire::decode_filter_response, [](const auto& message) {
        return wire::encode(message, extender::FilterRequest());
      });
    case 4:
      return check_message(input.rest(), &wire::decode_bind_response, plainly);
    case 5:
      return check_message(input.rest(), &wire::decode_preempt_response, plainly);
    default:
      return check_message(input.rest(), &wire::decode_prioritize_response, plainly);
  }
}

}  // namespace dray::fuzz
