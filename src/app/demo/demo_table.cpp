#include "app/demo/demo_table.h"

#include <fmt/format.h>

#include <utility>

#include "wire/json/json_writer.h"

namespace dray::app {
namespace {

constexpr std::string_view demo_line = "{:<16} {:<14} {:<44} {:>9}  {}";

}  // namespace

std::string describe_devices(const std::vector<AllocatedDevice>& devices) {
  // By request, in the order of the allocation.
  std::vector<std::pair<std::string, std::vector<std::string>>> requests;
  for (const auto& device : devices) {
    if (requests.empty() || requests.back().first != device.request) {
      requests.push_back({device.request, {}});
    }
    requests.back().second.push_back(device.device.device.get());
  }
  std::string text;
  for (const auto& [request, names] : requests) {
    if (!text.empty()) text += ", ";
    text += request + ": ";
    if (names.size() > 2) {
      text += fmt::format("{} x {}…{}", names.size(), names.front(), names.back());
    } else {
      text += fmt::format("{}", fmt::join(names, " "));
    }
  }
  return text;
}

std::string table_header() {
  return fmt::format(demo_line, "POD", "NODE", "DEVICES", "MICROS", "WHY");
}

std::string table_line(const DemoRow& row) {
  return fmt::format(demo_line, row.pod.name, row.node.empty() ? "-" : row.node,
                     row.devices.empty() ? "-" : describe_devices(row.devices), row.took.count(),
                     row.reason);
}

std::string json_line(const DemoRow& row) {
  wire::JsonWriter out;
  out.begin_object();
  out.key("pod");
  out.string(row.pod.to_string());
  out.key("node");
  if (row.node.empty()) {
    out.null();
  } else {
    out.string(row.node);
  }
  out.key("devices");
  out.begin_list();
  for (const auto& device : row.devices) out.string(device.device.to_string());
  out.end_list();
  out.key("reason");
  out.string(row.reason);
  out.key("micros");
  out.integer(row.took.count());
  out.end_object();
  return std::move(out).take();
}

}  // namespace dray::app
