#include "app/simulate/ask_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "app/common/files.h"
#include "app/common/object_list.h"
#include "app/common/policy_file.h"
#include "app/simulate/pods_play.h"
#include "app/simulate/sources.h"
#include "kube/config.h"
#include "kube/token_source.h"
#include "net/http_client.h"
#include "net/url.h"
#include "report/jobs_report.h"
#include "wire/json/json_reader.h"
#include "wire/json/json_writer.h"
#include "wire/yaml/duration.h"

namespace dray::app {
namespace {

namespace asio = boost::asio;

constexpr auto head_within = std::chrono::seconds(30);
/// It says how far it is every second, while it plays; a plan that takes long says nothing.
constexpr auto line_within = std::chrono::minutes(5);

Result<void> refuse_local_flags(const SimulateFlags& flags) {
  const auto refuse = [](const char* flag) {
    return fail(ErrorCode::invalid, std::string(flag) + ": not with --server (docs/simulator.md)");
  };
  if (!flags.cluster.empty()) return refuse("--cluster");
  if (!flags.draw_queues.empty()) return refuse("--draw-queues");
  if (!flags.columns.empty()) return refuse("--columns");
  if (!flags.shard.empty()) return refuse("--shard");
  if (flags.repeat != 1) return refuse("--repeat");
  if (flags.workload.empty() || parse_source(flags.workload).form == "pods") return {};
  return fail(ErrorCode::invalid,
              "--workload " + flags.workload + ": --server plays pods alone: expected pods:FILE");
}

/// The file is held to be valid here, so that what is wrong with it is told with its name.
Result<void> write_policy(wire::JsonWriter& json, const std::string& name) {
  json.begin_object();
  if (name == "none") {
    json.key("policy");
    json.string("none");
  } else if (name != "in-force") {
    auto text = read_file(name);
    if (!text) return std::unexpected(std::move(text.error()));
    if (auto valid = load_policy(name); !valid) return std::unexpected(std::move(valid.error()));
    json.key("name");
    json.string(std::filesystem::path(name).stem().string());
    json.key("policy");
    json.string(*text);
  }
  json.end_object();
  return {};
}

Result<void> write_workload(wire::JsonWriter& json, const std::string& workload) {
  auto objects = load_brought(parse_source(workload).path);
  if (!objects) return std::unexpected(std::move(objects.error()));
  json.key("workload");
  json.raw(object_list(*objects));
  return {};
}

Result<std::string> question_of(const SimulateFlags& flags) {
  wire::JsonWriter json;
  json.begin_object();
  if (!flags.workload.empty()) {
    if (auto wrote = write_workload(json, flags.workload); !wrote) {
      return std::unexpected(std::move(wrote.error()));
    }
  }
  json.key("policies");
  json.begin_list();
  for (const auto& policy : flags.policies) {
    if (auto wrote = write_policy(json, policy); !wrote) {
      return std::unexpected(std::move(wrote.error()));
    }
  }
  json.end_list();
  const auto times = times_of(flags);
  if (!times) return std::unexpected(times.error());
  const auto time = [&](std::string_view key, const std::optional<Duration>& value) {
    if (!value) return;
    json.key(key);
    json.string(wire::format_duration(*value));
  };
  time("until", times->until);
  time("apart", times->apart);
  time("runTime", times->run_time);
  time("planPause", times->plan_pause);
  json.key("backlog");
  json.boolean(flags.backlog);
  json.key("seed");
  json.integer(static_cast<std::int64_t>(flags.seed));
  json.key("output");
  json.string(flags.output);
  json.end_object();
  return std::move(json).take();
}

/// What an answer without a simulation means.
Error refusal_of(int status, std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  if (status == 401) text += "; name who asks with --token-file FILE or --kubeconfig FILE";
  const auto code = status == 400 || status == 413   ? ErrorCode::invalid
                    : status == 401 || status == 403 ? ErrorCode::denied
                                                     : ErrorCode::unavailable;
  if (status == 404 || status == 405) text = "no dray that simulates (" + text + ")";
  return {code, text.empty() ? fmt::format("answers {}", status) : std::move(text)};
}

ErrorCode code_of(std::string_view text) {
  for (const auto code : {ErrorCode::unavailable, ErrorCode::denied, ErrorCode::unsupported}) {
    if (name(code) == text) return code;
  }
  return ErrorCode::invalid;
}

/// Prints the lines of an answer.
class Printer {
 public:
  ~Printer() { clear(); }
  Printer() = default;
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  /// An Error: the line is one, or none that is known.
  Result<void> take(const std::string& line) {
    Result<void> taken;
    wire::Document document(line);
    document.visit([&](const wire::Reader& root) {
      root.members([&](const wire::Reader& member) { taken = take_member(member, line); });
    });
    if (!document.problem()) return taken;
    return std::unexpected(document.problem()->to_error().within("its answer"));
  }
  [[nodiscard]] bool is_whole() const { return whole_; }

