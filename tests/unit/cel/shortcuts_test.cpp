#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// src/cel/eval/shortcuts.cpp: common forms that are run without making values. They have to give
// what the long way gives, errors included.

namespace dray::cel::shortcuts_test {
namespace {

struct Row {
  std::string text;
  std::string want;
};

TEST_CASE("a shortcut gives what the long way gives") {
  const std::string no_zebra = with_hint("no such key: zebra");
  const auto row = GENERATE_COPY(
      Row{"device.attributes['d.io'].model == 'fish'", "true"},
      Row{"device.attributes['d.io'].model != 'fish'", "false"},
      Row{"'fish' == device.attributes['d.io'].model", "true"},
      Row{"device.attributes['d.io'].model in ['bird', 'fish']", "true"},
      Row{"device.attributes['d.io'].model in ['bird']", "false"},
      Row{"device.attributes['d.io'].index in [4, 5]", "true"},
      Row{"device.attributes['d.io'].zebra in ['x']", no_zebra},
      Row{"device.attributes['d.io'].zebra == 'x'", no_zebra},
      Row{"has(device.attributes['d.io'].model)", "true"},
      Row{"has(device.attributes['d.io'].zebra)", "false"},
      Row{"has(device.attributes['nobody.io'].model)", "false"},
      Row{"has(device.capacity['d.io'].memory)", "true"},
      Row{"has(device.capacity['nobody.io'].memory)", "false"},
      Row{"'model' in device.attributes['d.io']", "true"},
      Row{"'zebra' in device.attributes['d.io']", "false"},
      Row{"'model' in device.attributes['nobody.io']", "false"},
      Row{"'d.io' in device.attributes", "true"}, Row{"'nobody.io' in device.attributes", "false"},
      Row{"device.attributes['d.io'].?zebra.orValue('x') == 'x'", "true"},
      Row{"device.attributes['d.io'].?model.hasValue()", "true"},
      Row{"device.attributes['nobody.io'].?model.hasValue()", "false"},
      Row{"device.attributes['d.io'].index == 5.0", "true"},
      Row{"device.attributes['d.io'].model.string == 'fish'", with_hint("no such key: string")},
      Row{"device.attributes['d.io'].zebra.string == 'fish'", no_zebra},
      Row{"has(device.attributes['d.io'].model.string)", "false"},
      Row{"has(device.attributes['d.io'].zebra.string)", no_zebra},
      Row{"device.attributes['d.io'].model.?string.hasValue()", "false"},
      Row{"device.attributes['d.io'].?zebra.string.hasValue()", "false"},
      Row{"device.attributes['d.io'].index == '5'", "false"});
  INFO(row.text);
  CHECK(outcome(row.text) == row.want);
}

}  // namespace
}  // namespace dray::cel::shortcuts_test
