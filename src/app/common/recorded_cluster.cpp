#include "app/common/recorded_cluster.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/common/files.h"
#include "app/common/record_files.h"
#include "service/record/record_file.h"
#include "service/record/replay.h"

namespace dray::app {

bool is_record(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return files_of({path}, record_endings).has_value();
  }
  return std::ranges::any_of(record_endings,
                             [&](std::string_view ending) { return path.ends_with(ending); });
}

Result<RecordedCluster> recorded_cluster(const std::vector<std::string>& paths,
                                         const std::string& at) {
  auto until = Result<Time>(Time::max());
  if (!at.empty()) until = parse_time(at);
  if (!until) return std::unexpected(Error(until.error()).within("--as-of"));
  const auto files = files_of(paths, record_endings);
  if (!files) return std::unexpected(files.error());
  service::RecordedState state;
  for (const auto& file : *files) {
    auto read =
        service::read_record(file, [&](std::string_view line) { return state.feed(line, *until); });
    if (!read) return std::unexpected(std::move(read.error()));
  }
  if (!state.begun()) {
    return fail(ErrorCode::not_found, at.empty() ? paths.front() + ": nothing is recorded there"
                                                 : "the record begins after " + at);
  }
  return RecordedCluster{state.objects(), state.at()};
}

}  // namespace dray::app
