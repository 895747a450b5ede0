#include <array>

#include "app/serve/limits.h"

namespace dray::app {
namespace {

using Members = std::vector<LimitMember>;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::int64_t gib = 1024 * mib;
constexpr std::int64_t second = 1000;  // milliseconds
constexpr std::int64_t minute = 60 * second;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;

constexpr auto count = LimitUnit::count;
constexpr auto bytes = LimitUnit::bytes;
constexpr auto time = LimitUnit::time;

/// The same member of each port.
template <auto Member>
Members of_ports(LimitedParts& parts) {
  return {&(parts.service.extender.*Member), &(parts.service.admin.*Member),
          &(parts.dashboard.server.*Member)};
}

using Port = net::HttpServerOptions;

template <auto Member>
Members of_extender(LimitedParts& parts) {
  return {&(parts.service.extender.*Member)};
}
template <auto Member>
Members of_health(LimitedParts& parts) {
  return {&(parts.service.admin.*Member)};
}
template <auto Member>
Members of_dashboard(LimitedParts& parts) {
  return {&(parts.dashboard.server.*Member)};
}
template <auto Member>
Members of_simulations(LimitedParts& parts) {
  return {&(parts.dashboard.board.simulations.*Member)};
}
template <auto Member>
Members of_access(LimitedParts& parts) {
  return {&(parts.access.*Member)};
}
template <auto Member>
Members of_api(LimitedParts& parts) {
  return {&(parts.api.*Member)};
}

// clang-format off
const std::array limits{
    Limit{"port.headers", "headers of a request, at each port", bytes, kib, mib,
          [](LimitedParts& p) -> Members {
            return {&p.service.extender.limits.header_bytes, &p.service.admin.limits.header_bytes,
                    &p.dashboard.server.limits.header_bytes};
          }},
    Limit{"port.handshakes", "TLS handshakes that are not finished, at each port", count, 8, 16'384,
          of_ports<&Port::max_handshakes>},
    Limit{"port.ofOneAddress",
          "percent of the connections and of the handshakes of a port that one address may have", count, 1,
          100, of_ports<&Port::max_percent_of_one_address>},
    Limit{"port.bodies", "bodies of requests that a port holds together", bytes, mib, 64 * gib,
          of_ports<&Port::max_body_bytes>},
    Limit{"port.handshakeTime", "time for a TLS handshake", time, 100, minute,
          of_ports<&Port::handshake_timeout>},
    Limit{"port.headerTime", "time for the headers of a request", time, 100, minute,
          of_ports<&Port::header_timeout>},
    Limit{"extender.body", "body of a request to the extender", bytes, 64 * kib, 2 * gib,
          [](LimitedParts& p) -> Members { return {&p.service.extender.limits.body_bytes}; }},
    Limit{"extender.connections", "connections to the extender, as far as files may be open", count,
          8, 65'536, of_extender<&Port::max_connections>},
    Limit{"extender.bodyTime", "time for the body of a request to the extender", time, 100, 10 * minute,
          of_extender<&Port::body_timeout>},
    Limit{"extender.writeTime", "time to send an answer of the extender", time, 100, 10 * minute,
          of_extender<&Port::write_timeout>},
    Limit{"extender.working", "requests to the extender that are worked on at a time", count, 1, 1024,
          [](LimitedParts& p) -> Members { return {&p.service.extender_queue.at_a_time}; }},
    Limit{"extender.waiting", "requests to the extender that wait beside these", count, 1, 65'536,
          [](LimitedParts& p) -> Members { return {&p.service.extender_queue.waiting}; }},
    Limit{"extender.waitTime", "time that a request to the extender waits", time, 100, 10 * minute,
          [](LimitedParts& p) -> Members { return {&p.service.extender_queue.wait_time}; }},
    // Not below what Go's client keeps an idle connection for.
    Limit{"extender.idleTime", "life of an idle connection to the extender", time, 91 * second, day,
          of_extender<&Port::idle_timeout>},
    Limit{"health.body", "body of a request for health or metrics", bytes, 0, mib,
          [](LimitedParts& p) -> Members { return {&p.service.admin.limits.body_bytes}; }},
    Limit{"health.connections", "connections for health and metrics", count, 8, 16'384,
          of_health<&Port::max_connections>},
    Limit{"health.bodyTime", "time for the body of a request for health or metrics", time, 100, minute,
          of_health<&Port::body_timeout>},
    Limit{"health.writeTime", "time to send an answer about health or metrics", time, 100,
          10 * minute, of_health<&Port::write_timeout>},
    Limit{"health.idleTime", "life of an idle connection for health or metrics", time, second, day,
          of_health<&Port::idle_timeout>},
    Limit{"dashboard.body", "body of a request to the dashboard", bytes, 0, mib,
          [](LimitedParts& p) -> Members { return {&p.dashboard.server.limits.body_bytes}; }},
    Limit{"dashboard.connections", "connections to the dashboard", count, 8, 16'384,
          of_dashboard<&Port::max_connections>},
    Limit{"dashboard.bodyTime", "time for the body of a request to the dashboard", time, 100,
          10 * minute, of_dashboard<&Port::body_timeout>},
    Limit{"dashboard.writeTime", "time to send a part of an answer of the dashboard", time, 100,
          10 * minute, of_dashboard<&Port::write_timeout>},
    Limit{"dashboard.idleTime", "life of an idle connection to the dashboard", time, second, day,
          of_dashboard<&Port::idle_timeout>},
    Limit{"dashboard.tokenBytes", "length of a token", bytes, kib, mib,
          of_access<&dashboard::AccessOptions::most_token_bytes>},
    Limit{"dashboard.tokensAtOnce", "new tokens of a host, at once", count, 1, 10'000,
          [](LimitedParts& p) -> Members { return {&p.access.new_tokens.at_once}; }},
    Limit{"dashboard.tokenEvery", "new tokens of a host after that: one in this time", time, 1, minute,
          [](LimitedParts& p) -> Members { return {&p.access.new_tokens.every}; }},
    Limit{"dashboard.allTokensAtOnce", "new tokens of all hosts, at once", count, 1, 100'000,
          [](LimitedParts& p) -> Members { return {&p.access.new_tokens_of_all.at_once}; }},
    Limit{"dashboard.allTokensEvery", "new tokens of all hosts after that: one in this time", time, 1,
          minute, [](LimitedParts& p) -> Members { return {&p.access.new_tokens_of_all.every}; }},
    Limit{"dashboard.tokens", "tokens that are remembered", count, 1, 65'536,
          of_access<&dashboard::AccessOptions::most_tokens>},
    Limit{"dashboard.tokenTime", "how long a verdict about a token holds", time, second, 10 * minute,
          of_access<&dashboard::AccessOptions::known_for>},
    Limit{"dashboard.rightsTime", "how long a verdict about a namespace holds", time, second,
          10 * minute, of_access<&dashboard::AccessOptions::rights_for>},
    Limit{"dashboard.namespaces", "namespaces asked about in a request", count, 1, 65'536,
          of_access<&dashboard::AccessOptions::namespaces_a_look>},
    Limit{"dashboard.reviewTime", "time for a review of a token or of a right", time, 100, minute,
          of_access<&dashboard::AccessOptions::review_time>},
    Limit{"dashboard.streams", "streams of events", count, 1, 4096,
          [](LimitedParts& p) -> Members { return {&p.dashboard.board.most_streams}; }},
    Limit{"dashboard.explanations", "explanations under way, of a viewer", count, 1, 1024,
          [](LimitedParts& p) -> Members { return {&p.dashboard.board.explanations.of_a_viewer}; }},
    Limit{"dashboard.allExplanations", "explanations under way, of all viewers", count, 1, 16'384,
          [](LimitedParts& p) -> Members { return {&p.dashboard.board.explanations.of_all}; }},
    Limit{"simulation.body", "body of POST /v1/simulate", bytes, kib, gib,
          of_simulations<&dashboard::SimulationLimits::body_bytes>},
    Limit{"simulation.objects", "objects of a simulation's workload", count, 1, 1'000'000,
          of_simulations<&dashboard::SimulationLimits::objects>},
    Limit{"simulation.policies", "policies of a simulation", count, 1, 64,
          of_simulations<&dashboard::SimulationLimits::policies>},
    Limit{"simulation.clusterObjects", "objects of the cluster that a simulation reads", count, 1,
          100'000'000, of_simulations<&dashboard::SimulationLimits::cluster_objects>},
    Limit{"simulation.virtualTime", "virtual time of a simulation", time, minute, 366 * day,
          of_simulations<&dashboard::SimulationLimits::virtual_time>},
    Limit{"simulation.time", "time that a simulation may take", time, second, day,
          of_simulations<&dashboard::SimulationLimits::time>},
    Limit{"simulation.memory", "growth of the process during a simulation", bytes, mib, 1024 * gib,
          of_simulations<&dashboard::SimulationLimits::memory_bytes>},
    Limit{"api.headers", "headers of an answer of the API server", bytes, kib, mib,
          [](LimitedParts& p) -> Members { return {&p.api.limits.header_bytes}; }},
    Limit{"api.body", "body of an answer of the API server", bytes, mib, 16 * gib,
          [](LimitedParts& p) -> Members { return {&p.api.limits.body_bytes}; }},
    Limit{"api.line", "line of a watch", bytes, mib, 4 * gib, of_api<&kube::KubeApiOptions::line_bytes>},
    Limit{"api.listPart", "objects of a part of a list", count, 1, 100'000,
          of_api<&kube::KubeApiOptions::list_chunk>},
    Limit{"api.listTime", "time for a part of a list", time, second, 10 * minute,
          of_api<&kube::KubeApiOptions::list_deadline>},
    Limit{"api.watchTime", "time for a watch to begin", time, second, 10 * minute,
          of_api<&kube::KubeApiOptions::watch_deadline>},
    // kube-apiserver sends a bookmark about once a minute.
    Limit{"api.silence", "silence of a watch, after which it is asked for again", time, 61 * second, hour,
          of_api<&kube::KubeApiOptions::watch_silence>},
    Limit{"api.requests", "requests to the API server at a time", count, 8, 4096,
          of_api<&kube::KubeApiOptions::connections>},
    Limit{"record.steps", "steps that wait to be recorded", count, 1, 100'000'000,
          [](LimitedParts& p) -> Members { return {&p.service.record.most_waiting}; }},
    Limit{"record.waiting", "bytes that wait to be recorded, about", bytes, mib, 64 * gib,
          [](LimitedParts& p) -> Members { return {&p.service.record.most_waiting_bytes}; }},
};
// clang-format on

}  // namespace

std::span<const Limit> all_limits() {
  return limits;
}

}  // namespace dray::app
