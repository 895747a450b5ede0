#include "app/simulate/recorded_input.h"

#include <utility>

#include "app/common/files.h"
#include "app/common/record_files.h"
#include "service/record/record_file.h"
#include "service/record/recorded_events.h"

namespace dray::app {

Result<simulate::RecordedLoad> load_recorded(const std::string& path, const std::string& gpus,
                                             std::vector<std::string>& warnings) {
  const auto files = files_of({path}, record_endings);
  if (!files) return std::unexpected(files.error());
  simulate::LoadReader reader;
  service::RecordedEvents events(reader);
  for (const auto& file : *files) {
    auto read =
        service::read_record(file, [&](std::string_view line) { return events.feed(line); });
    if (!read) return std::unexpected(std::move(read.error()));
  }
  auto load = reader.load(gpus, warnings);
  if (!load) return std::unexpected(std::move(load.error()).within(path));
  return load;
}

}  // namespace dray::app
