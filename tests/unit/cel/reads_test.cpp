#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// src/cel/eval/reads.cpp: what a program can see of a device. Less than it reads would let answers
// be remembered that are wrong for other devices.

namespace dray::cel::reads_test {
namespace {

struct Row {
  std::string text;
  std::string reads;
};

std::string reads_of(std::string_view text) {
  const auto made = program(text);
  const auto& reads = made->reads();
  std::string out;
  if (reads.everything) out += "everything ";
  if (reads.driver) out += "driver ";
  if (reads.allow_multiple) out += "sharing ";
  if (reads.everything) return out;
  for (const auto& name : reads.names) {
    out += (name.half == Half::attribute ? "a:" : "c:") + name.domain + "/" + name.id + " ";
  }
  return out;
}

TEST_CASE("a program reads what it names") {
  const auto row =
      GENERATE(Row{"true", ""}, Row{"device.driver == 'd.io'", "driver "},
               Row{"device.allowMultipleAllocations == true", "sharing "},
               Row{"device.attributes['d.io'].model == 'x'", "a:d.io/model "},
               Row{"device.attributes['d.io']['model'] == 'x'", "a:d.io/model "},
               Row{"device.attributes['d.io'].?model.orValue('') == 'x'", "a:d.io/model "},
               Row{"has(device.attributes['d.io'].model)", "a:d.io/model "},
               Row{"device.capacity['d.io'].memory == quantity('1')", "c:d.io/memory "},
               Row{"device.attributes['d.io'].a == 1 || device.attributes['e.io'].b == 2",
                   "a:d.io/a a:e.io/b "},
               Row{"device.attributes['d.io'].b == 1 && device.attributes['d.io'].a == 1",
                   "a:d.io/a a:d.io/b "},
               Row{"[1, 2].all(x, device.attributes['d.io'].n == x)", "a:d.io/n "});
  INFO(row.text);
  CHECK(reads_of(row.text) == row.reads);
}

TEST_CASE("what is not known name by name is everything") {
  const auto text = GENERATE(
      as<std::string>{}, "'model' in device.attributes['d.io']", "device.attributes['d.io'] == {}",
      "device.attributes['d.io'].all(k, k == 'x')", "size(device.attributes['d.io']) == 1",
      "device.attributes[device.driver].model == 'x'",
      "device.attributes['d.io'][device.driver] == 1", "device.attributes == {}",
      "device.attributes.exists(d, d == 'd.io')",
      "[device.attributes['d.io']].exists(m, m.model == 'x')");
  INFO(text);
  CHECK(program(text)->reads().everything);
}

}  // namespace
}  // namespace dray::cel::reads_test
