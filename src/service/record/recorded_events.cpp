#include "service/record/recorded_events.h"

#include <utility>
#include <variant>

#include "service/record/record_input.h"
#include "service/record/record_line.h"

namespace dray::service {

Result<void> RecordedEvents::feed(std::string_view text) {
  const auto line = read_record_line(text);
  if (!line) return std::unexpected(line.error());
  if (line->record > 1) {
    return fail(ErrorCode::unsupported, "a record of a form that this dray does not know");
  }
  if (line->record == 1) {
    // Only what follows the segment before it goes on; else everything is told anew.
    const bool goes_on = line->run == run_ && line->segment == segment_ + 1;
    run_ = line->run;
    segment_ = line->segment;
    opening_ = !goes_on;
    return {};
  }
  if (segment_ < 0) return fail(ErrorCode::invalid, "this is no record");
  const auto now = record_time(line->at);
  if (std::exchange(opening_, false)) reader_.begin(now);
  reader_.passed(now);
  const auto& json = line->state.empty() ? line->input : line->state;
  if (json.empty()) return {};
  const auto input = decode_input(json);
  if (!input) return std::unexpected(input.error());
  const auto* event = std::get_if<engine::Event>(&*input);
  if (event == nullptr) return {};
  if (const auto* changed = std::get_if<cluster::ObjectChanged>(event)) {
    reader_.see(changed->object, now);
  } else if (const auto* gone = std::get_if<cluster::ObjectGone>(event)) {
    reader_.gone(*gone, now);
  } else if (std::holds_alternative<engine::Synced>(*event)) {
    reader_.synced(now);
  }
  return {};
}

}  // namespace dray::service
