#include "service/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <random>
#include <utility>

namespace dray::service {

namespace asio = boost::asio;

namespace {

constexpr std::size_t trace_digits = 32;
constexpr std::size_t span_digits = 16;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text, std::size_t digits) {
  return text.size() == digits && is_hex(text) && text.find_first_not_of('0') != text.npos;
}

/// FNV-1a, its bits mixed: a trace is sampled by it, and ids are made of it.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31U);
}

Time now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

std::uint64_t random_number() {
  std::random_device random;
  return (std::uint64_t{random()} << 32U) | random();
}

/// The collector, or what stands before it, is to be asked again.
bool passes(const Result<net::HttpResponse>& response) {
  if (!response) return true;
  const auto status = response->status;
  return status == 429 || status == 502 || status == 503 || status == 504;
}

}  // namespace

std::string trace_id_of(std::string_view uid) {
  std::string digits;
  for (const char c : uid) {
    if (c != '-') digits += c;
  }
  if (is_id(digits, trace_digits)) return digits;
  return fmt::format("{:016x}{:016x}", hash_of(uid, 1), hash_of(uid, 2) | 1U);
}

std::optional<TraceParent> parse_traceparent(std::string_view header) {
  // 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
  if (header.size() != 55 || !header.starts_with("00-") || header[35] != '-' || header[52] != '-') {
    return std::nullopt;
  }
  const auto trace = header.substr(3, trace_digits);
  const auto span = header.substr(36, span_digits);
  const auto flags = header.substr(53);
  if (!is_id(trace, trace_digits) || !is_id(span, span_digits) || !is_hex(flags)) {
    return std::nullopt;
  }
  const auto last = flags[1];
  const int bits = last <= '9' ? last - '0' : last - 'a' + 10;
  return TraceParent{std::string(trace), std::string(span), (bits & 1) != 0};
}

Tracer::Tracer(TracerOptions options, metrics::Metrics& metrics)
    : options_(std::move(options)),
      metrics_(metrics),
      next_id_(random_number()),
      wake_(thread_.io()) {
  net::HttpClientOptions http;
  http.base = options_.endpoint;
  http.base.path.clear();
  http.max_connections = 1;
  http.limits.body_bytes = 64UL * 1024;
  auto client = net::HttpClient::make(thread_.io(), http);
  if (client) {
    client_ = *std::move(client);
  } else {
    log_warning("traces are not sent: " + client.error().message);
  }
  asio::co_spawn(thread_.io(), run(), asio::detached);
}

Tracer::~Tracer() {
  const auto rest = asio::co_spawn(thread_.io(), finish(), asio::use_future);
  static_cast<void>(rest.wait_for(std::chrono::seconds(1)));
  thread_.stop();
}

bool Tracer::samples(std::string_view trace_id) const {
  if (options_.sampling >= 1) return true;
  // 53 bits: what a double holds.
  const auto part = static_cast<double>(hash_of(trace_id, 3) >> 11U) / 9007199254740992.0;
  return part < options_.sampling;
}

TraceParent Tracer::own_context(const Uid& object) const {
  auto trace = trace_id_of(object.get());
  const bool sampled = samples(trace);
  return {std::move(trace), {}, sampled};
}

/// Under the mutex.
TraceParent Tracer::context_of(const Uid& object) const {
  const auto call = calls_.find(object);
  return call == calls_.end() ? own_context(object) : call->second;
}

/// Under the mutex.
std::string Tracer::random_id(std::size_t digits) {
  std::string id;
  while (id.size() < digits) id += fmt::format("{:016x}", hash_of("id", next_id_++) | 1U);
  return id;
}

/// Under the mutex.
wire::Span Tracer::started(std::string name, const TraceParent& context) {
  wire::Span span;
  span.trace_id = context.trace_id;
  span.parent_id = context.span_id;
  span.span_id = random_id(span_digits);
  span.name = std::move(name);
  span.start = now();
  return span;
}

