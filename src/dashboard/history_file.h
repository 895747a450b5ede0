#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dashboard/history.h"
#include "dashboard/sqlite.h"
#include "dray/base/error.h"

namespace dray::dashboard {

/// A History in a file of SQLite, so that the next process has it, too. The file has what the
/// History has, so it is bounded as that is, and never larger than `most_bytes`: then its older
/// half goes. One process at a time. One thread.
class HistoryFile {
 public:
  /// Of the tables. A file of another version is set aside.
  static constexpr std::int64_t version = 1;
  static constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

  /// What open_history() found.
  struct Opened {
    std::unique_ptr<HistoryFile> file;
    std::vector<History::Sample> samples;  ///< oldest first
    std::string set_aside;  ///< why what was there could not be read, and where it is now
  };
  /// The file of that path, or a new one. One that is damaged or of another version is renamed to
  /// PATH.aside, in place of an earlier such one. An Error: it cannot be written, another process
  /// has it, or it is a database of somebody else's, which stays as it is.
  static Result<Opened> open(const std::string& path);

  /// Takes over what history.add() changed, in one transaction.
  Result<void> write(const History& history, const History::Change& change);

 private:
  explicit HistoryFile(const std::string& path) : file_(path) {}
  bool claim(std::string& why);
  void make_tables();
  std::vector<History::Sample> read();
  void put(const History& history, const History::Change& change);
  void put_names(const History::Names& names);
  void forget_older_half();

  Sqlite file_;
  std::shared_ptr<const History::Names> names_;  ///< of the set that was written last
  std::int64_t set_ = 0;                         ///< its id
};

}  // namespace dray::dashboard
