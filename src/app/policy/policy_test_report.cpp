#include "app/policy/policy_test_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/common/colour.h"
#include "wire/json/json_writer.h"

namespace dray::app {
namespace {

struct CaseCounts {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
};

CaseCounts count_cases(const std::vector<PlayedFile>& files) {
  CaseCounts counts;
  for (const auto& file : files) {
    for (const auto& each : file.cases) ++(each.passed() ? counts.passed : counts.failed);
  }
  return counts;
}

void write_got(wire::FieldWriter& io, const TestGot& got) {
  io.required("pods", static_cast<std::int64_t>(got.pods));
  io.required("outcome", got.outcome);
  io.field("on", got.on);
  io.field("devices", got.devices);
  io.field("queue", got.queue);
  io.field("reason", got.reason);
  io.field("why", got.why);
}

void write_played_case(wire::FieldWriter& io, const PlayedCase& each) {
  io.required("name", each.name);
  io.required("line", static_cast<std::int64_t>(each.line));
  io.required("passed", each.passed());
  io.field("plans", each.plans);
  io.items("checks", each.checks, [](wire::FieldWriter& item, const TestCheck& check) {
    item.required("job", check.job);
    item.required("line", static_cast<std::int64_t>(check.line));
    item.required("passed", check.passed);
    item.required("expected", check.expected);
    item.items("got", check.got, write_got);
  });
}

std::string check_difference(const std::string& path, const TestCheck& check) {
  auto text = fmt::format("  {}:{}: {}\n    - {}\n", path, check.line, check.job, check.expected);
  for (const auto& got : check.got) {
    text += fmt::format("    + {}\n", got.to_string());
    if (!got.devices.empty()) text += fmt::format("      with {}\n", fmt::join(got.devices, ", "));
  }
  return text;
}

}  // namespace

bool PlayedCase::passed() const {
  return std::ranges::all_of(checks, &TestCheck::passed);
}

std::string test_table(const std::vector<PlayedFile>& files, bool coloured) {
  std::string text;
  for (const auto& file : files) {
    text += file.path + "\n";
    for (const auto& each : file.cases) {
      const auto verdict = each.passed() ? paint("ok  ", Paint::good, coloured)
                                         : paint("FAIL", Paint::bad, coloured);
      text += fmt::format("  {}  {}{}\n", verdict, each.name,
                          each.plans.empty() ? "" : " (" + each.plans + ")");
      for (const auto& check : each.checks) {
        if (!check.passed) text += check_difference(file.path, check);
      }
    }
  }
  const auto counts = count_cases(files);
  const auto all = counts.passed + counts.failed;
  return text +
         fmt::format("{} of {} {} as expected\n", counts.passed, all, all == 1 ? "case" : "cases");
}

std::string test_json(const std::vector<PlayedFile>& files) {
  const auto counts = count_cases(files);
  wire::JsonWriter out;
  out.object([&](wire::FieldWriter& io) {
    io.items("files", files, [](wire::FieldWriter& item, const PlayedFile& file) {
      item.required("file", file.path);
      item.items("cases", file.cases, write_played_case);
    });
    io.required("passed", counts.passed);
    io.required("failed", counts.failed);
  });
  return std::move(out).take() + "\n";
}

}  // namespace dray::app
