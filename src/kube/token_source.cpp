#include "kube/token_source.h"

#include <stop_token>
#include <string_view>
#include <utility>

#include "net/file.h"

namespace dray::kube {
namespace {

constexpr auto token_read_every = std::chrono::seconds(30);
constexpr auto plugin_every = std::chrono::seconds(10);
constexpr auto before_expiry = std::chrono::seconds(60);

std::string token_in(std::string text) {
  while (!text.empty() && std::string_view(" \t\r\n").contains(text.back())) text.pop_back();
  return text;
}

bool same_plugin(const std::shared_ptr<const ExecLogin>& a,
                 const std::shared_ptr<const ExecLogin>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

TokenSource::TokenSource(const ClusterConfig& config)
    : fixed_(config.token), file_(config.token_file), exec_(config.exec) {
  if (config.given) take(*config.given, Clock::now());
}

std::optional<std::string> TokenSource::try_token(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  return token_now(now);
}

std::string TokenSource::token(Clock::time_point now) {
  std::unique_lock lock(mutex_);
  if (auto token = token_now(now)) return *std::move(token);
  ended_.wait(lock, [this] { return !running_; });
  return current_;
}

/// The mutex is held.
std::optional<std::string> TokenSource::token_now(Clock::time_point now) {
  if (exec_) {
    run_plugin(now);
    const bool none = current_.empty() || (expires_ && now >= *expires_);
    if (none && running_) return std::nullopt;
  } else if (!file_.empty()) {
    read_file(now);
  } else {
    return fixed_;
  }
  return current_;
}

void TokenSource::read_file(Clock::time_point now) {
  if (!refused_ && read_at_ && now - *read_at_ < token_read_every) return;
  refused_ = false;
  read_at_ = now;
  auto text = token_in(net::read_file(file_).value_or(""));
  if (!text.empty()) current_ = std::move(text);
}

void TokenSource::run_plugin(Clock::time_point now) {
  const bool soon = expires_ && now >= *expires_ - before_expiry;
  const bool wanted = current_.empty() || refused_ || soon;
  if (!wanted || running_ || (read_at_ && now - *read_at_ < plugin_every)) return;
  read_at_ = now;
  refused_ = false;
  running_ = true;
  // The one before has ended: it needs nothing any more that is locked here.
  beside_ = std::jthread([this, now, exec = exec_](const std::stop_token& stop) {
    const auto given = exec->run(plugin_time, stop);
    const std::lock_guard lock(mutex_);
    running_ = false;
    if (exec == exec_) take(given, now);
    ended_.notify_all();
  });
}

void TokenSource::take(const Result<wire::ExecCredential>& given, Clock::time_point now) {
  if (!given) return;
  current_ = given->token;
  expires_.reset();
  if (given->expires) {
    const auto left =
        given->expires->time_since_epoch() - std::chrono::system_clock::now().time_since_epoch();
    expires_ = now + left;
  }
}

void TokenSource::refused() {
  const std::lock_guard lock(mutex_);
  refused_ = true;
}

bool TokenSource::replace(const ClusterConfig& config) {
  const std::lock_guard lock(mutex_);
  if (fixed_ == config.token && file_ == config.token_file && same_plugin(exec_, config.exec)) {
    return false;
  }
  fixed_ = config.token;
  file_ = config.token_file;
  exec_ = config.exec;
  read_at_.reset();
  expires_.reset();
  refused_ = true;  // what there was is another user's, and stays until the next is there
  return true;
}

}  // namespace dray::kube
