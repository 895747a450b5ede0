#include "sim/replica_writer.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace dray::sim {
namespace {

constexpr int release_attempts = 5;
constexpr auto thread = Process::Thread::writer;

/// kube::release_request: whether there is something to send.
bool has_something_to_release(const engine::ReleaseClaim& release, const ResourceClaim& claim) {
  const auto is_ours = [&](const ClaimConsumer& user) { return user.uid == release.consumer; };
  const bool reserved = std::ranges::any_of(claim.reserved_for, is_ours);
  const bool others = !std::ranges::all_of(claim.reserved_for, is_ours);
  return reserved || (release.deallocate && claim.allocation && !others) || release.fence;
}

}  // namespace

void ReplicaWriter::write(engine::Write write, std::string field_manager, Time since, Done done) {
  const Ticket ticket(next_ticket_++);
  const auto replaced = outbox_.enqueue(ticket, write, since, parts_.process.now());
  jobs_.emplace(ticket, Job{std::move(write), std::move(field_manager), std::move(done)});
  // The later one says all that it would have said.
  if (replaced) finish(*replaced, engine::WrittenObject());
  pump();
}

void ReplicaWriter::abandon() {
  for (const auto ticket : outbox_.drop_waiting()) {
    finish(ticket, fail(ErrorCode::unavailable, "not sent: leadership is lost"));
  }
  std::vector<std::shared_ptr<Network::Exchange>> under_way;
  for (const auto& [ticket, job] : jobs_) {
    if (job.under_way) under_way.push_back(job.under_way);
  }
  for (const auto& exchange : under_way) Network::cut(*exchange);
}

void ReplicaWriter::pump() {
  for (const auto ticket : outbox_.tick(parts_.process.now())) carry(ticket);
  const auto next = outbox_.next_tick();
  if (next)
    parts_.process.wake_at(std::max(*next, parts_.process.now()), thread, [this] { pump(); });
}

void ReplicaWriter::carry(Ticket ticket) {
  auto& job = jobs_.at(ticket);
  job.started = parts_.process.now();
  job.attempts = 0;
  if (const auto* release = std::get_if<engine::ReleaseClaim>(&job.write)) {
    return request(ticket, engine::ReadClaim{release->claim}, {}, &ReplicaWriter::claim_read);
  }
  request(ticket, job.write, {}, &ReplicaWriter::replied);
}

void ReplicaWriter::request(Ticket ticket, engine::Write write, const ResourceVersion& read_at,
                            void (ReplicaWriter::*next)(Ticket, const ApiReply&)) {
  const auto send = [this, ticket, write = std::move(write), read_at, next] {
    auto& job = jobs_.at(ticket);
    if (!parts_.may_send()) {
      return (this->*next)(ticket, {fail(ErrorCode::unavailable, "not sent: the term is over")});
    }
    job.sent = parts_.process.now();
    const auto left = job.started + engine::deadline_of(job.write) - job.sent;
    job.under_way = parts_.network.send(
        parts_.process, thread, {write, job.field_manager, parts_.replica, read_at},
        std::max(left, Duration{}), [this, ticket, next](const ApiReply& reply) {
          jobs_.at(ticket).under_way = nullptr;
          (this->*next)(ticket, reply);
        });
  };
  parts_.process.after(parts_.weather.send_delay(), thread, send);
}

void ReplicaWriter::claim_read(Ticket ticket, const ApiReply& reply) {
  const auto& job = jobs_.at(ticket);
  const auto& release = std::get<engine::ReleaseClaim>(job.write);
  if (!reply.outcome) return replied(ticket, reply);
  const auto& claim = std::get<ResourceClaim>(*reply.outcome);
  if (claim.meta.uid != release.uid) {
    return replied(ticket, {fail(ErrorCode::conflict, "is another claim of that name now")});
  }
  if (!has_something_to_release(release, claim)) return replied(ticket, reply);
  request(ticket, release, claim.meta.resource_version, &ReplicaWriter::claim_released);
}

/// Again if somebody else was quicker.
void ReplicaWriter::claim_released(Ticket ticket, const ApiReply& reply) {
  auto& job = jobs_.at(ticket);
  const bool conflict = !reply.outcome && reply.outcome.error().code == ErrorCode::conflict;
  if (!conflict || ++job.attempts == release_attempts) return replied(ticket, reply);
  const auto& release = std::get<engine::ReleaseClaim>(job.write);
  request(ticket, engine::ReadClaim{release.claim}, {}, &ReplicaWriter::claim_read);
}

void ReplicaWriter::replied(Ticket ticket, const ApiReply& reply) {
  const auto now = parts_.process.now();
  const auto took = now - jobs_.at(ticket).sent;
  if (outbox_.answered(ticket, {reply.load, took, reply.retry_after}, now)) return pump();
  finish(ticket, reply.outcome);
  pump();
}

void ReplicaWriter::finish(Ticket ticket, const engine::WriteOutcome& outcome) {
  const auto job = jobs_.extract(ticket);
  if (!job.empty()) job.mapped().done(outcome);
}

}  // namespace dray::sim
