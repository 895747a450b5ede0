#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/http_server.h"
#include "net/own_thread.h"

namespace dray::commands_test {

/// An API server as far as `dray serve` asks one: lists are what they were set to, watches say
/// nothing and stay open, and what is written is answered as if it had been done. On loopback.
class FakeApi {
 public:
  /// What a list of each path (`/api/v1/pods`) has: objects of JSON with their kinds.
  using Lists = std::map<std::string, std::string>;

  /// `status` answers all that is asked, if it is not 200.
  explicit FakeApi(net::HttpServerOptions options = {}, int status = 200, Lists lists = {});
  ~FakeApi();
  FakeApi(const FakeApi&) = delete;
  FakeApi& operator=(const FakeApi&) = delete;

  /// From now on Bindings are answered once they may be. How many wait.
  void hold_bindings(bool hold) const;
  [[nodiscard]] int held_bindings() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Values of the header Authorization that came.
  [[nodiscard]] std::vector<std::string> logins() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
  net::OwnThread thread_;
  std::unique_ptr<net::HttpServer> server_;
  std::uint16_t port_ = 0;
};

/// A kubeconfig for it, whose user is this YAML mapping.
[[nodiscard]] std::string kubeconfig_text(const std::string& server, const std::string& user,
                                          const std::string& more_of_cluster = {});

}  // namespace dray::commands_test
