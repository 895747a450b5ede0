#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dray::cases {

using Json = nlohmann::json;

/// Counts and prints what becomes of a suite's cases.
class Report {
 public:
  void pass() { ++passed_; }
  /// Prints the case with what came out and what should have.
  void fail(const std::string& id, const std::string& got, const std::string& want);
  void skip(const std::string& cause) { ++skipped_[cause]; }
  /// The same of a case that dray means to decide otherwise: no failure, but counted and said.
  void differs(const std::string& id, const std::string& got, const std::string& want,
               const std::string& why);
  /// Beyond what a case asks for, all that was seen of the peer is compared as well.
  [[nodiscard]] bool strict() const { return strict_; }
  void be_strict() { strict_ = true; }

  /// The skips by cause, then `N passed, M failed, K skipped`.
  void close() const;
  [[nodiscard]] bool ok() const { return failed_ == 0; }

 private:
  std::size_t passed_ = 0;
  std::size_t failed_ = 0;
  std::map<std::string, std::size_t> skipped_;
  bool strict_ = false;
};

/// One case of a file.
struct Case {
  std::filesystem::path file;
  std::size_t line = 0;
  Json json;

  /// `id`, else `name`, else FILE:LINE.
  [[nodiscard]] std::string id() const;
};

using Suite = std::function<void(const Case&, Report&)>;
/// A suite may also take a whole file.
using FileSuite = std::function<void(const std::filesystem::path&, Report&)>;

/// Registers a suite under its name; at namespace scope of the suite's file.
class Register {
 public:
  Register(const char* name, Suite suite);
  Register(const char* name, FileSuite suite);
};

/// The cases of a file of JSON lines or of one JSON array.
/// A whole file.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

[[nodiscard]] std::vector<Case> read_cases(const std::filesystem::path& file);
/// A JSON file beside a case file; null where there is none.
[[nodiscard]] Json read_beside(const std::filesystem::path& file, const std::string& name);

/// `dray_cases SUITE [--strict] FILE|DIR...`; a DIR stands for its *.jsonl.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace dray::cases
