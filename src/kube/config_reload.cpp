#include "kube/config_reload.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace dray::kube {

namespace asio = boost::asio;

ConfigReload::ConfigReload(asio::io_context& io, ClusterConfig config, Users users, Options options)
    : users_(std::move(users)),
      options_(std::move(options)),
      strand_(asio::make_strand(io)),
      timer_(strand_),
      current_(std::make_shared<const ClusterConfig>(std::move(config))) {}

void ConfigReload::start() {
  if (current()->read_again) asio::co_spawn(strand_, run(shared_from_this()), asio::detached);
}

void ConfigReload::stop() {
  stopped_ = true;
  asio::post(strand_, [self = shared_from_this()] { self->timer_.cancel(); });
}

asio::awaitable<void> ConfigReload::run(std::shared_ptr<ConfigReload> self) {
  while (!self->stopped_) {
    self->timer_.expires_after(self->options_.every);
    co_await self->timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (!self->stopped_) self->look();
  }
}

void ConfigReload::look() {
  const auto used = current();
  auto fresh = used->read_again();
  const auto taken = fresh ? take(*std::move(fresh)) : std::unexpected(fresh.error());
  if (taken && !*taken) {
    reported_.clear();
    return;
  }
  auto text = taken ? used->name + ": read again, new credentials are in use"
                    : used->name + ": read again: " + taken.error().message +
                          "; what was read before stays in use";
  if (std::exchange(reported_, text) != text) notice(text);
}

/// Whether anything is different.
Result<bool> ConfigReload::take(ClusterConfig fresh) {
  const auto used = current();
  if (fresh.server != used->server || fresh.proxy != used->proxy) {
    return fail(ErrorCode::unsupported,
                fmt::format("the server or its proxy is another one ({}, it was {}): restart dray "
                            "to use it",
                            fresh.server.authority(), used->server.authority()));
  }
  const bool new_tls = fresh.tls != used->tls;
  if (new_tls && fresh.server.tls) {
    for (const auto& each : users_.clients) {
      const auto client = each.lock();
      if (client == nullptr) continue;
      if (auto set = client->set_tls(fresh.tls); !set) {
        return std::unexpected(std::move(set.error()));
      }
    }
  }
  const bool new_tokens = users_.tokens->replace(fresh);
  if (!new_tls && !new_tokens) return false;
  current_.store(std::make_shared<const ClusterConfig>(std::move(fresh)));
  return true;
}

void ConfigReload::notice(const std::string& text) const {
  if (options_.on_notice) options_.on_notice(text);
}

}  // namespace dray::kube
