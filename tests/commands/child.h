#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/temp_folder.h"

namespace dray::commands_test {

/// What a command left: its exit status (128 and the signal's number if one ended it) and output.
struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

/// The built `dray` as a child process, with an environment of its own: no kubeconfig, no service
/// account. Every wait fails the test after a minute.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments, std::string_view input = {});
  /// Ends it, if it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The first line of the standard output (error) that contains `words`.
  std::string wait_for_output(std::string_view words) { return wait_for(out_, words); }
  std::string wait_for_error(std::string_view words) { return wait_for(err_, words); }

  void send(int signal) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Reads to its end.
  Ended wait();

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
  };
  std::string wait_for(const Stream& stream, std::string_view words);
  [[nodiscard]] bool read_more();
  void take(Stream& stream);

  pid_t pid_ = -1;
  Stream out_;
  Stream err_;
  std::chrono::steady_clock::time_point deadline_;
};

/// Runs `dray ARGUMENTS` to its end.
Ended dray(const std::vector<std::string>& arguments, std::string_view input = {});

/// A file that is there for one test.
class TempFile {
 public:
  TempFile(const std::string& name, std::string_view text) : path_(folder_.write(name, text)) {}

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  testing::TempFolder folder_;
  std::string path_;
};

/// `text` with every `what` in it replaced.
std::string replaced(std::string text, std::string_view what, std::string_view with);

/// The lines of a text, without their ends.
std::vector<std::string> lines(std::string_view text);

}  // namespace dray::commands_test
