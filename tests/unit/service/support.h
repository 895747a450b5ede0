#pragma once

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "dray/model/lease.h"
#include "dray/model/object.h"
#include "kube/cluster_api.h"

namespace dray::service::testing {

/// How long a test waits for what should happen at once.
inline constexpr auto patience = std::chrono::seconds(20);

/// A value that threads set and a test waits for.
template <class T>
class Watched {
 public:
  template <class Change>
  void change(Change&& change) {
    const std::lock_guard lock(mutex_);
    change(value_);
    changed_.notify_all();
  }
  /// Whether `holds` of the value, within the test's patience.
  template <class Holds>
  [[nodiscard]] bool wait(Holds&& holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return holds(std::as_const(value_)); });
  }
  [[nodiscard]] T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  T value_{};
};

/// Waits for what cannot be waited on; false after the test's patience.
template <class Holds>
[[nodiscard]] bool eventually(Holds&& holds) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

/// A cluster that keeps one Lease as an API server does, and apart from it those of standbys, says
/// yes to every other write, and may be told to hold writes of a kind back, as a queue does. Any
/// thread.
class FakeCluster : public kube::ClusterApi {
 public:
  explicit FakeCluster(boost::asio::io_context& io)
      : strand_(boost::asio::make_strand(io)),
        barrier_(strand_, boost::asio::steady_timer::time_point::max()) {}

  boost::asio::awaitable<engine::WriteOutcome> write(engine::Write write,
                                                     kube::WriteTerms terms) override {
    co_return co_await boost::asio::co_spawn(
        strand_, write_here(std::move(write), std::move(terms.permit)), boost::asio::use_awaitable);
  }
  boost::asio::awaitable<engine::Outbox::Status> backlog() override {
    co_return engine::Outbox::Status{};
  }
  boost::asio::awaitable<std::vector<kube::WatchFigures>> watches() override {
    co_return seen.get().watches;
  }
  void watch(kube::WatchSink sink) override {
    seen.change([&](auto& all) { all.sink = std::move(sink); });
  }
  void stop() override {
    seen.change([](auto& all) { all.stopped = true; });
  }
  boost::asio::awaitable<Result<void>> refresh_claims(std::chrono::milliseconds) override {
    auto answer = Result<void>{};
    seen.change([&](auto& all) {
      ++all.refreshed;
      all.refreshed_at = std::chrono::system_clock::now();
      if (all.refresh_fails-- > 0) answer = fail(ErrorCode::unavailable, "no fresh list");
    });
    co_return answer;
  }
  Result<kube::Listed> list_now(const std::function<bool()>& go_on) override {
    while (seen.get().hold_lists) {
      if (!go_on()) return fail(ErrorCode::unavailable, "the list was ended before its end");
      std::this_thread::yield();
    }
    return kube::Listed{seen.get().objects, {}};
  }
  void abandon_writes() override {
    seen.change([](auto& all) { ++all.abandoned; });
  }
  boost::asio::awaitable<Result<std::optional<alloc::FeatureGates>>> feature_gates() override {
    Result<std::optional<alloc::FeatureGates>> gates;
    seen.change([&](auto& all) {
      ++all.gates_read;
      gates = all.gates;
    });
    co_return gates;
  }
  [[nodiscard]] std::string trouble() const override { return seen.get().trouble; }
  [[nodiscard]] std::optional<kube::TlsTrouble> tls_trouble() const override {
    return seen.get().tls;
  }

  struct Seen {
    std::vector<std::string> asked;   ///< kinds of writes, as they came
    std::vector<engine::Write> sent;  ///< that were permitted
    int not_permitted = 0;
    std::optional<kube::TlsTrouble> tls;
    std::vector<KubeObject> objects;  ///< for list_now()
    bool hold_lists = false;          ///< list_now() waits as long as this
    std::set<std::string> held;
    Lease lease;
    std::map<std::string, Lease> standbys;  ///< their Leases, by name
    bool standbys_forbidden = false;
    int standby_calls = 0;
    bool lease_fails = false;
    kube::WatchSink sink;
    std::string trouble;
    std::vector<kube::WatchFigures> watches;
    Result<std::optional<alloc::FeatureGates>> gates;
    int gates_read = 0;
    int abandoned = 0;
    int refreshed = 0;
    std::chrono::system_clock::time_point refreshed_at{};  ///< the last time
    int refresh_fails = 0;
    bool stopped = false;

