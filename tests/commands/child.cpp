#include "tests/commands/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace dray::commands_test {
namespace {

constexpr auto patience = std::chrono::minutes(4);

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
  return {ends[0], ends[1]};
}

/// What the child's environment has: nothing that would show it a cluster.
std::vector<std::string> environment() {
  std::vector<std::string> all{"LC_ALL=C.UTF-8", "TZ=UTC"};
  for (const char* name : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t spawn(std::vector<std::string> words, int in, int out, int err) {
  auto variables = environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, words.front().c_str(), &actions, nullptr,
                                 pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  INFO(words.front() << ": " << std::strerror(failed));
  REQUIRE(failed == 0);
  return pid;
}

}  // namespace

Child::Child(const std::vector<std::string>& arguments, std::string_view input)
    : deadline_(std::chrono::steady_clock::now() + patience) {
  std::vector<std::string> words{DRAY_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto in = make_pipe();
  const auto out = make_pipe();
  const auto err = make_pipe();
  // Before there is a reader, who may end without reading. A pipe takes 64 KiB without one.
  REQUIRE(input.size() < 65536);
  const bool taken = input.empty() || write(in.write, input.data(), input.size()) > 0;
  close(in.write);
  REQUIRE(taken);
  pid_ = spawn(std::move(words), in.read, out.write, err.write);
  for (const int end : {in.read, out.write, err.write}) close(end);
  out_.descriptor = out.read;
  err_.descriptor = err.read;
}

Child::~Child() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int end : {out_.descriptor, err_.descriptor}) {
    if (end >= 0) close(end);
  }
}

void Child::send(int signal) const {
  REQUIRE(kill(pid_, signal) == 0);
}

/// Whatever comes next on either stream; false: both have ended.
bool Child::read_more() {
  std::array<pollfd, 2> ready{{{out_.descriptor, POLLIN, 0}, {err_.descriptor, POLLIN, 0}}};
  if (out_.descriptor < 0 && err_.descriptor < 0) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline_ - std::chrono::steady_clock::now());
  INFO("standard output:\n" << out_.text << "standard error:\n" << err_.text);
  REQUIRE(left.count() > 0);
  REQUIRE(poll(ready.data(), ready.size(), static_cast<int>(left.count())) > 0);
  if (ready[0].revents != 0) take(out_);
  if (ready[1].revents != 0) take(err_);
  return true;
}

void Child::take(Stream& stream) {
  std::array<char, 65536> buffer{};
  const auto count = read(stream.descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    stream.text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0) {
    close(stream.descriptor);
    stream.descriptor = -1;
  }
}

std::string Child::wait_for(const Stream& stream, std::string_view words) {
  for (;;) {
    const auto at = stream.text.find(words);
    const auto end = at == std::string::npos ? at : stream.text.find('\n', at);
    if (end != std::string::npos) {
      const auto begin = stream.text.rfind('\n', at) + 1;
      return stream.text.substr(begin, end - begin);
    }
    INFO("waiting for: " << words);
    REQUIRE(read_more());
  }
}

Ended Child::wait() {
  while (read_more()) {
  }
  int status = 0;
  REQUIRE(waitpid(pid_, &status, 0) == pid_);
  pid_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out_.text, err_.text};
}

Ended dray(const std::vector<std::string>& arguments, std::string_view input) {
  return Child(arguments, input).wait();
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const auto end = text.find('\n');
    all.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return all;
}

}  // namespace dray::commands_test
