#include "kube/program_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

namespace dray::kube {
namespace {

using Clock = std::chrono::steady_clock;

/// More is no answer.
constexpr std::size_t most_output = std::size_t{1} << 20U;
constexpr auto look_for_stop = std::chrono::milliseconds(20);

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto name = text.substr(0, text.find('='));
    const bool replaced = std::ranges::find(variables, name, [](const auto& each) {
                            return std::string_view(each.first);
                          }) != variables.end();
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// A running program, and the end of the pipe that it writes to.
class Program {
 public:
  Program(pid_t pid, int output) : pid_(pid), output_(output) {}
  ~Program() {
    if (pid_ > 0) {
      static_cast<void>(kill(-pid_, SIGKILL));  // and whatever it has started
      while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    close(output_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// All that it prints; nothing if it goes on for longer, or prints too much.
  [[nodiscard]] std::optional<std::string> read_all(Clock::time_point end,
                                                    const std::stop_token& stop) const {
    std::string text;
    while (text.size() <= most_output && !stop.stop_requested()) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      const bool in_slices = stop.stop_possible() && left > look_for_stop;
      if (in_slices) left = look_for_stop;
      pollfd ready{output_, POLLIN, 0};
      const int found = left.count() > 0 ? poll(&ready, 1, static_cast<int>(left.count())) : 0;
      if (found < 0 && errno == EINTR) continue;
      if (found == 0 && in_slices) continue;
      if (found <= 0) return std::nullopt;
      std::array<char, 4096> buffer{};
      const auto count = read(output_, buffer.data(), buffer.size());
      if (count == 0) return text;
      if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR) return std::nullopt;
    }
    return std::nullopt;
  }

  /// Its status as waitpid() tells; nothing if it goes on for longer, though it prints no more.
  [[nodiscard]] std::optional<int> wait(Clock::time_point end, const std::stop_token& stop) {
    constexpr auto look_again = std::chrono::milliseconds(2);
    int status = 0;
    for (;;) {
      const auto found = waitpid(pid_, &status, WNOHANG);
      if (found == pid_) break;
      if (found < 0 && errno != EINTR) return std::nullopt;
      if (Clock::now() >= end || stop.stop_requested()) return std::nullopt;
      std::this_thread::sleep_for(look_again);
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
  int output_;
};

}  // namespace

Result<std::string> program_output(const std::vector<std::string>& words,
                                   const Variables& variables, std::chrono::milliseconds at_most,
                                   const std::stop_token& stop) {
  const auto end = Clock::now() + at_most;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::unavailable, fmt::format("no pipe: {}", std::strerror(errno)));
  }
  auto arguments = words;
  auto environment = environment_with(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawnattr_t own_group;
  posix_spawnattr_init(&own_group);
  posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, words.front().c_str(), &actions, &own_group,
                                  pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&own_group);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Program program(failed == 0 ? pid : -1, ends[0]);
  if (failed != 0) {
    return fail(failed == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
                fmt::format("cannot be run: {}", std::strerror(failed)));
  }
  auto text = program.read_all(end, stop);
  const auto status = text ? program.wait(end, stop) : std::nullopt;
  if (!status) {
    if (stop.stop_requested()) return fail(ErrorCode::unavailable, "was not waited for any longer");
    if (Clock::now() < end) {
      return fail(ErrorCode::unavailable, fmt::format("printed more than {} bytes", most_output));
    }
    return fail(
        ErrorCode::unavailable,
        fmt::format("{} within {} ms", text ? "did not end" : "gave no answer", at_most.count()));
  }
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return *std::move(text);
  return fail(ErrorCode::unavailable,
              WIFEXITED(*status) ? fmt::format("ended with {}", WEXITSTATUS(*status))
                                 : fmt::format("was ended by signal {}", WTERMSIG(*status)));
}

}  // namespace dray::kube
