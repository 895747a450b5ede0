#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/demo/demo_table.h"
#include "dray/base/error.h"
#include "dray/model/object.h"

namespace dray::app {

/// On a pod of a workload: what is to become of it in the demo, in order, separated by `;`:
/// `placed with 8 devices on dgxh100-00`, `waits: too few matching devices are free`,
/// `evicted: makes room for research/llm`. The node and the words after a colon may be left out;
/// the words are a part of the reason.
inline constexpr const char* expect_annotation = "demo.dray.dev/expect";

/// One declared row of a pod.
struct Expected {
  Outcome::Kind kind = Outcome::Kind::waits;
  std::size_t devices = 0;  ///< of a placed pod
  std::string node;         ///< empty: whichever
  std::string words;        ///< in the reason; empty: whatever it is

  bool operator==(const Expected&) const = default;
};

/// Reads the annotation's value; an error says what would be right.
[[nodiscard]] Result<std::vector<Expected>> parse_expectation(std::string_view text);

/// What a workload declares of its pods, and whether the rows are that.
class Expectations {
 public:
  /// Errors name the pod.
  [[nodiscard]] static Result<Expectations> of(const std::vector<KubeObject>& workload);

  void saw(const DemoRow& row);
  /// Rows are still to come.
  [[nodiscard]] bool open() const;
  /// A line for each pod of which something else is shown than declared.
  [[nodiscard]] std::vector<std::string> unmet() const;

 private:
  struct Declared {
    PodKey pod;
    std::string text;
    std::vector<Expected> rows;
    std::vector<DemoRow> seen;
  };

  std::vector<Declared> declared_;  ///< in the order of the workload
};

}  // namespace dray::app
