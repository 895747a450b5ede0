#include "report/page_parts.h"

#include <cstdint>
#include <set>

namespace dray::report {

void write_text(wire::JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  json.string(text);
}

void write_count(wire::JsonWriter& json, std::string_view key, std::size_t count) {
  json.key(key);
  json.integer(static_cast<std::int64_t>(count));
}

void write_number(wire::JsonWriter& json, std::string_view key, double value) {
  json.key(key);
  json.raw(number(value));
}

void write_names(wire::JsonWriter& json, std::string_view key,
                 const std::vector<std::string>& names) {
  json.key(key);
  json.begin_list();
  for (const auto& name : names) json.string(name);
  json.end_list();
}

void write_about(wire::JsonWriter& json, const About& about, const simulate::Setting& setting,
                 std::size_t seeds) {
  std::size_t gpus = 0;
  for (const auto& node : setting.nodes()) gpus += static_cast<std::size_t>(node.gpus);
  json.key("about");
  json.begin_object();
  write_text(json, "version", about.version);
  write_text(json, "cluster", about.cluster);
  write_text(json, "workload", about.workload);
  write_text(json, "unit", about.unit);
  write_count(json, "nodes", setting.nodes().size());
  write_count(json, "gpus", gpus);
  write_count(json, "jobs", setting.workload().jobs.size());
  write_count(json, "seeds", seeds);
  json.end_object();
}

void write_map_frame(wire::JsonWriter& json, const simulate::Setting& setting,
                     const MapFrame& frame, std::string_view unit,
                     const std::vector<double>& labels, const std::vector<std::string>& queues) {
  json.key("map");
  json.begin_object();
  write_text(json, "unit", unit);
  write_names(json, "queues", queues);
  json.key("moments");
  json.begin_list();
  for (const auto label : labels) json.raw(number(label));
  json.end_list();
  json.key("nodes");
  json.begin_list();
  for (const auto at : frame.nodes) {
    json.begin_object();
    write_text(json, "name", setting.nodes()[at].name);
    write_text(json, "model", setting.nodes()[at].model);
    write_count(json, "gpus", static_cast<std::size_t>(setting.nodes()[at].gpus));
    json.end_object();
  }
  json.end_list();
  std::size_t with_gpus = 0;
  for (const auto& node : setting.nodes()) with_gpus += node.gpus > 0 ? 1 : 0;
  write_count(json, "ofNodes", with_gpus);
  json.end_object();
}

std::vector<std::string> queues_of(const simulate::Workload& workload) {
  std::set<std::string> names;
  for (const auto& job : workload.jobs) names.insert(job.queue);
  return {names.begin(), names.end()};
}

}  // namespace dray::report
