#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dray::app {

/// One column of a Listing.
struct Column {
  std::string title;    ///< over the table: `FAIR SHARE`
  std::string key;      ///< in JSON: `fairShare`
  bool number = false;  ///< to the right in the table, no text in JSON
  bool wide = false;    ///< not in the table, but in `wide` and JSON
};

/// What a command lists, for every form of output. A row has a cell for each column; an empty one
/// is `-` in the table and absent in JSON. The first cell is the row's name.
struct Listing {
  std::string kind;  ///< `queue`: of `-o name`
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// -o,--output of a command that prints a Listing.
void add_listing_output(CLI::App& command, std::string& output);

/// The listing as `-o` wants it: table, wide, json (`{"items":[…]}`), yaml or name (`queue/a`, each
/// once).
[[nodiscard]] std::string listing_text(const Listing& listing, const std::string& output);

}  // namespace dray::app
