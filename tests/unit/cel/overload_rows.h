#pragma once

#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "cel/check/declarations.h"

// The tables of overloads, as upstream's environment prints them.

namespace dray::cel {

struct OverloadRow {
  std::string id;
  std::string signature;  ///< as upstream's environment prints it
};

/// `string.charAt(int) -> string`, of what is read from the table's row.
inline std::string shown(const OverloadText& row) {
  TypePool pool;
  Overload overload;
  read_signature(pool, row.signature, overload);
  std::string text = std::string(row.function) + "(";
  std::size_t first = 0;
  if (row.style == Overload::Style::member) {
    REQUIRE_FALSE(overload.args.empty());
    text = plain_text(*overload.args[0]) + "." + text;
    first = 1;
  }
  for (std::size_t i = first; i < overload.args.size(); ++i) {
    text += (i == first ? "" : ", ") + plain_text(*overload.args[i]);
  }
  return text + ") -> " + plain_text(*overload.result);
}

}  // namespace dray::cel
