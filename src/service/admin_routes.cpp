#include "service/admin_routes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace dray::service {
namespace {

namespace asio = boost::asio;
using net::HttpRequest;
using net::HttpResponse;

struct Admin {
  EngineStrand* engine;
  kube::ClusterApi* api;
  metrics::Metrics* metrics;
  const Readiness* readiness;
};

/// One line of ?verbose, as the API server writes them: `[+]watch ok`, `[-]watch failed: why`.
struct Check {
  std::string name;
  std::string failure;    ///< empty: fine
  std::string note = {};  ///< worth knowing though it is fine
};

HttpResponse report(std::string_view endpoint, const std::vector<Check>& checks, bool verbose) {
  bool fine = true;
  std::string lines;
  for (const auto& check : checks) {
    const bool ok = check.failure.empty();
    fine = fine && ok;
    const auto note = check.note.empty() ? "" : ": " + check.note;
    lines += ok ? fmt::format("[+]{} ok{}\n", check.name, note)
                : fmt::format("[-]{} failed: {}\n", check.name, check.failure);
  }
  if (fine && !verbose) return net::text_response(200, "ok");
  lines += fmt::format("{} check {}\n", endpoint, fine ? "passed" : "failed");
  return net::text_response(fine ? 200 : 503, std::move(lines));
}

asio::awaitable<HttpResponse> livez(Admin admin, bool verbose) {
  // That the strand answers is the proof: a stuck engine hangs here, and the probe times out.
  static_cast<void>(co_await admin.engine->figures());
  std::vector<Check> checks{{"strand", ""}};
  const auto tls = admin.api->tls_trouble();
  const bool too_long = tls && tls->lasting > admin.readiness->tls_patience;
  if (too_long && !admin.readiness->broken.load()) {
    checks.push_back(
        {"apiserver-tls", fmt::format("no connection to the API server for {:.0f} s: {}",
                                      tls->lasting.count(), tls->what)});
  } else {
    checks.push_back({"apiserver-tls", "", tls ? tls->what : ""});
  }
  co_return report("livez", checks, verbose);
}

asio::awaitable<HttpResponse> readyz(Admin admin, bool verbose) {
  const auto status = co_await admin.engine->figures();
  const auto broken = admin.readiness->broken.load();
  std::vector<Check> checks;
  checks.push_back({"shutdown", admin.readiness->draining ? "the process is draining" : ""});
  checks.push_back({"invariants", broken ? "dray found a fault of its own: " + *broken : ""});
  checks.push_back({"sync", status.synced ? "" : "the cluster has not been listed yet"});
  checks.push_back({"watch", admin.api->trouble()});
  const auto port_problem = admin.readiness->port_problem.load();
  checks.push_back({"extender", port_problem ? *port_problem : ""});
  checks.push_back({"leader", status.leading ? "" : "another replica holds the Lease"});
  const auto* gates = admin.readiness->gates;
  if (gates != nullptr) checks.push_back({"feature-gates", "", gates->report().to_string()});
  if (const auto* watch = admin.readiness->policy_watch) {
    checks.push_back({"policy", "", fmt::format("{}", fmt::join(watch->warnings(), "; "))});
  }
  if (const auto& sandbox = admin.readiness->sandbox; !sandbox.empty()) {
    checks.push_back({"sandbox", "", sandbox});
  }
  co_return report("readyz", checks, verbose);
}

asio::awaitable<HttpResponse> metrics_page(Admin admin) {
  auto reading = co_await read_metrics(*admin.engine, *admin.api, *admin.readiness);
  auto response = net::text_response(200, admin.metrics->page(std::move(reading)));
  response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}};
  co_return response;
}

asio::awaitable<HttpResponse> answer(Admin admin, HttpRequest request) {
  if (request.method != "GET" && request.method != "HEAD") {
    co_return net::text_response(405, "use GET\n");
  }
  const bool verbose = request.query("verbose").has_value();
  if (request.path() == "/livez") co_return co_await livez(admin, verbose);
  if (request.path() == "/readyz") co_return co_await readyz(admin, verbose);
  if (request.path() == "/metrics") co_return co_await metrics_page(admin);
  co_return net::text_response(404, "no such path; there are /livez, /readyz and /metrics\n");
}

}  // namespace

asio::awaitable<metrics::Reading> read_metrics(EngineStrand& engine, kube::ClusterApi& api,
                                               const Readiness& readiness) {
  auto status = co_await engine.status();
  const auto refused = readiness.policy_problem.load();
  metrics::Reading reading;
  reading.policy_problem = refused && !refused->empty() ? *refused : status.policy_problem;
  reading.engine = std::move(status);
  reading.outbox = co_await api.backlog();
  if (const auto* gates = readiness.gates) reading.gates = gates->report().differences;
  if (const auto* watch = readiness.policy_watch) reading.policy_warnings = watch->warnings();
  for (const auto& watch : co_await api.watches()) {
    reading.watches.push_back({unique_plural(kind_info(watch.kind)), watch.lists, watch.corrections,
                               watch.silence, watch.failing});
  }
  reading.snapshot = co_await engine.snapshot();
  if (const auto recording = engine.recording()) {
    reading.recording = {recording->recording, recording->steps, recording->waiting};
  }
  reading.lease_epoch = readiness.lease_epoch;
  reading.policy_generation = readiness.policy_generation;
  co_return reading;
}

net::HttpHandler admin_routes(EngineStrand& engine, kube::ClusterApi& api,
                              metrics::Metrics& metrics, const Readiness& readiness) {
  const Admin admin{&engine, &api, &metrics, &readiness};
  return [admin](HttpRequest request) { return answer(admin, std::move(request)); };
}

}  // namespace dray::service
