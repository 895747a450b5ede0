#include "engine/books/queue_users_keeper.h"

#include <utility>

#include "engine/books/queue_users.h"

namespace dray::engine {

void QueueUsersKeeper::set_policy(const policy::PolicyConfig& config, Time now) {
  auto wanted = encode_queue_users(config);
  if (wanted == wanted_) return;
  wanted_ = std::move(wanted);
  next_ = now;
}

void QueueUsersKeeper::lead(bool leading, Time now) {
  leading_ = leading;
  busy_ = Busy::no;
  next_ = now;
}

QueueUsersKeeper::Commands QueueUsersKeeper::tick(Time now) {
  const auto due = next_tick();
  if (!due || now < *due) return {};
  busy_ = Busy::reading;
  next_.reset();
  Commands out;
  out.emplace_back(ReadConfigMap{*record_});
  return out;
}

QueueUsersKeeper::Commands QueueUsersKeeper::step(const WriteOutcome& outcome, Time now) {
  const auto was = std::exchange(busy_, Busy::no);
  if (was == Busy::no || !leading_) return {};
  if (was == Busy::reading) return compare(outcome, now);
  // Somebody else wrote it, or there was no answer: what there is now is read first.
  if (!outcome) next_ = now + retry_after;
  if (outcome && written_ != wanted_) next_ = now;
  return {};
}

QueueUsersKeeper::Commands QueueUsersKeeper::compare(const WriteOutcome& read, Time now) {
  const bool absent = !read && read.error().code == ErrorCode::not_found;
  const auto* found = read ? std::get_if<ConfigMap>(&*read) : nullptr;
  if (found == nullptr && !absent) {
    next_ = now + retry_after;
    return {};
  }
  if ((found == nullptr ? Labels{} : found->data) == wanted_) return {};
  busy_ = Busy::writing;
  written_ = wanted_;
  ConfigMap value;
  value.data = wanted_;
  Commands out;
  out.emplace_back(PutConfigMap{*record_,
                                found == nullptr ? ResourceVersion() : found->meta.resource_version,
                                std::move(value)});
  return out;
}

std::optional<Time> QueueUsersKeeper::next_tick() const {
  if (!record_ || !leading_ || busy_ != Busy::no) return std::nullopt;
  return next_;
}

Labels encode_queue_users(const policy::PolicyConfig& config) {
  auto data = QueueUsers(config).lines();
  if (data.empty()) return data;
  auto& labels = data["labels"];
  for (const auto& label : config.pod_queues.labels) labels += label + "\n";
  return data;
}

}  // namespace dray::engine
