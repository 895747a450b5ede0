#include "service/policy_file.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "net/file.h"
#include "service/log.h"
#include "wire/policy/policy_codec.h"

namespace dray::service {

PolicyFile::PolicyFile(boost::asio::io_context& io, std::string path, Listener listener,
                       std::chrono::milliseconds look_every, std::chrono::milliseconds settle)
    : path_(std::move(path)),
      listener_(std::move(listener)),
      look_every_(look_every),
      settle_(settle),
      strand_(boost::asio::make_strand(io)),
      timer_(strand_) {}

Result<void> PolicyFile::open() {
  auto text = net::read_file(path_);
  if (!text) return std::unexpected(text.error());
  return take(*std::move(text));
}

Result<void> PolicyFile::take(std::string text) {
  text_ = std::move(text);
  auto file = wire::read_policy(*text_);
  std::string errors;
  for (const auto& problem : file.problems) {
    const auto line = path_ + ":" + problem.to_string();
    if (problem.severity == policy::ConfigProblem::Severity::warning) {
      log_warning(line);
      continue;
    }
    errors += (errors.empty() ? "" : "\n") + line;
  }
  if (!file.config) return fail(ErrorCode::invalid, errors);
  if (auto unfit = listener_.unfit(*file.config); !unfit.empty()) {
    return fail(ErrorCode::invalid, path_ + ": " + unfit);
  }
  listener_.use(std::make_shared<const policy::PolicyConfig>(std::move(*file.config)));
  return {};
}

void PolicyFile::start() {
  boost::asio::post(strand_, [this] {
    started_ = true;
    arm();
  });
}

void PolicyFile::reload() {
  boost::asio::post(strand_, [this] {
    text_.reset();
    changed_.reset();
    look();
    arm();
  });
}

void PolicyFile::stop() {
  boost::asio::post(strand_, [this] {
    stopped_ = true;
    timer_.cancel();
  });
}

/// A file that is as it was, and a problem that was told, are not worth a word.
void PolicyFile::look() {
  auto text = net::read_file(path_);
  const auto seen_before = std::exchange(changed_, std::nullopt);
  if (text && text_ == *text) return;
  if (text && seen_before != *text) {
    changed_ = *std::move(text);
    return;
  }
  if (!text) text_.reset();  // what is there again is read again
  const auto taken = text ? take(*std::move(text)) : Result<void>(std::unexpected(text.error()));
  auto problem = taken ? std::string() : taken.error().message;
  if (problem.empty()) {
    log_info(0, fmt::format("policy: {} is in force", path_));
  } else if (problem != problem_) {
    log_error("policy: the one before stays in force: " + problem);
  }
  problem_ = problem;
  listener_.problem(std::move(problem));
}

void PolicyFile::arm() {
  if (stopped_ || (!started_ && !changed_)) return;
  timer_.expires_after(changed_ ? settle_ : look_every_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    look();
    arm();
  });
}

}  // namespace dray::service
