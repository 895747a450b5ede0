#include "dashboard/history_file.h"

#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace dray::dashboard {

namespace {

constexpr std::int64_t application = 0x64726179;  // "dray", in the file's header
constexpr std::int64_t of_queue = 0;
constexpr std::int64_t of_resource = 1;

std::int64_t micros(Time at) {
  return at.time_since_epoch().count();
}

std::span<const std::byte> bytes_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

/// Whether a row's values are as many as its names ask for.
bool fits(const History::Names& names, std::span<const std::byte> bytes) {
  return bytes.size() == names.queues.size() * names.resources.size() * 2 * sizeof(float);
}

/// The journal goes with its file: of another one it would make nonsense.
Result<void> move_aside(const std::string& path) {
  std::error_code error;
  std::filesystem::rename(path, path + ".aside", error);
  if (error) return fail(ErrorCode::unavailable, fmt::format("{}: {}", path, error.message()));
  std::filesystem::rename(path + "-journal", path + ".aside-journal", error);
  return {};
}

}  // namespace

Result<HistoryFile::Opened> HistoryFile::open(const std::string& path) {
  Opened opened;
  std::string why;
  for (const bool again : {false, true}) {
    opened.file.reset(new HistoryFile(path));
    auto& file = opened.file->file_;
    if (opened.file->claim(why)) opened.samples = opened.file->read();
    if (file.fault() == SqliteFault::damaged && why.empty()) why = file.done().error().message;
    if (why.empty()) break;
    opened.file.reset();
    if (again) return fail(ErrorCode::unavailable, fmt::format("{}: {}", path, why));
    if (auto moved = move_aside(path); !moved) return std::unexpected(std::move(moved.error()));
    opened.set_aside = fmt::format(
        "{} cannot be read ({}): it is {}.aside now, and a new one begins", path, why, path);
    why.clear();
  }
  if (auto done = opened.file->file_.done(); !done) {
    return std::unexpected(std::move(done.error()).within(path));
  }
  return opened;
}

/// Has the file for this process, with tables in it. False: it cannot be read, or has nothing yet;
/// `why`, where it is to be set aside.
bool HistoryFile::claim(std::string& why) {
  file_.run("PRAGMA locking_mode = EXCLUSIVE");
  const auto of = file_.number("PRAGMA application_id");
  const auto tables = file_.number("SELECT count(*) FROM sqlite_schema");
  const auto made_by = file_.number("PRAGMA user_version");
  if (file_.fault() != SqliteFault::none) return false;
  if (tables != 0 && of != application) {
    file_.refuse("is a database of another program");
    return false;
  }
  if (tables != 0 && made_by != version) {
    why = fmt::format("its version is {}, not {}", made_by, version);
    return false;
  }
  file_.run("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL; PRAGMA page_size = 4096");
  file_.run(fmt::format("PRAGMA max_page_count = {}", most_bytes / 4096).c_str());
  file_.run("BEGIN EXCLUSIVE");
  if (tables == 0) make_tables();
  file_.run("COMMIT");
  if (const auto sound = file_.text("PRAGMA quick_check(1)");
      file_.fault() == SqliteFault::none && sound != "ok") {
    why = sound;
    return false;
  }
  return file_.fault() == SqliteFault::none;
}

void HistoryFile::make_tables() {
  file_.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, version)
          .c_str());
  file_.run(
      "CREATE TABLE sets (id INTEGER PRIMARY KEY, left_out INTEGER NOT NULL);"
      "CREATE TABLE names (id INTEGER, kind INTEGER, place INTEGER, name TEXT NOT NULL,"
      " PRIMARY KEY (id, kind, place)) WITHOUT ROWID;"
      "CREATE TABLE samples (at INTEGER PRIMARY KEY, id INTEGER NOT NULL, amounts BLOB NOT NULL)");
}

