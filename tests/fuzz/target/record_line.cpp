#include <string>
#include <string_view>
#include <vector>

#include "dray/base/check.h"
#include "service/record/record_input.h"
#include "service/record/record_line.h"
#include "service/record/recorded_events.h"
#include "service/record/replay.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/targets.h"

namespace dray::fuzz {
namespace {

void check_input(std::string_view json) {
  auto input = service::decode_input(json);
  if (!input) {
    DRAY_CHECK(!input.error().message.empty());
    return;
  }
  const auto text = service::encode_input(*input);
  const auto again = service::decode_input(text);
  DRAY_CHECK(again.has_value());
  DRAY_CHECK(service::encode_input(*again) == text);
  service::drop_unread(*input);
  DRAY_CHECK(service::decode_input(service::encode_input(*input)).has_value());
}

void check_decision(std::string_view json) {
  const auto decision = service::decode_decision(json);
  if (!decision || decision->text.empty()) return;
  const auto again = service::decode_decision(service::encode_decision(*decision));
  DRAY_CHECK(again && *again == *decision);
}

void check_options(std::string_view json) {
  const auto options = service::decode_options(json);
  if (!options) return;
  const auto text = service::encode_options(*options);
  const auto again = service::decode_options(text);
  DRAY_CHECK(again && service::encode_options(*again) == text);
}

}  // namespace

/// The lines of a record, to all who read one: the state at some moment, the load of a simulation
/// and a replay.
void record_line(std::string_view bytes) {
  service::RecordedState state;
  simulate::LoadReader reader;
  service::RecordedEvents events(reader);
  bool state_fails = false;
  bool events_fail = false;
  for (auto rest = bytes; !rest.empty();) {
    const auto end = rest.find('\n');
    const auto text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const auto line = service::read_record_line(text);
    if (line) {
      if (!line->input.empty()) check_input(line->input);
      if (!line->state.empty()) check_input(line->state);
      if (!line->options.empty()) check_options(line->options);
      for (const auto& each : line->out) check_decision(each);
    }
    state_fails = state_fails || !state.feed(text, Time::max());
    events_fail = events_fail || !events.feed(text);
  }
  if (!state_fails) (void)state.objects();
  if (events_fail) return;
  std::vector<std::string> warnings;
  (void)reader.load("", warnings);
}

}  // namespace dray::fuzz
