#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::match_test {
namespace {

constexpr std::string_view slices = R"(apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.io
  nodeName: n0
  pool: {name: n0, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: a, attributes: {model: {string: A}}}
  - {name: b, attributes: {model: {string: B}}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: bs}
spec:
  selectors: [{cel: {expression: 'device.attributes["d.io"].model == "B"'}}]
)";

struct Row {
  std::string name;
  std::vector<std::string> arguments;
  int status = 0;
  std::string out;
  std::string err;
};

}  // namespace

TEST_CASE("match -o name lists what matches, for other commands") {
  const auto ended = dray({"match", R"(device.driver == "tpu.google.com")", "-o", "name",
                           "--cluster", "config/demo/cluster"});
  CHECK(ended.status == 0);
  const auto names = lines(ended.out);
  CHECK(names.size() == 32);
  CHECK(names.front() == "device/tpu.google.com/tpu-v5e-0/0");
}

TEST_CASE("match shows devices that answer alike, and what decided on them") {
  const auto row = GENERATE(
      Row{"a table",
          {R"(device.attributes["d.io"].model == "A")"},
          0,
          R"(MATCH  DEVICES  NODES  FIRST      WHY NOT
yes          1      1  d.io/n0/a
no           1      1  d.io/n0/b  device.attributes["d.io"].model == "A" is false: device.attributes["d.io"].model = "B"
1 of 2 devices match, 1 do not, 0 failed
)",
          ""},
      Row{"JSON",
          {R"(device.attributes["d.io"].model == "A")", "-o", "json"},
          0,
          R"({"devices":[{"node":"n0","device":"d.io/n0/a","match":true},{"node":"n0","device":)"
          R"("d.io/n0/b","match":false,"failed":false,"selector":"","why":)"
          R"("device.attributes[\"d.io\"].model == \"A\" is false: )"
          R"(device.attributes[\"d.io\"].model = \"B\""}],"matched":1,"notMatched":1,"failed":0})"
          "\n",
          ""},
      Row{"a selector that fails on every device",
          {R"(device.attributes["d.io"].mdel == "A")"},
          1,
          R"(MATCH  DEVICES  NODES  FIRST      WHY NOT
error        2      1  d.io/n0/a  device.attributes["d.io"].mdel: no such key: mdel
0 of 2 devices match, 0 do not, 2 failed
)",
          "dray match: no device has mdel; did you mean model?\n"},
      Row{"every device in a line",
          {R"(device.attributes["d.io"].mdel == "A")", "-o", "wide"},
          1,
          R"(NODE  DEVICE     MATCH  WHY NOT
n0    d.io/n0/a  error  device.attributes["d.io"].mdel: no such key: mdel
n0    d.io/n0/b  error  device.attributes["d.io"].mdel: no such key: mdel
0 of 2 devices match, 0 do not, 2 failed
)",
          "dray match: no device has mdel; did you mean model?\n"},
      Row{"a class alone",
          {"--class", "bs"},
          0,
          R"(MATCH  DEVICES  NODES  FIRST      WHY NOT
yes          1      1  d.io/n0/b
no           1      1  d.io/n0/a  class bs: selector 0: device.attributes["d.io"].model == "B" is false: device.attributes["d.io"].model = "A"
1 of 2 devices match, 1 do not, 0 failed
)",
          ""},
      Row{"one device, value by value",
          {R"(device.attributes["d.io"].model == "A")", "--explain", "b"},
          1,
          R"(device d.io/n0/b on n0
expression:
  device.attributes["d.io"].model == "A" = false
    device.attributes["d.io"].model = "B"
)",
          ""});
  DYNAMIC_SECTION(row.name) {
    const TempFile file("slices.yaml", slices);
    std::vector<std::string> arguments{"match", "-f", file.path()};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    const auto ended = dray(arguments);
    CHECK(ended.status == row.status);
    CHECK(ended.out == row.out);
    CHECK(ended.err == row.err);
  }
}

TEST_CASE("match names the class that may have been meant") {
  const auto ended =
      dray({"match", "--class", "gpu.nvidia.cmo", "--cluster", "config/demo/cluster"});
  CHECK(ended.status == 2);
  CHECK(ended.err ==
        "dray match: no DeviceClass \"gpu.nvidia.cmo\"; did you mean gpu.nvidia.com?\n");
}

TEST_CASE("match says what is wrong with its input") {
  const auto row = GENERATE(
      Row{"no selector",
          {"--cluster", "config/demo/cluster"},
          2,
          "",
          "no selector: give an expression, or --class\n"},
      Row{"no cluster",
          {"true"},
          2,
          "",
          "no cluster to look at: give -f FILE, --cluster DIR or --kubeconfig FILE\n"},
      Row{"an expression that does not compile",
          {"device.driver ==", "--cluster", "config/demo/cluster"},
          2,
          "",
          "compilation failed: ERROR: <input>:1:17: Syntax error: mismatched input '<EOF>'\n"
          " | device.driver ==\n | ................^\n"},
      Row{"a field that there is not",
          {"device.attribute", "--cluster", "config/demo/cluster"},
          2,
          "",
          "compilation failed: ERROR: <input>:1:7: undefined field 'attribute'\n"
          " | device.attribute\n | ......^\ndid you mean attributes?\n"},
      Row{"an expression that is no bool",
          {"device.driver", "--cluster", "config/demo/cluster"},
          2,
          "",
          "must evaluate to bool or the unknown type, not string\n"},
      Row{"a class that there is not",
          {"--class", "nope", "--cluster", "config/demo/cluster"},
          2,
          "",
          "no DeviceClass \"nope\"\n"},
      Row{"a device that there is not",
          {"true", "--explain", "nope", "--cluster", "config/demo/cluster"},
          2,
          "",
          "no device goes by \"nope\"\n"},
      Row{"a name of several devices",
          {"true", "--explain", "gpu-0", "--cluster", "config/demo/cluster"},
          2,
          "",
          "\"gpu-0\" is gpu.nvidia.com/a100-80/gpu-0 and gpu.nvidia.com/dgxa100-40/gpu-0, at "
          "least: give more of it\n"},
      Row{"a kubeconfig that is not there",
          {"true", "--kubeconfig", "/no/such"},
          2,
          "",
          "kubeconfig: /no/such: cannot be read: no such file or directory\n"});
  DYNAMIC_SECTION(row.name) {
    std::vector<std::string> arguments{"match"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    const auto ended = dray(arguments);
    CHECK(ended.status == row.status);
    CHECK(ended.out.empty());
    CHECK(ended.err == "dray match: " + row.err);
  }
}

}  // namespace dray::commands_test::match_test