std::optional<wire::Span> Tracer::begin_call(std::string name, const Uid& pod,
                                             std::string_view traceparent) {
  const auto parent = parse_traceparent(traceparent);
  const std::lock_guard lock(mutex_);
  // Calls for a pod stand beside each other, not below the one before.
  auto context = parent ? *parent : own_context(pod);
  auto span = started(std::move(name), context);
  span.kind = wire::SpanKind::server;
  const bool sampled = context.sampled;
  context.span_id = span.span_id;
  if (calls_.insert_or_assign(pod, std::move(context)).second) order_.push_back(pod);
  if (order_.size() > options_.most_pods) {
    calls_.erase(order_.front());
    order_.pop_front();
  }
  if (!sampled) return std::nullopt;
  return span;
}

std::optional<wire::Span> Tracer::begin(std::string name, const Uid& object) {
  const std::lock_guard lock(mutex_);
  const auto context = context_of(object);
  if (!context.sampled) return std::nullopt;
  return started(std::move(name), context);
}

std::optional<wire::Span> Tracer::begin(std::string name) {
  const std::lock_guard lock(mutex_);
  TraceParent context{random_id(trace_digits), {}, true};
  if (!samples(context.trace_id)) return std::nullopt;
  return started(std::move(name), context);
}

std::string Tracer::trace_of(const Uid& object) const {
  const std::lock_guard lock(mutex_);
  auto context = context_of(object);
  return context.sampled ? std::move(context.trace_id) : std::string();
}

void Tracer::end(wire::Span span) {
  span.end = std::max(span.start, now());
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < options_.most_waiting) {
      waiting_.push_back(std::move(span));
      if (waiting_.size() == options_.batch) {
        asio::post(thread_.io(), [this] { wake_.cancel(); });
      }
    } else {
      full = true;
    }
  }
  if (full) metrics_.count("dray_trace_spans_total", {"dropped"});
}

std::vector<wire::Span> Tracer::take_batch() {
  const std::lock_guard lock(mutex_);
  const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), options_.batch));
  const auto last = waiting_.begin() + count;
  std::vector<wire::Span> batch(std::make_move_iterator(waiting_.begin()),
                                std::make_move_iterator(last));
  waiting_.erase(waiting_.begin(), last);
  return batch;
}

asio::awaitable<void> Tracer::run() {
  for (;;) {
    co_await send_all();
    wake_.expires_after(options_.every);
    boost::system::error_code ignored;
    co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

asio::awaitable<void> Tracer::send_all() {
  for (auto batch = take_batch(); !batch.empty(); batch = take_batch()) {
    co_await send(std::move(batch));
  }
}

asio::awaitable<void> Tracer::finish() {
  co_await send_all();
  asio::steady_timer soon(thread_.io());
  while (sending_ > 0) {
    soon.expires_after(std::chrono::milliseconds(1));
    boost::system::error_code ignored;
    co_await soon.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

/// Again and again, with longer pauses, while the collector may take them later.
asio::awaitable<void> Tracer::send(std::vector<wire::Span> spans) {
  net::HttpRequest request;
  request.method = "POST";
  request.target = options_.endpoint.path;
  request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "dray"}};
  request.body = wire::encode_spans(options_.source, spans);
  ++sending_;
  std::string_view result = "dropped";
  std::string why = "no client";
  asio::steady_timer pause(thread_.io());
  auto wait = options_.first_pause;
  for (int attempt = 1; client_ && attempt <= options_.attempts; ++attempt) {
    const auto response = co_await client_->send(request, options_.deadline);
    if (response && response->status / 100 == 2) {
      result = "sent";
      break;
    }
    why = response ? fmt::format("{} {}", response->status, net::status_text(response->status))
                   : response.error().message;
    if (!passes(response)) {
      result = "refused";
      break;
    }
    if (attempt == options_.attempts) break;
    pause.expires_after(wait);
    wait *= 2;
    boost::system::error_code ignored;
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  metrics_.count("dray_trace_spans_total", {result}, static_cast<double>(spans.size()));
  --sending_;
  const bool lost = result != "sent";
  if (lost && !silent_) {
    log_warning(fmt::format("{} spans of traces are lost: the collector: {}", spans.size(), why));
  }
  silent_ = lost;
}

void add_trace(LogFields& fields, const Tracer& tracer, const Uid& object) {
  if (auto trace = tracer.trace_of(object); !trace.empty()) {
    fields.emplace_back("trace", std::move(trace));
  }
}

}  // namespace dray::service
