#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/flight_window.h"
#include "dray/engine/write_class.h"

namespace dray::engine {

/// Which of the writes that wait goes next, and when: an ordered queue before a FlightWindow.
/// - The more urgent class first (WriteClass); but one that is passed over all the time gets its
///   least share: a turn after so many others.
/// - Within a class the oldest chain first (`since`: when the work began that the write is part
///   of), so that chains end before others begin.
/// - Writes of one line (line_of()) one after another, in their order: an undo never overtakes what
///   it undoes. Whoever is first there is as urgent as the most urgent behind it.
/// - Of the conditions that wait for one pod only the latest goes.
/// - A write that was refused for overload is sent again, after the time asked for; one that was
///   not taken for the leader's, a few times, until the Lease says what is true.
/// Time in the queue counts for no deadline. The Lease's writes do not belong here. Pure; `now`
/// never goes back.
class Outbox {
 public:
  /// Names a write here; made by the caller, each once.
  using Ticket = Strong<std::uint64_t, struct OutboxTicketTag>;

  /// Limits.
  struct Options {
    FlightWindow::Options flight;
    double qps = 0;           ///< at most so many writes a second on average; 0: no such bound
    std::size_t burst = 400;  ///< and at once
  };
  /// What came of a write that was sent.
  struct Answer {
    Load load = Load::fine;
    Duration took{};                      ///< of one request of it
    std::optional<Duration> retry_after;  ///< as the API server asked
  };
  /// For metrics: what one class has waiting, and how long what was sent had waited.
  struct ClassStatus {
    std::size_t waiting = 0;
    Duration oldest{};  ///< how long the one that waits longest has waited
    std::uint64_t sent = 0;
    Duration waited{};  ///< all that were sent, together
  };
  /// For metrics.
  struct Status {
    std::array<ClassStatus, write_classes> classes;  ///< by WriteClass
    std::size_t in_flight = 0;
    std::size_t limit = 0;    ///< how many may be under way
    std::uint64_t cuts = 0;   ///< times that this was cut
    std::uint64_t again = 0;  ///< writes sent again after a refusal for overload or its epoch
  };

  /// Nothing waits.
  explicit Outbox(Options options);

  /// The write waits from now on. Gives the ticket of one that is not to be sent any more, since
  /// this one says what is newer.
  [[nodiscard]] std::optional<Ticket> enqueue(Ticket ticket, const Write& write, Time since,
                                              Time now);
  /// Those that are to be sent now, in order; they count as sent.
  [[nodiscard]] std::vector<Ticket> tick(Time now);
  /// A write that was sent is answered. True: it waits again, because the API server was
  /// overloaded or knows another epoch; else it is over.
  [[nodiscard]] bool answered(Ticket ticket, const Answer& answer, Time now);
  /// Nothing that waits is sent any more; gives it, in order of tickets. What is under way is
  /// still to be answered.
  [[nodiscard]] std::vector<Ticket> drop_waiting();
  /// When tick() may have something by time alone; a time that is over: at once.
  [[nodiscard]] std::optional<Time> next_tick() const;

  /// What waits, by class, and how much may be under way.
  [[nodiscard]] Status status(Time now) const;

 private:
  struct Entry {
    WriteClass write_class = WriteClass::note;
    std::size_t verb = 0;
    std::string line;
    Time since;
    Time enqueued;
    bool condition = false;
    bool in_flight = false;
    int attempts = 0;
    std::optional<WriteClass> ready_as;  ///< it is first of its line, and stands in ready_
    std::optional<Time> held_until;      ///< refused for overload
  };
  using Order = std::pair<Time, Ticket>;  ///< oldest chain first

  void make_ready(const std::string& line);
  void stand(Ticket ticket, Entry& entry, WriteClass as);
  void step_back(Ticket ticket, Entry& entry);
  void leave(Ticket ticket);
  [[nodiscard]] std::optional<WriteClass> next_class() const;
  [[nodiscard]] bool may_have_more(WriteClass write_class) const;
  void send(WriteClass as, Time now);
  [[nodiscard]] Time due_by_rate() const;

  Options options_;
  FlightWindow flight_;
  std::map<Ticket, Entry> entries_;
  std::map<std::string, std::vector<Ticket>> lines_;  ///< in order; the first may be under way
  std::array<std::set<Order>, write_classes> ready_;
  std::set<std::pair<Time, Ticket>> held_;
  std::array<int, write_classes> passed_over_{};
  std::array<std::size_t, write_classes> in_flight_{};
  std::array<ClassStatus, write_classes> figures_;
  Time next_by_rate_ = Time::min();  ///< theoretical arrival time of the next write
  std::uint64_t again_ = 0;
};

}  // namespace dray::engine
