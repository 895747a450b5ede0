#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dray/base/time.h"
#include "dray/engine/outbox.h"
#include "sim/network.h"
#include "sim/process.h"

namespace dray::sim {

/// kube::Writer in virtual time: an Outbox says whose turn it is; the fence is asked right before
/// the bytes go; deadlines count from sending; a release reads, then changes what it read.
class ReplicaWriter {
 public:
  struct Options {
    engine::Outbox::Options outbox;
  };
  /// What it works with; references outlive it.
  struct Parts {
    Process& process;
    Network& network;
    Weather& weather;
    std::function<bool()> may_send;
    std::size_t replica = 0;
  };
  using Done = std::function<void(const engine::WriteOutcome&)>;

  ReplicaWriter(Options options, Parts parts)
      : options_(options), parts_(std::move(parts)), outbox_(options.outbox) {}

  /// `done` is told once, whatever comes of it.
  void write(engine::Write write, std::string field_manager, Time since, Done done);
  /// Cuts off what is under way, and drops what waits.
  void abandon();
  [[nodiscard]] engine::Outbox::Status status() const {
    return outbox_.status(parts_.process.now());
  }

 private:
  using Ticket = engine::Outbox::Ticket;
  struct Job {
    engine::Write write;
    std::string field_manager;
    Done done;
    Time started{};
    Time sent{};
    int attempts = 0;  ///< of a release
    std::shared_ptr<Network::Exchange> under_way = nullptr;
  };

  void pump();
  void carry(Ticket ticket);
  void request(Ticket ticket, engine::Write write, const ResourceVersion& read_at,
               void (ReplicaWriter::*next)(Ticket, const ApiReply&));
  void claim_read(Ticket ticket, const ApiReply& reply);
  void claim_released(Ticket ticket, const ApiReply& reply);
  void replied(Ticket ticket, const ApiReply& reply);
  void finish(Ticket ticket, const engine::WriteOutcome& outcome);

  Options options_;
  Parts parts_;
  engine::Outbox outbox_;
  std::map<Ticket, Job> jobs_;
  std::uint64_t next_ticket_ = 0;
};

}  // namespace dray::sim