 private:
  Result<void> take_member(const wire::Reader& member, const std::string& line) {
    if (member.key() == "progress") {
      show(member);
      return {};
    }
    clear();
    if (member.key() == "error") {
      Error error{ErrorCode::invalid, ""};
      member.members([&](const wire::Reader& part) {
        if (part.key() == "code") error.code = code_of(part.string());
        if (part.key() == "message") error.message = part.string();
      });
      return std::unexpected(std::move(error));
    }
    if (member.key() == "note") {
      fmt::print(stderr, "dray simulate: note: {}\n", member.string());
    } else if (member.key() == "text") {
      std::fputs(member.string().c_str(), stdout);
      whole_ = true;
    } else {
      std::fputs((line + "\n").c_str(), stdout);
      whole_ = whole_ || member.key() == "runs";
    }
    return {};
  }

  void show(const wire::Reader& progress) {
    if (!terminal_) return;
    std::string policy;
    std::int64_t run = 0;
    std::int64_t runs = 0;
    std::string time;
    std::int64_t created = 0;
    std::int64_t bound = 0;
    progress.fields([&](wire::FieldReader& io) {
      io.field("policy", policy);
      io.field("run", run);
      io.field("runs", runs);
      io.raw("time", time);
      io.field("created", created);
      io.field("bound", bound);
    });
    fmt::print(stderr, "\r\x1b[K{} ({} of {}): {} of virtual time, {} of {} pods bound", policy,
               run, runs, report::time_text(std::strtod(time.c_str(), nullptr)), bound, created);
    shown_ = true;
  }
  void clear() {
    if (std::exchange(shown_, false)) std::fputs("\r\x1b[K", stderr);
  }

  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
  bool whole_ = false;
};

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// The bearer token of who asks; empty: nobody was named.
Result<std::string> token_of(const SimulateFlags& flags, const net::Url& url) {
  const bool named = !flags.token_file.empty() || !flags.kubeconfig.empty();
  if (!named) return std::string();
  if (!url.tls && !is_loopback(url.host)) {
    return fail(ErrorCode::invalid,
                "--server " + flags.server +
                    ": a token goes over https, or to this host alone: write https://, with "
                    "--ca-file where the system does not know the certificate's authority");
  }
  if (!flags.token_file.empty()) {
    auto token = read_file(flags.token_file);
    if (!token) return std::unexpected(std::move(token.error()).within("--token-file"));
    while (token->ends_with('\n') || token->ends_with('\r')) token->pop_back();
    if (!token->empty() && token->find_first_of(" \t\r\n") == std::string::npos) return token;
    return fail(ErrorCode::invalid, "--token-file " + flags.token_file + ": expected one token");
  }
  const auto config = kube::load_kubeconfig(flags.kubeconfig);
  if (!config) return std::unexpected(Error(config.error()).within("--kubeconfig"));
  auto token = kube::TokenSource(*config).token(std::chrono::steady_clock::now());
  if (!token.empty()) return token;
  return fail(ErrorCode::invalid, "--kubeconfig " + flags.kubeconfig +
                                      ": its user has no token, and dray's dashboard asks for one "
                                      "(kubectl create token NAME > FILE, and --token-file FILE)");
}

asio::awaitable<Result<void>> converse(std::shared_ptr<net::HttpClient> client,
                                       net::HttpRequest request, std::shared_ptr<Printer> printer) {
  auto opened = co_await client->open(std::move(request), head_within);
  if (!opened) co_return std::unexpected(std::move(opened.error()));
  const auto stream = *std::move(opened);
  if (stream->head().status != 200) {
    auto text = co_await stream->rest(head_within);
    co_return std::unexpected(refusal_of(stream->head().status, text ? *std::move(text) : ""));
  }
  for (;;) {
    auto lines = co_await stream->lines(line_within);
    if (!lines) co_return std::unexpected(std::move(lines.error()));
    if (lines->empty()) break;
    for (const auto& line : *lines) {
      if (auto taken = printer->take(line); !taken) co_return taken;
    }
  }
  if (!printer->is_whole()) co_return fail(ErrorCode::unavailable, "its answer ended too early");
  co_return Result<void>{};
}

}  // namespace

Result<void> ask_server(const SimulateFlags& flags) {
  if (auto plain = refuse_local_flags(flags); !plain) return plain;
  const auto url = net::Url::parse(flags.server);
  if (!url) return std::unexpected(Error(url.error()).within("--server " + flags.server));
  const auto token = token_of(flags, *url);
  if (!token) return std::unexpected(token.error());
  net::HttpClientOptions options;
  options.base = *url;
  if (!flags.ca_file.empty()) {
    auto authorities = read_file(flags.ca_file);
    if (!authorities) return std::unexpected(std::move(authorities.error()).within("--ca-file"));
    options.tls.ca = *std::move(authorities);
  }
  auto question = question_of(flags);
  if (!question) return std::unexpected(std::move(question.error()));
  net::HttpRequest request;
  request.method = "POST";
  request.target = "/v1/simulate";
  request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "dray"}};
  if (!token->empty()) request.headers.push_back({"Authorization", "Bearer " + *token});
  request.body = *std::move(question);
  asio::io_context io;
  auto client = net::HttpClient::make(io, options);
  if (!client) return std::unexpected(std::move(client.error()));
  auto answered = asio::co_spawn(
      io, converse(*std::move(client), std::move(request), std::make_shared<Printer>()),
      asio::use_future);
  while (answered.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io.run_one();
  auto result = answered.get();
  if (result) return {};
  return std::unexpected(std::move(result.error()).within("the dray at " + flags.server));
}

}  // namespace dray::app
