#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dray/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dray::dashboard {

/// What SQLite says of a call that failed, beside the words of the Error.
enum class SqliteFault : std::uint8_t {
  none,
  damaged,  ///< it is no database, or what is in it makes no sense
  full,     ///< it may not grow, or the disk is full
  other,
};

/// One file of SQLite, for one thread. A call that fails makes all later ones do nothing, until
/// clear(): who has written a row after the other asks once, at the end.
class Sqlite {
 public:
  /// Opens the file, or makes an empty one.
  explicit Sqlite(const std::string& path);

  /// Statements without parameters or results.
  void run(const char* statements);
  /// The first value of the first row; 0 if there is none.
  std::int64_t number(const char* query);
  /// The same, as text.
  std::string text(const char* query);

  /// A statement with parameters, `?` in their order. It must not outlive the Sqlite.
  class Statement {
   public:
    Statement(Sqlite& file, const char* text);

    Statement& with(std::int64_t value);
    Statement& with(std::string_view value);
    Statement& with(std::span<const std::byte> value);
    /// Whether there is a row (one more); after the last one parameters may be given anew.
    bool step();
    [[nodiscard]] std::int64_t number(int column);
    [[nodiscard]] std::string text(int column);
    /// Until the next step().
    [[nodiscard]] std::span<const std::byte> bytes(int column);

   private:
    struct Finalize {
      void operator()(sqlite3_stmt* statement) const;
    };
    Sqlite& file_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    int given_ = 0;
  };

  [[nodiscard]] SqliteFault fault() const { return fault_; }
  /// What went wrong first, since the last clear().
  [[nodiscard]] Result<void> done() const;
  void clear();
  /// As if a call had failed with these words.
  void refuse(std::string why);

 private:
  struct Close {
    void operator()(sqlite3* file) const;
  };
  /// Takes down what a call returned.
  void judge(int status);

  std::unique_ptr<sqlite3, Close> file_;
  SqliteFault fault_ = SqliteFault::none;
  std::string said_;
};

}  // namespace dray::dashboard
