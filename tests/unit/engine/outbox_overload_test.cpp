#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>

#include "dray/engine/outbox.h"

// The outbox before an API server that can do only so much at a time.

namespace dray::engine::outbox_overload_test {
namespace {

using namespace std::chrono_literals;
constexpr Time t0 = Time(std::chrono::hours(24 * 365 * 50));
constexpr Duration deadline = 5s;

/// Works on `capacity` requests at a time, each for `service`; has room for `queue` more to wait,
/// and refuses the rest with 429 and Retry-After 1. A request whose client is gone is worked on all
/// the same.
struct Server {
  std::size_t capacity = 10;
  std::size_t queue = 0;
  Duration service = 10ms;

  struct Request {
    Outbox::Ticket ticket;
    Time sent;
  };
  std::multimap<Time, Request> busy = {};
  std::deque<Request> waiting = {};

  [[nodiscard]] bool accept(Request request, Time now) {
    if (busy.size() < capacity) {
      busy.emplace(now + service, request);
    } else if (waiting.size() < queue) {
      waiting.push_back(request);
    } else {
      return false;
    }
    return true;
  }
  void finish_first() {
    const auto done = busy.begin()->first;
    busy.erase(busy.begin());
    if (waiting.empty()) return;
    busy.emplace(done + service, waiting.front());
    waiting.pop_front();
  }
};

struct Figures {
  std::size_t done = 0;     ///< answered well within the deadline
  std::size_t refused = 0;  ///< 429
  std::size_t lost = 0;     ///< no answer within the deadline
};

/// Plays `writes` bindings through the outbox for `span` of virtual time.
Figures play(Server server, std::size_t writes, Duration span) {
  Outbox outbox({});
  Figures figures;
  for (std::size_t i = 0; i < writes; ++i) {
    const Write write = BindPod{{"a", std::to_string(i)}, {}, {}};
    static_cast<void>(outbox.enqueue(Outbox::Ticket(i), write, t0, t0));
  }
  std::map<std::pair<Time, Outbox::Ticket>, Time> deadlines;  // with the time of sending
  auto now = t0;
  while (now < t0 + span) {
    for (const auto ticket : outbox.tick(now)) {
      if (server.accept({ticket, now}, now)) {
        deadlines[{now + deadline, ticket}] = now;
        continue;
      }
      ++figures.refused;
      static_cast<void>(outbox.answered(ticket, {Load::overloaded, 1ms, 1s}, now));
    }
    auto next = outbox.next_tick().value_or(Time::max());
    if (!server.busy.empty()) next = std::min(next, server.busy.begin()->first);
    if (!deadlines.empty()) next = std::min(next, deadlines.begin()->first.first);
    if (next == Time::max()) break;
    now = std::max(now, next);
    while (!server.busy.empty() && server.busy.begin()->first <= now) {
      const auto request = server.busy.begin()->second;
      server.finish_first();
      if (deadlines.erase({request.sent + deadline, request.ticket}) == 0) continue;
      ++figures.done;
      static_cast<void>(outbox.answered(request.ticket, {Load::fine, now - request.sent, {}}, now));
    }
    while (!deadlines.empty() && deadlines.begin()->first.first <= now) {
      const auto ticket = deadlines.begin()->first.second;
      deadlines.erase(deadlines.begin());
      ++figures.lost;
      static_cast<void>(outbox.answered(ticket, {Load::lost, deadline, {}}, now));
    }
  }
  return figures;
}

}  // namespace

TEST_CASE("goodput stays near what the API server can do, however much waits") {
  struct Row {
    const char* name;
    Server server;
    double least;  ///< of what it can do
  };
  const auto row = GENERATE(
      Row{"refuses beyond ten", {.capacity = 10}, 0.7},
      Row{"refuses beyond forty", {.capacity = 40}, 0.7},
      Row{"lets a thousand wait", {.capacity = 10, .queue = 1000}, 0.95},
      Row{"slow, lets all wait", {.capacity = 4, .queue = 100'000, .service = 100ms}, 0.95},
      Row{"one at a time", {.capacity = 1, .queue = 5}, 0.7});
  DYNAMIC_SECTION(row.name) {
    constexpr auto span = 10s;
    const auto figures = play(row.server, 50'000, span);
    const double possible = static_cast<double>(row.server.capacity) *
                            (10'000'000.0 / static_cast<double>(row.server.service.count()));
    CAPTURE(figures.done, figures.refused, figures.lost, possible);
    CHECK(static_cast<double>(figures.done) >= row.least * possible);
    CHECK(figures.lost == 0);
    CHECK(static_cast<double>(figures.refused) < 0.1 * possible);
  }
}

TEST_CASE("an API server that lets requests wait is not sent more than it works on in a moment") {
  // 1,500 at once would wait 3.75 s each: the last of them just within their deadlines.
  Server server{.capacity = 4, .queue = 100'000, .service = 10ms};
  const auto figures = play(server, 1'500, 60s);
  CHECK(figures.done == 1'500);
  CHECK(figures.lost == 0);
}

}  // namespace dray::engine::outbox_overload_test
