#include "dashboard/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <limits>
#include <utility>

#include "dashboard/caller_bounds.h"
#include "dashboard/view_parts.h"
#include "dray/engine/write_class.h"
#include "service/log.h"

namespace dray::dashboard {

namespace asio = boost::asio;
using net::HttpRequest;
using net::HttpResponse;

/// A request that was let in, with what it is answered from.
struct Board::Asked {
  HttpRequest request;
  std::shared_ptr<const Picture> picture;
  Viewer viewer;

  [[nodiscard]] std::string text(std::string_view name) const {
    return request.query(name).value_or("");
  }
  [[nodiscard]] std::size_t number(std::string_view name, std::size_t otherwise) const {
    const auto given = text(name);
    std::size_t value = 0;
    const auto* last = given.data() + given.size();
    const auto [end, error] = std::from_chars(given.data(), last, value);
    return given.empty() || error != std::errc() || end != last ? otherwise : value;
  }
  [[nodiscard]] Page page(std::size_t usual) const {
    return {number("from", 0), std::min<std::size_t>(number("limit", usual), most_rows), text("q")};
  }

  static constexpr std::size_t most_rows = 500;
};

namespace {

constexpr std::string_view api = "/v1/dashboard/";
constexpr std::size_t node_rows = 400;
constexpr std::size_t other_rows = 100;
constexpr std::size_t most_hours =
    std::chrono::duration_cast<std::chrono::hours>(History::oldest).count();
constexpr auto until_there_is_a_plan = std::chrono::milliseconds(500);
constexpr auto look_for_news = std::chrono::milliseconds(200);
constexpr int turns_between_signs = 75;  ///< of life, on a stream: 15 s
constexpr int turns_of_a_checked_stream = 300;

void secure(HttpResponse& response, std::string_view policy) {
  auto& headers = response.headers;
  headers.push_back({"Content-Security-Policy", std::string(policy)});
  headers.push_back({"X-Content-Type-Options", "nosniff"});
  headers.push_back({"X-Frame-Options", "DENY"});
  headers.push_back({"Referrer-Policy", "no-referrer"});
  headers.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
  headers.push_back({"Cache-Control", "no-store"});
}

std::string token_of(const HttpRequest& request) {
  constexpr std::string_view bearer = "Bearer ";
  const auto given = request.header("Authorization");
  if (given.size() <= bearer.size()) return {};
  if (!net::equals_ignoring_case(given.substr(0, bearer.size()), bearer)) return {};
  return std::string(given.substr(bearer.size()));
}

HttpResponse json(std::string body) {
  return net::json_response(200, std::move(body));
}

HttpResponse not_found(const std::string& what) {
  return net::text_response(404, what + "\n");
}

HttpResponse of_the_whole_cluster() {
  return net::text_response(403, "this is shown to who sees the whole cluster\n");
}

void write_outbox(JsonWriter& out, const engine::Outbox::Status& outbox) {
  const auto seconds = [](Duration time) {
    return fmt::format("{:.3f}", std::chrono::duration<double>(time).count());
  };
  out.key("outbox");
  out.object([&](FieldWriter& io) {
    write_count(io, "inFlight", outbox.in_flight);
    write_count(io, "limit", outbox.limit);
    write_count(io, "cuts", outbox.cuts);
    write_count(io, "again", outbox.again);
    out.key("classes");
    out.begin_list();
    for (std::size_t i = 0; i < outbox.classes.size(); ++i) {
      const auto& each = outbox.classes.at(i);
      out.object([&](FieldWriter& item) {
        item.required("name", std::string(engine::name(static_cast<engine::WriteClass>(i))));
        write_count(item, "waiting", each.waiting);
        item.raw("oldestSeconds", seconds(each.oldest));
        write_count(item, "sent", each.sent);
      });
    }
    out.end_list();
  });
}

std::string published(const Published<std::string>& slot) {
  const auto text = slot.load();
  return text ? *text : std::string();
}

}  // namespace

Board::Board(asio::io_context& io, BoardOptions options, Sources sources)
    : io_(io),
      options_(std::move(options)),
      sources_(sources),
      reader_(io, sources.engine, options_.fresh_for),
      history_timer_(io),
      explanations_(io, options_.explanations,
                    options_.explain
                        ? options_.explain
                        : explain_by_planner(engine::allocator_options(options_.engine, 3))),
      simulations_(io, {options_.simulations, options_.engine, options_.partition}, sources.api,
                   sources.readiness) {
  if (options_.history_file) history_.restore(std::move(options_.history_file->samples));
}

Standing Board::standing(const Viewer& viewer) const {
  const auto& readiness = sources_.readiness;
  Standing standing;
  standing.version = options_.version;
  standing.mode = options_.engine.mode == engine::Mode::advise ? "advise" : "allocate";
  standing.broken = published(readiness.broken);
  standing.trouble = sources_.api.trouble();
  standing.port = published(readiness.port_problem);
  standing.policy = published(readiness.policy_problem);
  if (readiness.policy_watch != nullptr) {
    standing.policy_warnings = readiness.policy_watch->warnings();
  }
  standing.policy_generation = readiness.policy_generation;
  standing.epoch = readiness.lease_epoch;
  if (readiness.leadership != nullptr) {
    auto seen = readiness.standbys->seen();
    Replicas replicas{readiness.leadership->holder(), std::move(seen.names),
                      std::move(seen.trouble)};
    // Who has just taken the Lease gives his other one back in the next round.
    std::erase(replicas.standbys, replicas.leader);
    standing.replicas = std::move(replicas);
  }
  if (readiness.gates != nullptr) standing.gates = readiness.gates->report().to_string();
  return viewer.everything ? standing : without_names(std::move(standing));
}

asio::awaitable<HttpResponse> Board::answer(HttpRequest request) {
  const bool is_page = request.path() == "/" || request.path() == "/index.html";
  auto response = co_await route(std::move(request));
  secure(response, is_page ? options_.page.policy : "default-src 'none'; frame-ancestors 'none'");
  co_return response;
}

asio::awaitable<HttpResponse> Board::route(HttpRequest request) {
  const bool simulates = request.path() == simulate_path;
  if (simulates ? request.method != "POST" : request.method != "GET" && request.method != "HEAD") {
    auto refused = net::text_response(405, simulates ? "use POST\n" : "use GET\n");
    refused.headers.push_back({"Allow", simulates ? "POST" : "GET, HEAD"});
    co_return refused;
  }
  if (!options_.hosts.empty() && !net::asks_for_host(request, options_.hosts)) {
    co_return net::text_response(403, "this port is asked for by a name that is not its own\n");
  }
  if (request.path() == "/" || request.path() == "/index.html") {
    HttpResponse page;
    page.headers.push_back({"Content-Type", "text/html; charset=utf-8"});
    page.body = options_.page.html;
    co_return page;
  }
  if (!simulates && !request.path().starts_with(api)) {
    co_return not_found("no such path; the page is at /");
  }
  auto asked = co_await let_in(std::move(request));
  if (!asked) co_return std::move(asked.error());
  if (simulates) co_return simulate(*asked);
  // Named: g++ 12 destroys what is made inside of a co_await expression twice.
  auto shown = *std::move(asked);
  co_return co_await view(std::move(shown));
}

HttpResponse Board::simulate(const Asked& asked) {
  if (!asked.viewer.everything) {
    return net::text_response(403, "what is simulated is the whole cluster\n");
  }
  if (!asked.picture->engine.status.synced) {
    return net::text_response(503, "the cluster has not been listed yet\n");
  }
  return simulations_.answer(asked.request);
}

/// What answers it, with what whoever asks may see; or the refusal.
asio::awaitable<std::expected<Board::Asked, HttpResponse>> Board::let_in(HttpRequest request) {
  auto picture = co_await reader_.picture();
  if (!picture) {
    co_return std::unexpected(
        net::text_response(503, "dray has stopped: it found a fault of its own\n"));
  }
  Viewer viewer;
  if (options_.admit) {
    auto token = token_of(request);
    auto from = host_of(request.peer);
    auto admission = co_await options_.admit(std::move(token), std::move(from), picture);
    if (admission.status != 200) {
      auto refused = net::text_response(admission.status, admission.why + "\n");
      if (admission.status == 401) refused.headers.push_back({"WWW-Authenticate", "Bearer"});
      co_return std::unexpected(std::move(refused));
    }
    viewer = std::move(admission.viewer);
    service::log_info(2, fmt::format("dashboard: {} asks for {}", viewer.name, request.path()),
                      {{"user", viewer.name}});
  }
  co_return Asked{std::move(request), std::move(picture), std::move(viewer)};
}

asio::awaitable<HttpResponse> Board::view(Asked asked) {
  const auto screen = std::string(asked.request.path().substr(api.size()));
  const auto& picture = *asked.picture;
  if (screen == "overview")
    co_return json(overview_json(picture, standing(asked.viewer), asked.viewer));
  if (screen == "nodes") co_return json(nodes_json(picture, asked.page(node_rows), asked.viewer));
  if (screen == "node") {
    auto body = node_json(picture, asked.text("name"), asked.viewer);
    co_return body.empty() ? not_found("there is no node of that name") : json(std::move(body));
  }
  if (screen == "queues") co_return json(queues_json(picture, asked.viewer));
  if (screen == "history") {
    const auto resource = asked.text("resource");
    const auto hours = std::clamp<std::size_t>(asked.number("hours", 2), 1, most_hours);
    const auto curves = history_.of(resource, std::chrono::hours(hours));
    co_return json(history_json(picture, curves, resource, asked.viewer));
  }
  if (screen == "waiting") {
    co_return json(
        waiting_json(picture, asked.text("reason"), asked.page(other_rows), asked.viewer));
  }
  if (screen == "ledger")
    co_return json(ledger_json(picture, asked.page(other_rows), asked.viewer));
  if (screen == "policy") {
    if (!asked.viewer.everything) co_return of_the_whole_cluster();
    co_return json(policy_json(picture, standing(asked.viewer)));
  }
  if (screen == "explain") co_return co_await explain(std::move(asked));
  if (screen == "health") co_return co_await health(std::move(asked));
  if (screen == "metrics") co_return co_await metrics_page(std::move(asked));
  if (screen == "events") co_return events();
  co_return not_found("no such screen");
}

asio::awaitable<HttpResponse> Board::explain(Asked asked) {
  const auto text = asked.text("pod");
  const auto slash = text.find('/');
  if (slash == std::string::npos) co_return net::text_response(400, "write pod=NAMESPACE/NAME\n");
  const PodKey key{text.substr(0, slash), text.substr(slash + 1)};
  const auto unknown = not_found("there is no pod or job " + text);
  if (!asked.viewer.sees(key.namespace_name)) co_return unknown;
  auto slot = explanations_.reserve(asked.viewer.name);
  if (!slot) co_return std::move(slot.error());
  const auto question = std::make_shared<std::optional<planner::Question>>();
  service::EngineStrand::Look look = [question, key](engine::Engine& engine, Time now) {
    *question = engine.question(key, now);
  };
  if (!co_await sources_.engine.look(std::move(look))) {
    co_return net::text_response(503, "dray has stopped: it found a fault of its own\n");
  }
  // A job of that name may have pods of another namespace.
  if (!*question || !asked.viewer.sees((*question)->pod->meta.namespace_name)) co_return unknown;
  if (!asked.viewer.everything) (*question)->named = asked.viewer.namespaces;
  co_return explanations_.answer(*std::move(slot), std::move(**question));
}

asio::awaitable<HttpResponse> Board::health(Asked asked) {
  const auto backlog = co_await sources_.api.backlog();
  const auto& status = asked.picture->engine.status;
  const auto at = standing(asked.viewer);
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", asked.picture->revision);
    io.required("leading", status.leading);
    io.required("epoch", at.epoch);
    io.required("synced", status.synced);
    io.required("broken", at.broken);
    io.required("trouble", at.trouble);
    io.required("port", at.port);
    io.required("gates", at.gates);
    io.required("draining", sources_.readiness.draining.load());
    if (at.replicas) {
      io.field("leader", at.replicas->leader);
      io.required("standbys", at.replicas->standbys);
      io.field("standbyTrouble", at.replicas->trouble);
    }
    write_outbox(out, backlog);
  });
  co_return net::json_response(200, std::move(out).take());
}

