#include "tests/bench/overload_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <deque>
#include <string_view>

namespace dray::bench {

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // It goes on in the background; who waits for the socket sees what came of it.
  const bool began = ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ||
                     errno == EINPROGRESS;
  if (!began) {
    ::close(socket);
    return -1;
  }
  return socket;
}

double Outcome::quantile(double part) const {
  if (milliseconds.empty()) return 0;
  const auto last = static_cast<double>(milliseconds.size() - 1);
  return milliseconds[static_cast<std::size_t>(part * last)];
}

namespace {

/// The bytes of a whole response at the start of `text`; 0: more are to come.
std::size_t response_size(std::string_view text) {
  const auto head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  constexpr std::string_view name = "Content-Length: ";
  const auto at = text.substr(0, head).find(name);
  std::size_t length = 0;
  if (at != std::string_view::npos) {
    std::from_chars(text.data() + at + name.size(), text.data() + head, length);
  }
  const auto size = head + 4 + length;
  return text.size() < size ? 0 : size;
}

struct Caller {
  int socket = -1;
  bool busy = false;
  std::size_t sent = 0;
  std::string received;
  Clock::time_point since;
  Clock::time_point next;  ///< request, where there is no rate
};

class Generator {
 public:
  explicit Generator(const Load& load)
      : load_(load), epoll_(::epoll_create1(EPOLL_CLOEXEC)), callers_(load.connections) {
    for (std::size_t i = 0; i < callers_.size(); ++i) free_.push_back(i);
  }
  ~Generator() {
    for (auto& caller : callers_) close(caller);
    ::close(epoll_);
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  Outcome run() {
    const auto start = Clock::now();
    const auto end = start + load_.lasting;
    auto due = start;
    for (auto now = start; now < end; now = Clock::now()) {
      if (load_.rate > 0) {
        const auto every = std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(1 / load_.rate));
        for (; due <= now; due += every) begin_free(now);
      } else {
        begin_due(now);
      }
      take_events();
      give_up(Clock::now());
    }
    outcome_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::ranges::sort(outcome_.milliseconds);
    return std::move(outcome_);
  }

 private:
  void begin_free(Clock::time_point now) {
    if (free_.empty()) {
      ++outcome_.not_sent;
      return;
    }
    const auto index = free_.front();
    free_.pop_front();
    begin(index, now);
  }

  void begin_due(Clock::time_point now) {
    for (auto left = free_.size(); left > 0; --left) {
      const auto index = free_.front();
      free_.pop_front();
      if (callers_[index].next <= now) {
        begin(index, now);
      } else {
        free_.push_back(index);
      }
    }
  }

  void begin(std::size_t index, Clock::time_point now) {
    auto& caller = callers_[index];
    if (caller.socket < 0) {
      caller.socket = connect_to(load_.port);
      epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.u64 = index}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, caller.socket, &event);
    }
    caller.busy = true;
    caller.sent = 0;
    caller.received.clear();
    caller.since = now;
    begun_.push_back({index, now});
    ++outcome_.sent;
    write(index);
  }

  void write(std::size_t index) {
    auto& caller = callers_[index];
    while (caller.busy && caller.sent < load_.request.size()) {
      const auto count = ::send(caller.socket, load_.request.data() + caller.sent,
                                load_.request.size() - caller.sent, MSG_NOSIGNAL);
      if (count < 0) {
        if (errno != EAGAIN && errno != ENOTCONN) fail(index);
        return;
      }
      caller.sent += static_cast<std::size_t>(count);
    }
  }

  void read(std::size_t index) {
    auto& caller = callers_[index];
    std::array<char, 65536> part{};
    while (caller.socket >= 0) {
      const auto count = ::recv(caller.socket, part.data(), part.size(), 0);
      if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) break;
      if (count <= 0) return fail(index);
      caller.received.append(part.data(), static_cast<std::size_t>(count));
    }
    if (!caller.busy || response_size(caller.received) == 0) return;
    const auto status = std::string_view(caller.received).substr(9, 3);
    if (status == "200") {
      ++outcome_.answered;
      const std::chrono::duration<double, std::milli> took = Clock::now() - caller.since;
      outcome_.milliseconds.push_back(took.count());
    } else {
      ++(status == "503" ? outcome_.refused : outcome_.failed);
    }
    rest(index);
  }

  void rest(std::size_t index) {
    auto& caller = callers_[index];
    caller.busy = false;
    caller.next = Clock::now() + load_.pause;
    free_.push_back(index);
  }

  void fail(std::size_t index) {
    auto& caller = callers_[index];
    close(caller);
    if (!caller.busy) return;
    ++outcome_.failed;
    rest(index);
  }

  void take_events() {
    std::array<epoll_event, 256> events{};
    const auto count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                    load_.rate > 0 ? 0 : 1);
    for (int i = 0; i < count; ++i) {
      const auto& event = events.at(static_cast<std::size_t>(i));
      if ((event.events & EPOLLOUT) != 0) write(event.data.u64);
      if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read(event.data.u64);
    }
  }

  /// Requests wait equally long: the oldest are in front.
  void give_up(Clock::time_point now) {
    for (; !begun_.empty() && begun_.front().since + load_.give_up <= now; begun_.pop_front()) {
      const auto [index, since] = begun_.front();
      auto& caller = callers_[index];
      if (!caller.busy || caller.since != since) continue;
      ++outcome_.given_up;
      close(caller);
      rest(index);
    }
  }

  static void close(Caller& caller) {
    if (caller.socket >= 0) ::close(caller.socket);
    caller.socket = -1;
  }

  struct Begun {
    std::size_t index;
    Clock::time_point since;
  };

  Load load_;
  int epoll_;
  std::vector<Caller> callers_;
  std::deque<std::size_t> free_;
  std::deque<Begun> begun_;
  Outcome outcome_;
};

}  // namespace

Outcome run_load(const Load& load) {
  return Generator(load).run();
}

}  // namespace dray::bench
