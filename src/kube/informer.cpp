#include "kube/informer.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <utility>

#include "dray/model/kind_names.h"
#include "kube/api_path.h"
#include "kube/authorize.h"
#include "kube/write_request.h"
#include "wire/object/object_codec.h"

namespace dray::kube {

namespace asio = boost::asio;
using Command = WatchState::Command;

namespace {

WatchState::Options watch_options(const InformerOptions& options) {
  return {kind_info(options.kind).versions.size(), options.required, options.seed};
}

/// Claims say which devices are taken: not even to know which one cannot be read is not to know
/// what is free. (The API server gives every object a name.)
bool must_be_known(Kind kind) {
  return kind == Kind::resource_claim;
}

}  // namespace

std::optional<Duration> retry_after_of(const net::HttpResponse& response) {
  const auto text = response.header("Retry-After");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

Informer::Informer(const Strand& strand, std::shared_ptr<net::HttpClient> client,
                   std::shared_ptr<TokenSource> tokens, InformerOptions options)
    : options_(std::move(options)),
      client_(std::move(client)),
      tokens_(std::move(tokens)),
      state_(watch_options(options_)),
      known_(options_.kind, options_.tell),
      timer_(strand) {}

asio::awaitable<void> Informer::run() {
  const auto self = shared_from_this();
  auto command = state_.next();
  while (!stopped_) {
    if (std::exchange(relist_wanted_, false)) command = state_.relist();
    command = co_await carry(std::move(command));
  }
}

void Informer::stop() {
  stopped_ = true;
  timer_.cancel();
  if (stream_) stream_->cancel();
}

void Informer::relist() {
  relist_wanted_ = true;
  timer_.cancel();
  if (stream_) stream_->cancel();
}

asio::awaitable<Command> Informer::carry(Command command) {
  if (auto* asked = std::get_if<WatchState::List>(&command)) {
    auto chunk = std::move(*asked);
    co_return co_await list(std::move(chunk));
  }
  if (auto* asked = std::get_if<WatchState::Watch>(&command)) {
    auto from = std::move(*asked);
    co_return co_await watch(std::move(from));
  }
  if (const auto* absent = std::get_if<WatchState::Absent>(&command)) {
    known_.begin_list();
    ++lists_begun_;
    known_.end_list();  // whatever there was went with its kind
    whole_list_told();
    co_await sleep(absent->retry_after);
    co_return state_.next();
  }
  co_await sleep(std::get<WatchState::Wait>(command).time);
  co_return state_.next();
}

asio::awaitable<void> Informer::sleep(Duration time) {
  if (stopped_ || relist_wanted_) co_return;
  timer_.expires_after(time);
  co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<net::HttpRequest> Informer::get(std::string target) const {
  net::HttpRequest request;
  request.target = std::move(target);
  request.headers = {{"Accept", "application/json"}, {"User-Agent", "dray"}};
  co_return co_await authorize(tokens_, std::move(request),
                               TokenSource::Clock::now() + options_.request_deadline);
}

/// No resourceVersion is asked for: what comes is what etcd holds now, not what a cache does.
asio::awaitable<Command> Informer::list(WatchState::List asked) {
  auto target = collection_path(options_.kind, kind_info(options_.kind).versions[asked.version]);
  if (asked.in_chunks) target += fmt::format("?limit={}", options_.chunk);
  if (!asked.continue_token.empty()) {
    target += "&continue=" + net::percent_encode(asked.continue_token);
  } else {
    known_.begin_list();
    ++lists_begun_;
  }
  auto request = co_await get(std::move(target));
  const auto response = co_await client_->send(std::move(request), options_.request_deadline);
  if (!response) co_return failed(response.error());
  if (response->status != 200) co_return refused(*response);
  co_return take_list(response->body);
}

Command Informer::take_list(std::string_view json) {
  auto list = wire::decode_list(json);
  if (!list) return failed(std::move(list.error()).within("list"));
  for (auto& rejected : list->rejected) {
    notice("cannot be read: " + rejected.error.message);
    if (rejected.object && kind_of(*rejected.object) == options_.kind) {
      known_.unreadable({*std::move(rejected.object), rejected.error.message}, true);
    } else if (must_be_known(options_.kind)) {
      return failed(rejected.error);
    }
  }
  for (auto& item : list->items) {
    if (kind_of(item) == options_.kind) known_.listed(std::move(item));
  }
  if (list->continue_token.empty()) {
    known_.end_list();
    whole_list_told();
  }
  return state_.listed(std::move(list->resource_version), std::move(list->continue_token));
}

void Informer::whole_list_told() {
  last_list_told_ = lists_begun_;
  last_heard_ = std::chrono::steady_clock::now();
  set_trouble(std::nullopt);
  if (options_.on_listed) options_.on_listed();
}

asio::awaitable<Command> Informer::watch(WatchState::Watch asked) {
  auto target =
      fmt::format("{}?watch=1&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                  collection_path(options_.kind, kind_info(options_.kind).versions[asked.version]),
                  net::percent_encode(asked.from.get()), asked.timeout.count());
  auto request = co_await get(std::move(target));
  const auto opened = co_await client_->open(std::move(request), options_.head_deadline);
  if (!opened) co_return failed(opened.error());
  const auto& stream = *opened;
  if (stream->head().status != 200) {
    net::HttpResponse response = stream->head();
    response.body = (co_await stream->rest(options_.head_deadline)).value_or("");
    co_return refused(response);
  }
  if (stopped_ || relist_wanted_) co_return state_.next();
  last_heard_ = std::chrono::steady_clock::now();  // what comes after `from` follows at once
  stream_ = stream;
  const auto command = co_await follow(stream);
  stream_ = nullptr;
  co_return command;
}

asio::awaitable<Command> Informer::follow(std::shared_ptr<net::HttpStream> stream) {
  set_trouble(std::nullopt);
  for (;;) {
    const auto asked = std::chrono::steady_clock::now();
    const auto lines = co_await stream->lines(options_.silence);
    const bool was_silent = std::chrono::steady_clock::now() - asked >= options_.silence;
    if (!lines && was_silent && !relist_wanted_ && !stopped_) co_return state_.silent();
    if (!lines) co_return failed(lines.error());
    if (lines->empty()) co_return state_.ended();
    last_heard_ = std::chrono::steady_clock::now();
    for (const auto& line : *lines) {
      if (auto command = saw_line(line)) co_return std::move(*command);
    }
  }
}

std::optional<Command> Informer::saw_line(const std::string& line) {
  auto event = wire::decode_watch_line(line);
  if (!event) return saw_nothing_known(event.error().message);
  if (const auto* bookmark = std::get_if<wire::Bookmark>(&*event)) {
    state_.saw(bookmark->resource_version);
    return std::nullopt;
  }
  if (const auto* status = std::get_if<wire::ApiStatus>(&*event)) {
    const bool expired = status->code == 410;
    return failed({expired ? ErrorCode::gone : ErrorCode::unavailable,
                   fmt::format("watch: {} {}", status->code, status->message)});
  }
  if (auto* rejected = std::get_if<wire::RejectedChange>(&*event)) {
    return saw_unreadable(std::move(*rejected));
  }
  auto& watched = std::get<wire::WatchedObject>(*event);
  auto* object = std::get_if<KubeObject>(&watched.object);
  if (object == nullptr || kind_of(*object) != options_.kind) {
    return saw_nothing_known("an object of another kind");
  }
  state_.saw(meta_of(*object).resource_version);
  if (watched.change == wire::WatchedObject::Change::deleted) {
    known_.deleted(*object);
  } else {
    known_.changed(std::move(*object));
  }
  return std::nullopt;
}

std::optional<Command> Informer::saw_unreadable(wire::RejectedChange change) {
  auto& [error, object] = change.object;
  if (!object || kind_of(*object) != options_.kind) return saw_nothing_known(error.message);
  state_.saw(meta_of(*object).resource_version);
  if (change.change == wire::WatchedObject::Change::deleted) {
    known_.deleted(*object);
    return std::nullopt;
  }
  notice("watch: cannot be read: " + error.message);
  known_.unreadable({*std::move(object), std::move(error.message)}, false);
  return std::nullopt;
}

/// A line that tells of no object by its name. Where every object has to be known, all are listed
/// again: the list holds what the line was about.
std::optional<Command> Informer::saw_nothing_known(const std::string& why) {
  notice("watch: cannot be read: " + why);
  if (!must_be_known(options_.kind)) return std::nullopt;
  return state_.relist();
}

Command Informer::refused(const net::HttpResponse& response) {
  if (response.status == 401) tokens_->refused();
  return failed(error_of(response), retry_after_of(response));
}

Command Informer::failed(const Error& error, std::optional<Duration> retry_after) {
  const bool expected = error.code == ErrorCode::gone || relist_wanted_ || stopped_;
  if (!expected) {
    const auto since = trouble_ ? trouble_->since : std::chrono::steady_clock::now();
    if (!trouble_ || trouble_->what != error.message) notice(error.message);
    set_trouble(Trouble{since, error.message});
  }
  return state_.failed(error.code, retry_after);
}

void Informer::set_trouble(std::optional<Trouble> trouble) {
  const bool told = trouble.has_value() || trouble_.has_value();
  trouble_ = std::move(trouble);
  if (told && options_.on_trouble) options_.on_trouble();
}

void Informer::notice(const std::string& text) const {
  if (options_.on_notice) {
    options_.on_notice(fmt::format("{}: {}", unique_plural(kind_info(options_.kind)), text));
  }
}

}  // namespace dray::kube
