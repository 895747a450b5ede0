#include "app/simulate/input_marks.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/common/bundled_nodes.h"
#include "app/common/files.h"
#include "app/common/record_files.h"
#include "app/simulate/schedulers.h"
#include "app/simulate/sources.h"

namespace dray::app {
namespace {

Result<void> add_file(Mark& mark, const std::string& path) {
  if (path == "-") {
    return fail(ErrorCode::invalid,
                "--checkpoint: what comes from the standard input is not there a second time: name "
                "a file");
  }
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  mark.add(*text);
  return {};
}

Result<void> add_files(Mark& mark, const Result<std::vector<std::string>>& files) {
  if (!files) return std::unexpected(files.error());
  for (const auto& file : *files) {
    if (auto added = add_file(mark, file); !added) return added;
  }
  return {};
}

/// What a `--cluster` or a `--workload` names.
Result<void> add_source(Mark& mark, const std::string& text) {
  const auto source = parse_source(text);
  mark.add(source.form);
  if (source.form == "nodes" && parse_bundled_nodes(source.path)) {
    const auto folder = find_bundled("demo/cluster");
    if (!folder) return std::unexpected(folder.error());
    mark.add(source.path);
    return add_files(mark, manifest_files({*folder}));
  }
  if (!source.is_file) {
    mark.add(source.path);
    return {};
  }
  if (source.form == "recorded") return add_files(mark, files_of({source.path}, record_endings));
  if (source.form.empty() || source.form == "pods") {
    return add_files(mark, manifest_files({source.path}));
  }
  return add_file(mark, source.path);
}

Result<InputMark> mark_of(const std::string& name, const std::vector<std::string>& sources) {
  Mark mark;
  for (const auto& source : sources) {
    if (auto added = add_source(mark, source); !added) return std::unexpected(added.error());
  }
  return InputMark{name, mark.text()};
}

Result<InputMark> churn_mark(const std::vector<std::string>& churn) {
  constexpr std::string_view word = " changes ";
  Mark mark;
  for (const auto& text : churn) {
    const auto at = text.find(word);
    mark.add(text.substr(0, at));
    if (at == std::string::npos) continue;
    auto added = add_files(mark, manifest_files({text.substr(at + word.size())}));
    if (!added) return std::unexpected(added.error());
  }
  return InputMark{"--churn", mark.text()};
}

InputMark settings_mark(const SimulateFlags& flags) {
  Mark mark;
  for (const auto* text : {&flags.gpus, &flags.draw_queues, &flags.plan_pause, &flags.plan_every,
                           &flags.until, &flags.apart, &flags.run_time, &flags.columns}) {
    mark.add(*text);
  }
  for (const auto& scheduler : flags.schedulers) mark.add(scheduler);
  mark.add(fmt::format("{} {} {} {}", flags.demand, flags.lenient, flags.backlog,
                       flags.known_run_times));
  return {"flags", mark.text()};
}

}  // namespace

Mark& Mark::add(std::string_view text) {
  constexpr std::uint64_t prime = 1099511628211U;
  const auto take = [&](unsigned char byte) { hash_ = (hash_ ^ byte) * prime; };
  for (auto size = text.size(); size > 0; size >>= 8U) take(static_cast<unsigned char>(size));
  take(0);
  for (const char byte : text) take(static_cast<unsigned char>(byte));
  return *this;
}

std::string Mark::text() const {
  return fmt::format("{:016x}", hash_);
}

Result<std::vector<InputMark>> input_marks(const SimulateFlags& flags) {
  std::vector<InputMark> marks;
  Mark program;
  // Of two builds of a version one may be of a change between them.
  if (auto added = add_file(program, "/proc/self/exe"); !added) {
    return std::unexpected(added.error());
  }
  marks.push_back({"the program", DRAY_VERSION "-" + program.text()});
  const std::vector<std::string> order =
      flags.order.empty() ? std::vector<std::string>{} : std::vector{"openb:" + flags.order};
  for (const auto& [name, sources] :
       {std::pair{"the cluster", flags.cluster},
        std::pair{"the workload", std::vector{flags.workload}}, std::pair{"--order", order}}) {
    auto mark = mark_of(name, sources);
    if (!mark) return std::unexpected(std::move(mark.error()));
    marks.push_back(std::move(*mark));
  }
  auto churn = churn_mark(flags.churn);
  if (!churn) return std::unexpected(std::move(churn.error()));
  marks.push_back(std::move(*churn));
  marks.push_back(settings_mark(flags));
  return marks;
}

Result<std::string> policy_mark(const std::string& policy) {
  Mark mark;
  if (!is_policy_file(policy)) return mark.add(policy).text();
  if (auto added = add_file(mark, policy); !added) return std::unexpected(added.error());
  return mark.text();
}

}  // namespace dray::app
