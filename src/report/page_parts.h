#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/device_map.h"
#include "report/page_data.h"
#include "wire/json/json_writer.h"

namespace dray::report {

/// GPUs in all pictures of a report together: half a megabyte.
inline constexpr std::size_t most_map_letters = 500'000;
inline constexpr std::size_t most_moments = 48;

// Parts that pages and other JSON have in common. Each writes a key and its value into an object
// that is open.

void write_text(wire::JsonWriter& json, std::string_view key, std::string_view text);
void write_count(wire::JsonWriter& json, std::string_view key, std::size_t count);
/// As the other outputs have numbers.
void write_number(wire::JsonWriter& json, std::string_view key, double value);
void write_names(wire::JsonWriter& json, std::string_view key,
                 const std::vector<std::string>& names);

/// A list, with what `write` puts into an object for each.
template <class T, class Write>
void write_list(wire::JsonWriter& json, std::string_view key, const std::vector<T>& list,
                const Write& write) {
  json.key(key);
  json.begin_list();
  for (const auto& each : list) {
    json.begin_object();
    write(each);
    json.end_object();
  }
  json.end_list();
}

void write_about(wire::JsonWriter& json, const About& about, const simulate::Setting& setting,
                 std::size_t seeds);
/// The frame of the maps, what it leaves out, and how its moments are counted.
void write_map_frame(wire::JsonWriter& json, const simulate::Setting& setting,
                     const MapFrame& frame, std::string_view unit,
                     const std::vector<double>& labels, const std::vector<std::string>& queues);

/// The queues of a workload, in the order of their names.
[[nodiscard]] std::vector<std::string> queues_of(const simulate::Workload& workload);

}  // namespace dray::report
