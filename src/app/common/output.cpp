#include "app/common/output.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "wire/yaml/json_yaml.h"

namespace dray::app {

void add_output(CLI::App& command, std::string& output, const std::vector<std::string>& more) {
  std::vector<std::string> forms{"table", "json", "yaml"};
  // In the order in which kubectl names them: `wide` beside the table, `name` last.
  for (const auto& form : more) {
    forms.insert(form == "wide" ? forms.begin() + 1 : forms.end(), form);
  }
  command.add_option("-o,--output", output)->check(CLI::IsMember(forms))->capture_default_str();
}

bool is_data(const std::string& output) {
  return output == "json" || output == "yaml";
}

std::string data_text(const std::string& json, const std::string& output) {
  if (output == "yaml") return wire::json_to_yaml(json);
  return json.ends_with('\n') ? json : json + "\n";
}

}  // namespace dray::app