std::vector<History::Sample> HistoryFile::read() {
  std::map<std::int64_t, std::shared_ptr<History::Names>> sets;
  Sqlite::Statement each_set(file_, "SELECT id, left_out FROM sets");
  while (each_set.step()) {
    auto names = std::make_shared<History::Names>();
    names->left_out = static_cast<std::size_t>(each_set.number(1));
    sets.emplace(each_set.number(0), std::move(names));
  }
  Sqlite::Statement each_name(file_, "SELECT id, kind, name FROM names ORDER BY id, kind, place");
  while (each_name.step()) {
    const auto set = sets.find(each_name.number(0));
    if (set == sets.end()) continue;
    auto& of = each_name.number(1) == of_queue ? set->second->queues : set->second->resources;
    of.push_back(each_name.text(2));
  }
  std::vector<History::Sample> samples;
  Sqlite::Statement each(file_, "SELECT at, id, amounts FROM samples ORDER BY at");
  while (each.step()) {
    const auto set = sets.find(each.number(1));
    const auto bytes = each.bytes(2);
    if (set == sets.end() || !fits(*set->second, bytes)) continue;
    History::Sample sample{Time(Duration(each.number(0))), set->second, {}};
    sample.values.resize(bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(sample.values.data(), bytes.data(), bytes.size());
    samples.push_back(std::move(sample));
    names_ = set->second;
    set_ = set->first;
  }
  return samples;
}

Result<void> HistoryFile::write(const History& history, const History::Change& change) {
  file_.clear();
  put(history, change);
  if (file_.fault() == SqliteFault::full) {
    file_.clear();
    file_.run("ROLLBACK");
    file_.clear();  // SQLite may have rolled back by itself
    forget_older_half();
    put(history, change);
  }
  auto done = file_.done();
  if (!done) {
    file_.clear();
    file_.run("ROLLBACK");
  }
  return done;
}

void HistoryFile::put(const History& history, const History::Change& change) {
  const auto before = std::pair(names_, set_);
  file_.run("BEGIN");
  if (change.added) {
    const auto& sample = history.samples().back();
    if (sample.names != names_) {
      put_names(*sample.names);
      names_ = sample.names;
    }
    Sqlite::Statement add(file_, "INSERT OR REPLACE INTO samples VALUES (?, ?, ?)");
    add.with(micros(sample.at)).with(set_).with(bytes_of(sample.values)).step();
  }
  Sqlite::Statement drop(file_, "DELETE FROM samples WHERE at = ?");
  // A moment may be dropped for another one of the same time, which has replaced it.
  for (const auto at : change.dropped) {
    if (!change.added || at != history.samples().back().at) drop.with(micros(at)).step();
  }
  if (!change.dropped.empty()) {
    Sqlite::Statement forget(file_, "DELETE FROM sets WHERE id NOT IN (SELECT id FROM samples)");
    forget.step();
    file_.run("DELETE FROM names WHERE id NOT IN (SELECT id FROM sets)");
  }
  file_.run("COMMIT");
  if (file_.fault() != SqliteFault::none) std::tie(names_, set_) = before;
}

void HistoryFile::put_names(const History::Names& names) {
  set_ = file_.number("SELECT coalesce(max(id), 0) + 1 FROM sets");
  Sqlite::Statement set(file_, "INSERT INTO sets VALUES (?, ?)");
  set.with(set_).with(static_cast<std::int64_t>(names.left_out)).step();
  Sqlite::Statement add(file_, "INSERT INTO names VALUES (?, ?, ?, ?)");
  const auto put_all = [&](std::int64_t kind, const std::vector<std::string>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      add.with(set_).with(kind).with(static_cast<std::int64_t>(i)).with(std::string_view(all[i]));
      add.step();
    }
  };
  put_all(of_queue, names.queues);
  put_all(of_resource, names.resources);
}

void HistoryFile::forget_older_half() {
  file_.run(
      "BEGIN;"
      "DELETE FROM samples WHERE at IN"
      " (SELECT at FROM samples ORDER BY at LIMIT (SELECT (count(*) + 1) / 2 FROM samples));"
      "DELETE FROM sets WHERE id NOT IN (SELECT id FROM samples);"
      "DELETE FROM names WHERE id NOT IN (SELECT id FROM sets);"
      "COMMIT");
  names_.reset();  // its set may be gone
}

}  // namespace dray::dashboard
