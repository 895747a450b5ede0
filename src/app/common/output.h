#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dray::app {

/// `-o`: a table by default, json or yaml, and what `more` says between them.
void add_output(CLI::App& command, std::string& output, const std::vector<std::string>& more = {});

/// Whether that is for programs: json or yaml.
[[nodiscard]] bool is_data(const std::string& output);

/// One JSON document, as json or as yaml, with the end of its last line.
[[nodiscard]] std::string data_text(const std::string& json, const std::string& output);

}  // namespace dray::app