asio::awaitable<HttpResponse> Board::metrics_page(Asked asked) {
  if (!asked.viewer.everything) co_return of_the_whole_cluster();
  auto reading = co_await service::read_metrics(sources_.engine, sources_.api, sources_.readiness);
  auto response = net::text_response(200, sources_.metrics.page(std::move(reading)));
  co_return response;
}

HttpResponse Board::events() {
  if (streams_ >= options_.most_streams || stopped_) {
    auto refused = net::text_response(503, "too many are listening\n");
    refused.headers.push_back({"Retry-After", "10"});
    return refused;
  }
  HttpResponse response;
  response.headers.push_back({"Content-Type", "text/event-stream"});
  response.stream = [board = shared_from_this()](std::shared_ptr<net::BodySink> sink) {
    return board->stream(std::move(sink));
  };
  return response;
}

/// The revision whenever it is another; whoever listens fetches what he shows.
asio::awaitable<void> Board::stream(std::shared_ptr<net::BodySink> sink) {
  const auto keep = shared_from_this();
  ++streams_;
  std::uint64_t told = 0;
  asio::steady_timer timer(io_);
  int turns = 0;
  // Whose token is checked asks again with it after a while.
  const int most_turns =
      options_.admit ? turns_of_a_checked_stream : std::numeric_limits<int>::max();
  for (bool open = true; open && !stopped_ && turns < most_turns;) {
    ++turns;
    const auto picture = co_await reader_.picture();
    std::string news;
    if (picture && picture->revision != std::exchange(told, picture->revision)) {
      news = fmt::format("event: picture\ndata: {}\n\n", told);
    } else if (turns % turns_between_signs == 0) {
      news = ": here\n\n";
    }
    open = co_await sink->write(std::move(news));
    if (!open) break;
    timer.expires_after(look_for_news);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  --streams_;
}

asio::awaitable<void> Board::keep_history() {
  const auto keep = shared_from_this();
  while (!stopped_) {
    const auto seen = std::make_shared<std::pair<Time, engine::Engine::Status>>();
    service::EngineStrand::Look look = [seen](engine::Engine& engine, Time now) {
      *seen = {now, engine.picture().status};
    };
    History::Change change;
    if (co_await sources_.engine.look(std::move(look))) {
      change = history_.add(seen->first, seen->second);
      write_history(change);
    }
    if (stopped_) break;
    history_timer_.expires_after(change.added ? options_.history_every : until_there_is_a_plan);
    boost::system::error_code ignored;
    co_await history_timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

void Board::write_history(const History::Change& change) {
  if (!options_.history_file || !change.added) return;
  if (const auto done = options_.history_file->file->write(history_, change); !done) {
    service::log_warning("the dashboard's history is kept in memory alone from now on: " +
                         done.error().message);
    options_.history_file.reset();
  }
}

void Board::stop() {
  stopped_ = true;
  history_timer_.cancel();
  explanations_.stop();
  simulations_.stop();
}

}  // namespace dray::dashboard
