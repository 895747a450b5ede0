#pragma once

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kube/kube_api.h"
#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::kube::testing {

using namespace std::chrono_literals;
using net::HttpRequest;
using net::HttpResponse;
using net::testing::Loop;
namespace asio = boost::asio;

inline std::string pod_json(const std::string& name, const std::string& version) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default","name":")" + name +
         R"(","uid":"uid-)" + name + R"(","resourceVersion":")" + version + R"("}})";
}
inline std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
inline std::string list_json(const std::string& items, const std::string& version,
                             const std::string& token = "") {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"(","continue":")" + token + R"("},"items":[)" + items + "]}";
}
inline std::string status_json(int code) {
  return R"({"kind":"Status","apiVersion":"v1","code":)" + std::to_string(code) +
         R"(,"message":"scripted"})";
}

/// A watch's lines; then it hangs, unless `ends`.
struct Stream {
  std::vector<std::string> lines;
  bool ends = false;
  int status = 200;  ///< else there is no stream, but this answer
};

/// An API server that plays scripts: by `VERB path` (watches: `WATCH path`) the answers in order,
/// the last one again and again. Without a script: an empty list, a silent watch, 404.
struct Script {
  std::mutex mutex;
  std::map<std::string, std::deque<HttpResponse>> answers;
  std::map<std::string, std::deque<Stream>> streams;
  std::vector<HttpRequest> seen;
  std::function<void()> on_request;  ///< fixed before requests come

  HttpResponse answer(const HttpRequest& request);
  std::vector<HttpRequest> requests(const std::string& verb, const std::string& path) {
    const std::lock_guard lock(mutex);
    std::vector<HttpRequest> found;
    for (const auto& request : seen) {
      if (request.method == verb && request.path() == path) found.push_back(request);
    }
    return found;
  }
};

inline asio::awaitable<void> play(Stream stream, std::shared_ptr<net::BodySink> sink) {
  for (const auto& line : stream.lines) {
    if (!co_await sink->write(line)) co_return;
  }
  if (stream.ends) co_return;
  asio::steady_timer forever(co_await asio::this_coro::executor, 1h);
  co_await forever.async_wait(asio::use_awaitable);
}

template <class T>
T next_of(std::deque<T>& script) {
  T next = script.front();
  if (script.size() > 1) script.pop_front();
  return next;
}

inline HttpResponse Script::answer(const HttpRequest& request) {
  const std::lock_guard lock(mutex);
  seen.push_back(request);
  if (on_request) on_request();
  const auto path = std::string(request.path());
  if (request.query("watch")) {
    const auto found = streams.find(path);
    const auto stream = found == streams.end() ? Stream{} : next_of(found->second);
    if (stream.status != 200) return net::json_response(stream.status, status_json(stream.status));
    HttpResponse response = net::json_response(200, "");
    response.stream = [stream](std::shared_ptr<net::BodySink> sink) {
      return play(stream, std::move(sink));
    };
    return response;
  }
  const auto found = answers.find(request.method + " " + path);
  if (found != answers.end()) return next_of(found->second);
  return request.method == "GET" ? net::json_response(200, list_json("", "1"))
                                 : net::json_response(404, status_json(404));
}

inline asio::awaitable<HttpResponse> answer_from(std::shared_ptr<Script> script,
                                                 HttpRequest request) {
  co_return script->answer(request);
}

/// `Pod p0` for a change, `-Pod p0` for an end, `synced`.
struct Heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> events;

  void tell(const WatchEvent& event) {
    const std::lock_guard lock(mutex);
    if (const auto* change = std::get_if<cluster::ObjectChanged>(&event)) {
      const auto& meta = meta_of(change->object);
      events.push_back(meta.name + "/" + meta.resource_version.get());
    } else if (const auto* bad = std::get_if<cluster::ObjectUnreadable>(&event)) {
      const auto& meta = meta_of(bad->object);
      events.push_back("?" + meta.name + "/" + meta.resource_version.get());
    } else if (const auto* gone = std::get_if<cluster::ObjectGone>(&event)) {
      events.push_back("-" + gone->name);
    } else {
      events.emplace_back("synced");
    }
    changed.notify_all();
  }
  bool hears(const std::string& event) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s,
                            [&] { return std::ranges::find(events, event) != events.end(); });
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex);
    return events;
  }
};

/// A KubeApi before an API server that plays a script.
struct Cluster {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
  Loop loop;
  net::HttpServer server{loop.io, {}, [script = script](HttpRequest request) {
                           return answer_from(script, std::move(request));
                         }};
  ClusterConfig config;
  KubeApiOptions options;
  std::unique_ptr<KubeApi> api;

  void start() {
    config.server = {false, "127.0.0.1", server.listen().value(), ""};
    api = KubeApi::make(loop.io, config, options).value();
  }
  void watch() {
    start();
    api->watch([heard = heard](WatchEvent event) { heard->tell(event); });
  }
  ~Cluster() { loop.stop(); }
  Cluster() = default;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  engine::WriteOutcome write(engine::Write write, Permit permit = {}) {
    return loop.run(api->write(std::move(write), {std::move(permit)}));
  }
  void answers(const std::string& request, std::deque<HttpResponse> with) {
    const std::lock_guard lock(script->mutex);
    script->answers[request] = std::move(with);
  }
};

inline constexpr auto pods = "/api/v1/pods";
inline constexpr auto claims = "/apis/resource.k8s.io/v1/resourceclaims";
inline constexpr auto claim_path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c0";
using Events = std::vector<std::string>;

inline std::string claim_json(const std::string& version, const std::string& users) {
  return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"namespace":"default","name":"c0","uid":"u1","resourceVersion":")" +
         version +
         R"("},"spec":{"devices":{}},"status":{"allocation":{"devices":{"results":[]}},"reservedFor":[)" +
         users + "]}}";
}
inline constexpr auto our_user = R"({"resource":"pods","name":"p0","uid":"u2"})";
inline const engine::Write release =
    engine::ReleaseClaim{{"default", "c0"}, Uid("u1"), Uid("u2"), true};

}  // namespace dray::kube::testing
