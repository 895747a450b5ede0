#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>

#include "dray/engine/outbox.h"

namespace dray::kube {

/// Holds writes back as an engine::Outbox says. Any thread.
class OutboxCarrier {
 public:
  using Ticket = engine::Outbox::Ticket;
  /// What became of a write's waiting.
  enum class Turn : std::uint8_t {
    now,       ///< send it, and tell the answer
    replaced,  ///< a later write says what is newer: this one need not be sent
    dropped,   ///< leadership is lost: it must not be sent
    over,      ///< the answer stands: it is not sent again
  };
  struct Place {
    Ticket ticket;
    Turn turn = Turn::dropped;
  };

  OutboxCarrier(boost::asio::io_context& io, engine::Outbox::Options options);
  ~OutboxCarrier();
  OutboxCarrier(const OutboxCarrier&) = delete;
  OutboxCarrier& operator=(const OutboxCarrier&) = delete;

  /// Waits for the write's turn, however long that takes.
  boost::asio::awaitable<Place> enter(std::shared_ptr<const engine::Write> write, Time since);
  /// Tells what came of a write whose turn it was; if it was refused for overload, waits for its
  /// next turn.
  boost::asio::awaitable<Turn> answered(Ticket ticket, engine::Outbox::Answer answer);
  /// All that wait are dropped.
  void drop_waiting();
  /// For metrics.
  boost::asio::awaitable<engine::Outbox::Status> status();

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace dray::kube
