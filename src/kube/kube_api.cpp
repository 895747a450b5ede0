#include "kube/kube_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "dray/model/kind_names.h"
#include "kube/api_path.h"
#include "kube/config_reload.h"
#include "kube/feature_gates.h"
#include "kube/informer.h"
#include "kube/list_objects.h"
#include "kube/writer.h"

namespace dray::kube {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

struct KubeApi::State : std::enable_shared_from_this<State> {
  State(asio::io_context& io, KubeApiOptions given, const ClusterConfig& config)
      : options(std::move(given)),
        strand(asio::make_strand(io)),
        tokens(std::make_shared<TokenSource>(config)),
        listed(strand) {}

  void start(WatchSink given);
  void on_listed(const Informer& informer);
  void update_trouble();

  // Fixed after make().
  KubeApiOptions options;
  Informer::Strand strand;
  std::shared_ptr<TokenSource> tokens;
  const std::shared_ptr<net::TlsFailures> tls_failures = std::make_shared<net::TlsFailures>();
  std::shared_ptr<net::HttpClient> watch_client;
  std::shared_ptr<Writer> writer;
  // Owned by the strand.
  WatchSink sink;
  std::vector<std::shared_ptr<Informer>> informers;
  bool synced = false;
  bool stopped = false;
  asio::steady_timer listed;  ///< its waiters wake at every whole list
  // Shared.
  mutable std::mutex mutex;
  std::vector<std::pair<Kind, Informer::Trouble>> troubles;
  bool all_listed = false;
};

namespace {

asio::awaitable<void> run(std::shared_ptr<KubeApi::State> state,
                          std::shared_ptr<Informer> informer) {
  co_await informer->run();
  // `state` is what the informer tells: it lives as long.
  static_cast<void>(state);
}

}  // namespace

void KubeApi::State::start(WatchSink given) {
  sink = std::move(given);
  std::uint64_t seed = options.seed;
  for (const auto kind : cluster_kinds()) {
    InformerOptions wanted;
    wanted.kind = kind;
    wanted.required = kind_info(kind).always_served;
    wanted.seed = ++seed * 0x9E3779B97F4A7C15ULL;
    wanted.chunk = options.list_chunk;
    wanted.silence = options.watch_silence;
    wanted.request_deadline = options.list_deadline;
    wanted.head_deadline = options.watch_deadline;
    wanted.tell = [this](WatchEvent event) {
      if (!stopped) sink(std::move(event));
    };
    wanted.on_notice = options.on_notice;
    const auto index = informers.size();
    wanted.on_listed = [this, index] { on_listed(*informers[index]); };
    wanted.on_trouble = [this] { update_trouble(); };
    informers.push_back(
        std::make_shared<Informer>(strand, watch_client, tokens, std::move(wanted)));
  }
  for (const auto& informer : informers) {
    asio::co_spawn(strand, run(shared_from_this(), informer), asio::detached);
  }
}

void KubeApi::State::on_listed(const Informer& informer) {
  if (informer.kind() == Kind::resource_claim) writer->set_claim_version(informer.version());
  listed.cancel();
  const bool all = std::ranges::all_of(informers, [](const auto& one) { return one->listed(); });
  if (!all || std::exchange(synced, true)) return;
  {
    const std::lock_guard lock(mutex);
    all_listed = true;
  }
  if (!stopped) sink(engine::Synced{});
}

void KubeApi::State::update_trouble() {
  const std::lock_guard lock(mutex);
  troubles.clear();
  for (const auto& informer : informers) {
    if (informer->trouble()) troubles.emplace_back(informer->kind(), *informer->trouble());
  }
}

KubeApi::KubeApi(std::shared_ptr<State> state, std::shared_ptr<ConfigReload> reload,
                 std::unique_ptr<net::OwnThread> lease_thread, std::shared_ptr<Writer> lease_writer)
    : state_(std::move(state)),
      reload_(std::move(reload)),
      lease_thread_(std::move(lease_thread)),
      lease_writer_(std::move(lease_writer)) {}
KubeApi::~KubeApi() {
  reload_->stop();
  lease_thread_->stop();
  stop();
}

Result<std::unique_ptr<KubeApi>> KubeApi::make(asio::io_context& io, const ClusterConfig& config,
                                               KubeApiOptions options) {
  auto state = std::make_shared<State>(io, std::move(options), config);
  net::HttpClientOptions http;
  http.base = config.server;
  http.tls = config.tls;
  http.proxy = config.proxy;
  http.max_connections = state->options.connections;
  http.limits = state->options.limits;
  http.line_bytes = state->options.line_bytes;
  http.tls_failures = state->tls_failures;
  auto watching = net::HttpClient::make(io, http);
  if (!watching) return std::unexpected(std::move(watching.error()));
  auto writing = net::HttpClient::make(io, http);
  if (!writing) return std::unexpected(std::move(writing.error()));
  state->watch_client = std::move(*watching);
  const std::shared_ptr<net::HttpClient> write_client = std::move(*writing);
  state->writer = std::make_shared<Writer>(io, write_client, state->tokens, state->options);
  auto lease_thread = std::make_unique<net::OwnThread>();
  auto renewing = net::HttpClient::make(lease_thread->io(), http);
  if (!renewing) return std::unexpected(std::move(renewing.error()));
  const std::shared_ptr<net::HttpClient> lease_client = std::move(*renewing);
  auto lease_writer =
      std::make_shared<Writer>(lease_thread->io(), lease_client, state->tokens, state->options);
  auto reload = std::make_shared<ConfigReload>(
      io, config,
      ConfigReload::Users{{state->watch_client, write_client, lease_client}, state->tokens},
      ConfigReload::Options{state->options.config_reload_every, state->options.on_notice});
  reload->start();
  return std::unique_ptr<KubeApi>(new KubeApi(std::move(state), std::move(reload),
                                              std::move(lease_thread), std::move(lease_writer)));
}

asio::awaitable<engine::WriteOutcome> KubeApi::write(engine::Write write, WriteTerms terms) {
  const auto writer = engine::is_lease_write(write) ? lease_writer_ : state_->writer;
  co_return co_await writer->write(std::move(write), std::move(terms));
}

asio::awaitable<engine::Outbox::Status> KubeApi::backlog() {
  const auto writer = state_->writer;
  co_return co_await writer->backlog();
}

namespace {

asio::awaitable<std::vector<WatchFigures>> figures(std::shared_ptr<KubeApi::State> state) {
  const auto now = Clock::now();
  std::vector<WatchFigures> all;
  for (const auto& informer : state->informers) {
    WatchFigures one{informer->kind(),
                     informer->last_list_told(),
                     informer->corrections(),
                     now - informer->last_heard(),
                     {}};
    if (const auto& trouble = informer->trouble()) one.failing = now - trouble->since;
    all.push_back(one);
  }
  co_return all;
}

}  // namespace

asio::awaitable<std::vector<WatchFigures>> KubeApi::watches() {
  const auto state = state_;
  co_return co_await asio::co_spawn(state->strand, figures(state), asio::use_awaitable);
}

void KubeApi::watch(WatchSink sink) {
  asio::post(state_->strand,
             [state = state_, sink = std::move(sink)]() mutable { state->start(std::move(sink)); });
}

void KubeApi::stop() {
  asio::post(state_->strand, [state = state_] {
    state->stopped = true;
    for (const auto& informer : state->informers) informer->stop();
    state->watch_client->close_all();
  });
}

void KubeApi::abandon_writes() {
  state_->writer->abandon();
}

std::string KubeApi::trouble() const {
  const std::lock_guard lock(state_->mutex);
  const auto now = Clock::now();
  for (const auto& [kind, trouble] : state_->troubles) {
    if (state_->all_listed && now - trouble.since < state_->options.trouble_after) continue;
    return fmt::format("{}: {}", unique_plural(kind_info(kind)), trouble.what);
  }
  return {};
}

std::optional<TlsTrouble> KubeApi::tls_trouble() const {
  auto failing = state_->tls_failures->failing();
  if (!failing) return std::nullopt;
  return TlsTrouble{Clock::now() - failing->since, std::move(failing->what)};
}

namespace {

asio::awaitable<Result<void>> refresh(std::shared_ptr<KubeApi::State> state, Kind kind,
                                      Clock::time_point deadline) {
  const auto found = std::ranges::find(state->informers, kind, &Informer::kind);
  if (found == state->informers.end()) co_return fail(ErrorCode::unavailable, "not watching yet");
  const auto& informer = *found;
  const auto begun_before = informer->lists_begun();
  informer->relist();
  while (informer->last_list_told() <= begun_before) {
    if (Clock::now() >= deadline || state->stopped) {
      co_return fail(ErrorCode::unavailable, "no fresh list came in time");
    }
    state->listed.expires_at(deadline);
    co_await state->listed.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_return Result<void>{};
}

}  // namespace

asio::awaitable<Result<void>> KubeApi::refresh_claims(std::chrono::milliseconds at_most) {
  const auto state = state_;
  co_return co_await asio::co_spawn(state->strand,
                                    refresh(state, Kind::resource_claim, Clock::now() + at_most),
                                    asio::use_awaitable);
}

Result<Listed> KubeApi::list_now(const std::function<bool()>& go_on) {
  ListOptions options;
  options.go_on = go_on;
  return list_objects(*reload_->current(), cluster_kinds(), options);
}

asio::awaitable<Result<std::optional<alloc::FeatureGates>>> KubeApi::feature_gates() {
  const auto state = state_;
  co_return co_await read_feature_gates(state->watch_client, state->tokens);
}

}  // namespace dray::kube
