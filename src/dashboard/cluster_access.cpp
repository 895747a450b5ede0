#include "dashboard/cluster_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "net/async_event.h"
#include "service/log.h"

namespace dray::dashboard {

namespace asio = boost::asio;

/// What is known of a token.
struct ClusterAccess::Session {
  explicit Session(asio::io_context& io) : turn(io.get_executor()) {}

  /// Whether he may list pods and claims of a namespace.
  struct Right {
    bool given = false;
    Clock::time_point until;
  };

  std::optional<wire::UserInfo> user;  ///< absent: the token was refused, or nobody asked yet
  bool everything = false;
  Clock::time_point known_until{};
  std::map<std::string, Right, std::less<>> rights;  ///< by namespace
  Clock::time_point used{};
  bool busy = false;     ///< somebody asks the API server for it
  net::AsyncEvent turn;  ///< notified when the API server has answered
};

namespace {

constexpr std::string_view claims_group = "resource.k8s.io";

/// A user's name for the log: on one line.
std::string printable(std::string name) {
  std::ranges::replace_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return name;
}

Admission refused(int status, std::string why) {
  Admission admission;
  admission.status = status;
  admission.why = std::move(why);
  admission.viewer.everything = false;
  return admission;
}

}  // namespace

ClusterAccess::ClusterAccess(asio::io_context& io, std::shared_ptr<kube::Reviewer> reviewer,
                             AccessOptions options)
    : io_(io),
      reviewer_(std::move(reviewer)),
      options_(options),
      new_tokens_(options.new_tokens, options.new_tokens_of_all) {}
ClusterAccess::~ClusterAccess() = default;

asio::awaitable<Admission> ClusterAccess::admit(std::string token, std::string from,
                                                std::shared_ptr<const Picture> picture) {
  const auto keep = shared_from_this();
  if (token.empty()) co_return refused(401, "a bearer token is needed");
  if (token.size() > options_.most_token_bytes) co_return refused(401, "that is no token");
  const auto session = session_of(token, from);
  if (!session) co_return refused(503, "too many new tokens come at once; try again");
  while (session->busy) co_await session->turn.wait();
  session->busy = true;
  session->used = Clock::now();
  auto admission = co_await look(session, std::move(token), std::move(picture));
  session->busy = false;
  session->turn.notify_all();
  co_return admission;
}

/// Told once, until there is a verdict again.
Admission ClusterAccess::no_verdict(const Error& error) {
  if (!std::exchange(silent_, true)) {
    service::log_warning("dashboard: the API server gives no verdict: " + error.message);
  }
  return refused(503, "the API server does not say who may look here; try again");
}

/// Null: it is a new one, and too many of them come from there, or from everywhere. Guessing tokens
/// costs the API server a bounded number of reviews.
std::shared_ptr<ClusterAccess::Session> ClusterAccess::session_of(const std::string& token,
                                                                  const std::string& from) {
  if (const auto found = sessions_.find(token); found != sessions_.end()) return found->second;
  if (!new_tokens_.may_ask(from, Clock::now())) return nullptr;
  if (sessions_.size() >= options_.most_tokens) forget_one();
  return sessions_.emplace(token, std::make_shared<Session>(io_)).first->second;
}

/// The one that was refused, else that was used, longest ago.
void ClusterAccess::forget_one() {
  const auto oldest = std::ranges::min_element(sessions_, {}, [](const auto& entry) {
    return std::tuple(entry.second->user.has_value(), entry.second->used);
  });
  if (oldest != sessions_.end()) sessions_.erase(oldest);
}

asio::awaitable<Admission> ClusterAccess::look(std::shared_ptr<Session> session, std::string token,
                                               std::shared_ptr<const Picture> picture) {
  if (session->known_until <= Clock::now()) {
    const auto learned = co_await learn_who(session, std::move(token));
    if (!learned) co_return no_verdict(learned.error());
  }
  if (!session->user) co_return refused(401, "the API server does not know this token");
  Admission admission;
  auto& viewer = admission.viewer;
  viewer.name = session->user->name;
  viewer.everything = session->everything;
  if (viewer.everything) co_return admission;
  const auto unasked = co_await learn_namespaces(session, picture);
  if (!unasked) co_return no_verdict(unasked.error());
  viewer.unasked = *unasked;
  const auto now = Clock::now();
  for (const auto& [name, right] : session->rights) {
    if (right.given && right.until > now) viewer.namespaces.insert(name);
  }
  viewer.queues = queues_of(viewer.namespaces, *picture);
  co_return admission;
}

/// An error leaves him as unknown as he was.
asio::awaitable<Result<void>> ClusterAccess::learn_who(std::shared_ptr<Session> session,
                                                       std::string token) {
  const auto verdict = co_await reviewer_->who(std::move(token));
  if (!verdict) co_return std::unexpected(verdict.error());
  silent_ = false;
  if (!verdict->authenticated) {
    const auto* was = session->user ? "a token is not good any more" : "a token was refused";
    if (session->user || session->known_until == Clock::time_point{}) {
      service::log_warning(fmt::format("dashboard: {}{}{}", was, verdict->error.empty() ? "" : ": ",
                                       printable(verdict->error)));
    }
    session->user.reset();
    session->rights.clear();
    session->known_until = Clock::now() + options_.known_for;
    co_return Result<void>{};
  }
  wire::AccessQuestion page{.verb = "get", .path = "/dashboard"};
  auto everything = co_await reviewer_->may(verdict->user, std::move(page));
  if (!everything) co_return std::unexpected(everything.error());
  if (!*everything) {
    std::string everywhere;
    everything = co_await sees(verdict->user, std::move(everywhere));
    if (!everything) co_return std::unexpected(everything.error());
  }
  if (session->user != verdict->user || session->everything != *everything) {
    session->rights.clear();
    const auto name = printable(verdict->user.name);
    service::log_info(0,
                      fmt::format("dashboard: {} looks, and sees {}", name,
                                  *everything ? "the whole cluster" : "what he may list"),
                      {{"user", name}});
  }
  session->user = verdict->user;
  session->everything = *everything;
  session->known_until = Clock::now() + options_.known_for;
  co_return Result<void>{};
}

/// Whether he may list pods and claims there; an empty namespace: everywhere.
asio::awaitable<Result<bool>> ClusterAccess::sees(wire::UserInfo user, std::string name_space) {
  wire::AccessQuestion pods{.verb = "list", .resource = "pods", .namespace_name = name_space};
  const auto may_pods = co_await reviewer_->may(user, std::move(pods));
  if (!may_pods || !*may_pods) co_return may_pods;
  wire::AccessQuestion claims{.verb = "list",
                              .group = std::string(claims_group),
                              .resource = "resourceclaims",
                              .namespace_name = std::move(name_space)};
  const auto may_claims = co_await reviewer_->may(std::move(user), std::move(claims));
  co_return may_claims;
}

/// Asks about namespaces of the picture whose verdict is over, first those that he saw; how many
/// are left over for the next look.
asio::awaitable<Result<std::size_t>> ClusterAccess::learn_namespaces(
    std::shared_ptr<Session> session, std::shared_ptr<const Picture> picture) {
  auto now = Clock::now();
  const auto& names = picture->namespaces();
  std::erase_if(session->rights,
                [&](const auto& entry) { return !std::ranges::binary_search(names, entry.first); });
  std::vector<std::pair<int, std::string>> open;
  for (const auto& name : names) {
    const auto known = session->rights.find(name);
    if (known == session->rights.end()) {
      open.emplace_back(1, name);
    } else if (known->second.until <= now) {
      open.emplace_back(known->second.given ? 0 : 2, name);
    }
  }
  std::ranges::sort(open);
  const auto asked = std::min(open.size(), options_.namespaces_a_look);
  for (std::size_t i = 0; i < asked; ++i) {
    const auto may = co_await sees(*session->user, open[i].second);
    if (!may) co_return std::unexpected(may.error());
    now = Clock::now();
    session->rights[open[i].second] = {*may, now + options_.rights_for};
  }
  co_return open.size() - asked;
}

Result<Admit> admit_by_cluster(asio::io_context& io, const kube::ClusterConfig& config,
                               const AccessOptions& options) {
  kube::ConfigReload::Options reload;
  reload.on_notice = [](const std::string& what) { service::log_warning("dashboard: " + what); };
  auto reviewer = kube::Reviewer::make(io, config, options.review_time, std::move(reload));
  if (!reviewer) return std::unexpected(std::move(reviewer.error()));
  const auto access = std::make_shared<ClusterAccess>(io, *std::move(reviewer), options);
  return [access](std::string token, std::string from, std::shared_ptr<const Picture> picture) {
    return access->admit(std::move(token), std::move(from), std::move(picture));
  };
}

}  // namespace dray::dashboard
