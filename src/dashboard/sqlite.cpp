#include "dashboard/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace dray::dashboard {

void Sqlite::Close::operator()(sqlite3* file) const {
  sqlite3_close_v2(file);
}
void Sqlite::Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Sqlite::Sqlite(const std::string& path) {
  sqlite3* file = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &file,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  file_.reset(file);
  judge(status);
}

void Sqlite::run(const char* statements) {
  if (fault_ == SqliteFault::none) {
    judge(sqlite3_exec(file_.get(), statements, nullptr, nullptr, nullptr));
  }
}

std::int64_t Sqlite::number(const char* query) {
  Statement statement(*this, query);
  return statement.step() ? statement.number(0) : 0;
}

std::string Sqlite::text(const char* query) {
  Statement statement(*this, query);
  return statement.step() ? statement.text(0) : std::string();
}

Result<void> Sqlite::done() const {
  if (fault_ == SqliteFault::none) return {};
  return fail(fault_ == SqliteFault::damaged ? ErrorCode::invalid : ErrorCode::unavailable, said_);
}

void Sqlite::clear() {
  fault_ = SqliteFault::none;
  said_.clear();
}

void Sqlite::refuse(std::string why) {
  if (fault_ != SqliteFault::none) return;
  fault_ = SqliteFault::other;
  said_ = std::move(why);
}

void Sqlite::judge(int status) {
  const int kind = status & 0xff;
  if (kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE ||
      fault_ != SqliteFault::none) {
    return;
  }
  const bool damaged = kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_FORMAT;
  fault_ = damaged               ? SqliteFault::damaged
           : kind == SQLITE_FULL ? SqliteFault::full
                                 : SqliteFault::other;
  said_ = file_ ? sqlite3_errmsg(file_.get()) : sqlite3_errstr(status);
}

Sqlite::Statement::Statement(Sqlite& file, const char* text) : file_(file) {
  if (file.fault_ != SqliteFault::none) return;
  sqlite3_stmt* statement = nullptr;
  file.judge(sqlite3_prepare_v2(file.file_.get(), text, -1, &statement, nullptr));
  statement_.reset(statement);
}

Sqlite::Statement& Sqlite::Statement::with(std::int64_t value) {
  if (statement_) file_.judge(sqlite3_bind_int64(statement_.get(), ++given_, value));
  return *this;
}

Sqlite::Statement& Sqlite::Statement::with(std::string_view value) {
  if (statement_) {
    file_.judge(sqlite3_bind_text64(statement_.get(), ++given_, value.data(), value.size(),
                                    SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  return *this;
}

Sqlite::Statement& Sqlite::Statement::with(std::span<const std::byte> value) {
  if (statement_) {
    file_.judge(sqlite3_bind_blob64(statement_.get(), ++given_, value.data(), value.size(),
                                    SQLITE_TRANSIENT));
  }
  return *this;
}

bool Sqlite::Statement::step() {
  if (!statement_ || file_.fault_ != SqliteFault::none) return false;
  const int status = sqlite3_step(statement_.get());
  file_.judge(status);
  if (status == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  given_ = 0;
  return false;
}

std::int64_t Sqlite::Statement::number(int column) {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Sqlite::Statement::text(int column) {
  const auto bytes_of_it = bytes(column);
  return {reinterpret_cast<const char*>(bytes_of_it.data()), bytes_of_it.size()};
}

std::span<const std::byte> Sqlite::Statement::bytes(int column) {
  const auto* const data = sqlite3_column_blob(statement_.get(), column);
  const auto size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

}  // namespace dray::dashboard
