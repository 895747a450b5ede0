#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"

namespace dray::simulate {

/// A value of a CSV text and where it stands; both count from 1.
struct CsvField {
  std::string_view text;
  std::size_t line = 0;
  std::size_t column = 0;

  /// An error at its place: `3:9: cpu_milli: expected …, found "x"`.
  [[nodiscard]] Error expected(std::string_view name, std::string_view what) const;
};

/// Splits the next line off `rest` into its fields. Quotes around a field are taken off; a comma
/// may stand between them, a line end or a quote may not.
[[nodiscard]] std::vector<CsvField> next_csv_row(std::string_view& rest, std::size_t line);

/// How long a row may be: its fields cost a multiple of its text.
inline constexpr std::size_t most_row_bytes = std::size_t{1} << 20U;

/// Rows of a CSV text with a line of names above them. The text has to outlive it.
class CsvRows {
 public:
  /// What the text calls a column, by the name that it is asked for by.
  using Names = std::map<std::string, std::string, std::less<>>;

  /// Fails where a column of `required` is not there, or one of `names`, which have to outlive it,
  /// too.
  [[nodiscard]] static Result<CsvRows> open(std::string_view text,
                                            const std::vector<std::string_view>& required,
                                            const Names& names = {});

  /// Goes on to the next row that is not empty; false: there is none.
  [[nodiscard]] bool next();
  /// Whether the text has the column.
  [[nodiscard]] bool has(std::string_view column) const { return find(column).has_value(); }
  /// As many fields as the first line has names, in at most most_row_bytes.
  [[nodiscard]] Result<void> complete() const;

  // Of the row that next() found. A column that is not there is empty.
  [[nodiscard]] std::string_view text(std::string_view column) const;
  [[nodiscard]] Result<std::int64_t> whole(std::string_view column, std::int64_t least,
                                           std::int64_t most) const;
  /// Seconds, with a fraction or without, as microseconds. Not negative.
  [[nodiscard]] Result<std::int64_t> seconds(std::string_view column) const;
  /// An error at the column's place in this row.
  [[nodiscard]] Error expected(std::string_view column, std::string_view what) const;

 private:
  [[nodiscard]] Result<void> rename(const Names& names);
  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const;
  [[nodiscard]] CsvField field(std::string_view column) const;

  std::string_view rest_;
  std::size_t line_ = 0;
  std::vector<std::string_view> names_;
  std::vector<CsvField> fields_;
  bool too_long_ = false;
};

}  // namespace dray::simulate
