#include "app/common/listing.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <utility>

#include "wire/json/json_writer.h"
#include "wire/yaml/json_yaml.h"

namespace dray::app {
namespace {

/// Characters, not bytes.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string listing_table(const Listing& listing, bool wide) {
  std::vector<std::vector<std::string>> rows(listing.rows.size() + 1);
  std::vector<bool> right;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < listing.columns.size(); ++i) {
    const auto& column = listing.columns[i];
    if (column.wide && !wide) continue;
    rows[0].push_back(column.title);
    auto width = columns_of(column.title);
    for (std::size_t j = 0; j < listing.rows.size(); ++j) {
      const auto& cell = listing.rows[j][i];
      rows[j + 1].push_back(cell.empty() ? "-" : cell);
      width = std::max(width, columns_of(rows[j + 1].back()));
    }
    right.push_back(column.number);
    widths.push_back(width);
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - columns_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += right[i] ? pad + row[i] : row[i] + pad;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
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
