#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/known_objects.h"
#include "kube/token_source.h"
#include "kube/watch_state.h"
#include "net/http_client.h"
#include "wire/object/object_codec.h"

namespace dray::kube {

/// What a kind's informer is given, and whom it tells. All is called on the informer's strand.
struct InformerOptions {
  Kind kind = Kind::node;
  bool required = true;  ///< else a server that does not serve the kind has none of it
  std::uint64_t seed = 0;
  std::size_t chunk = 500;  ///< objects a list request
  /// A watch says something about once a minute (bookmarks); one that does not may have died, and
  /// is asked for again.
  std::chrono::milliseconds silence = std::chrono::seconds(90);
  std::chrono::milliseconds request_deadline = std::chrono::seconds(60);
  std::chrono::milliseconds head_deadline = std::chrono::seconds(30);  ///< for a watch to begin
  std::function<void(WatchEvent)> tell;
  std::function<void()> on_listed;   ///< each time that a whole list has been told
  std::function<void()> on_trouble;  ///< trouble() is another one now
  std::function<void(const std::string&)> on_notice;
};

/// Keeps its listener up to date with one kind: lists, watches, and does so again when that fails.
/// Public functions on the strand only, but for construction.
class Informer : public std::enable_shared_from_this<Informer> {
 public:
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

  Informer(const Strand& strand, std::shared_ptr<net::HttpClient> client,
           std::shared_ptr<TokenSource> tokens, InformerOptions options);

  /// Runs until stop().
  boost::asio::awaitable<void> run();
  void stop();
  /// Lists again, now: on_listed tells when it is done.
  void relist();

  /// How many whole lists were begun and told; a relist() is over when a list that was begun after
  /// it has been told.
  [[nodiscard]] std::uint64_t lists_begun() const { return lists_begun_; }
  [[nodiscard]] std::uint64_t last_list_told() const { return last_list_told_; }

  [[nodiscard]] bool listed() const { return last_list_told_ > 0; }
  /// Objects that a list corrected: see KnownObjects.
  [[nodiscard]] std::uint64_t corrections() const { return known_.corrections(); }
  /// When the API server last said something of the kind: a list, a change, a bookmark, or that it
  /// watches from where we are.
  [[nodiscard]] std::chrono::steady_clock::time_point last_heard() const { return last_heard_; }
  /// Since when nothing has worked, and why not.
  struct Trouble {
    std::chrono::steady_clock::time_point since;
    std::string what;
  };
  [[nodiscard]] const std::optional<Trouble>& trouble() const { return trouble_; }
  /// Which of the versions of its KindInfo the kind was found under.
  [[nodiscard]] std::size_t version() const { return state_.version(); }
  [[nodiscard]] Kind kind() const { return options_.kind; }

 private:
  boost::asio::awaitable<WatchState::Command> carry(WatchState::Command command);
  boost::asio::awaitable<WatchState::Command> list(WatchState::List list);
  boost::asio::awaitable<WatchState::Command> watch(WatchState::Watch watch);
  boost::asio::awaitable<WatchState::Command> follow(std::shared_ptr<net::HttpStream> stream);
  boost::asio::awaitable<void> sleep(Duration time);
  /// A line of the stream; a command if it ends the stream.
  std::optional<WatchState::Command> saw_line(const std::string& line);
  std::optional<WatchState::Command> saw_unreadable(wire::RejectedChange change);
  std::optional<WatchState::Command> saw_nothing_known(const std::string& why);
  WatchState::Command take_list(std::string_view json);
  WatchState::Command failed(const Error& error, std::optional<Duration> retry_after = {});
  WatchState::Command refused(const net::HttpResponse& response);
  [[nodiscard]] boost::asio::awaitable<net::HttpRequest> get(std::string target) const;
  void whole_list_told();
  void set_trouble(std::optional<Trouble> trouble);
  void notice(const std::string& text) const;

  InformerOptions options_;
  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<TokenSource> tokens_;
  WatchState state_;
  KnownObjects known_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<net::HttpStream> stream_;
  std::optional<Trouble> trouble_;
  std::chrono::steady_clock::time_point last_heard_ = std::chrono::steady_clock::now();
  std::uint64_t lists_begun_ = 0;
  std::uint64_t last_list_told_ = 0;
  bool relist_wanted_ = false;
  bool stopped_ = false;
};

/// What `Retry-After: 3` asks for.
[[nodiscard]] std::optional<Duration> retry_after_of(const net::HttpResponse& response);

}  // namespace dray::kube
