#include "app/common/listing.h"

#include <CLI/CLI.hpp>
#include <set>
#include <utility>

#include "report/text_table.h"
#include "wire/json/json_writer.h"
#include "wire/yaml/json_yaml.h"

namespace dray::app {
namespace {

std::string listing_table(const Listing& listing, bool wide) {
  std::vector<std::vector<std::string>> rows(listing.rows.size() + 1);
  std::vector<bool> right;
  for (std::size_t i = 0; i < listing.columns.size(); ++i) {
    const auto& column = listing.columns[i];
    if (column.wide && !wide) continue;
    rows[0].push_back(column.title);
    right.push_back(column.number);
    for (std::size_t j = 0; j < listing.rows.size(); ++j) {
      const auto& cell = listing.rows[j][i];
      rows[j + 1].push_back(cell.empty() ? "-" : cell);
    }
  }
  return report::text_table(rows, right);
}

std::string listing_json(const Listing& listing) {
  wire::JsonWriter out;
  out.begin_object();
  out.key("items");
  out.begin_list();
  for (const auto& row : listing.rows) {
    out.object([&](wire::FieldWriter& io) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto& column = listing.columns[i];
        if (column.number) {
          io.raw(column.key, row[i]);
        } else {
          io.field(column.key, row[i]);
        }
      }
    });
  }
  out.end_list();
  out.end_object();
  return std::move(out).take() + "\n";
}

std::string listing_names(const Listing& listing) {
  std::string text;
  std::set<std::string> seen;
  for (const auto& row : listing.rows) {
    if (seen.insert(row.front()).second) text += listing.kind + "/" + row.front() + "\n";
  }
  return text;
}

}  // namespace

void add_listing_output(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output)
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "name"}))
      ->capture_default_str();
}

std::string listing_text(const Listing& listing, const std::string& output) {
  if (output == "json") return listing_json(listing);
  if (output == "yaml") return wire::json_to_yaml(listing_json(listing));
  if (output == "name") return listing_names(listing);
  return listing_table(listing, output == "wide");
}

}  // namespace dray::app