    [[nodiscard]] std::size_t count(std::string_view kind) const {
      return static_cast<std::size_t>(std::ranges::count_if(
          sent, [&](const engine::Write& write) { return engine::name(write) == kind; }));
    }
  };
  Watched<Seen> seen;

  /// Writes of `kind` wait, before they are permitted, until they may go on.
  void hold(const std::string& kind) {
    seen.change([&](auto& all) { all.held.insert(kind); });
  }
  void let_go(const std::string& kind) {
    seen.change([&](auto& all) { all.held.erase(kind); });
    boost::asio::post(strand_, [this] { barrier_.cancel(); });
  }
  void tell(kube::WatchEvent event) { seen.get().sink(std::move(event)); }

 private:
  boost::asio::awaitable<engine::WriteOutcome> write_here(engine::Write write,
                                                          kube::Permit permit) {
    if (auto of_standby = answer_standby(write)) co_return *std::move(of_standby);
    const std::string kind(engine::name(write));
    seen.change([&](auto& all) { all.asked.push_back(kind); });
    while (seen.get().held.contains(kind)) {
      boost::system::error_code cancelled;
      co_await barrier_.async_wait(
          boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
    }
    if (permit && !permit()) {
      seen.change([](auto& all) { ++all.not_permitted; });
      co_return fail(ErrorCode::unavailable, "not sent");
    }
    auto outcome = answer(write);
    seen.change([&](auto& all) { all.sent.push_back(write); });
    co_return outcome;
  }

  engine::WriteOutcome answer(const engine::Write& write) {
    engine::WriteOutcome outcome = engine::WrittenObject();
    seen.change([&](auto& all) {
      if (std::holds_alternative<engine::ReadLease>(write)) {
        if (all.lease_fails) {
          outcome = fail(ErrorCode::unavailable, "cut off");
        } else if (all.lease.meta.resource_version.get().empty()) {
          outcome = fail(ErrorCode::not_found, "no such lease");
        } else {
          outcome = engine::WrittenObject(all.lease);
        }
      } else if (const auto* put = std::get_if<engine::PutLease>(&write)) {
        outcome = put_lease(all, *put);
      }
    });
    return outcome;
  }

  std::optional<engine::WriteOutcome> answer_standby(const engine::Write& write) {
    const auto* read = std::get_if<engine::ReadLease>(&write);
    const auto* put = std::get_if<engine::PutLease>(&write);
    const auto name = read != nullptr ? read->lease.name : put != nullptr ? put->lease.name : "";
    if (name.find("-standby-") == std::string::npos) return std::nullopt;
    engine::WriteOutcome outcome = fail(ErrorCode::not_found, "no such lease");
    seen.change([&](auto& all) {
      ++all.standby_calls;
      if (all.standbys_forbidden) {
        outcome = fail(ErrorCode::denied, "forbidden");
        return;
      }
      if (put != nullptr) all.standbys[name] = put->value;
      const auto found = all.standbys.find(name);
      if (found != all.standbys.end()) outcome = engine::WrittenObject(found->second);
    });
    return outcome;
  }

  static engine::WriteOutcome put_lease(Seen& all, const engine::PutLease& put) {
    if (all.lease_fails) return fail(ErrorCode::unavailable, "cut off");
    if (put.expected != all.lease.meta.resource_version) {
      return fail(ErrorCode::conflict, "the lease has moved");
    }
    const auto version = all.lease.meta.resource_version.get();
    all.lease = put.value;
    all.lease.meta.resource_version =
        ResourceVersion(std::to_string(version.empty() ? 1 : std::stoi(version) + 1));
    return engine::WrittenObject(all.lease);
  }

  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  boost::asio::steady_timer barrier_;  ///< owned by the strand
};

}  // namespace dray::service::testing
