#include "kube/config.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "kube/base64.h"
#include "wire/kubeconfig_codec.h"

namespace dray::kube {
namespace {

constexpr auto token_read_every = std::chrono::seconds(30);

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return fail(ErrorCode::not_found, path + ": cannot be read");
  return text;
}

std::string trimmed(std::string text) {
  while (!text.empty() && std::string_view(" \t\r\n").contains(text.back())) text.pop_back();
  return text;
}

/// A field that may stand in the file itself, in base64, or in another file. Data wins, as in
/// client-go.
struct Material {
  const char* name;
  const std::string& data;
  const std::string& file;
  std::string& out;
};

Result<void> load(const Material& what, const std::filesystem::path& folder) {
  if (what.data.empty() && what.file.empty()) return {};
  auto text =
      what.data.empty() ? read_file((folder / what.file).string()) : decode_base64(what.data);
  if (!text) return std::unexpected(std::move(text.error()).within(what.name));
  what.out = std::move(*text);
  return {};
}

Result<void> check_supported(const wire::KubeconfigContext& context) {
  for (const auto& login : context.other_logins) {
    return fail(
        ErrorCode::unsupported,
        "user: " + login + " is not supported: use a client certificate, a token or a token file");
  }
  if (!context.proxy_url.empty()) {
    return fail(ErrorCode::unsupported, "cluster: proxy-url is not supported");
  }
  return {};
}

Result<ClusterConfig> resolve(const wire::KubeconfigContext& context,
                              const std::filesystem::path& folder) {
  if (auto ok = check_supported(context); !ok) return std::unexpected(std::move(ok.error()));
  ClusterConfig config;
  auto url = net::Url::parse(context.server);
  if (!url) return std::unexpected(std::move(url.error()).within("cluster: server"));
  config.server = std::move(*url);
  for (const auto& material : {
           Material{"certificate-authority", context.ca_data, context.ca_file, config.tls.ca},
           Material{"client-certificate", context.certificate_data, context.certificate_file,
                    config.tls.certificate},
           Material{"client-key", context.key_data, context.key_file, config.tls.key},
       }) {
    if (auto ok = load(material, folder); !ok) return std::unexpected(std::move(ok.error()));
  }
  if (config.tls.certificate.empty() != config.tls.key.empty()) {
    return fail(ErrorCode::invalid, "user: a client certificate and its key belong together");
  }
  config.tls.server_name = context.tls_server_name;
  config.tls.verify = !context.insecure;
  config.token = context.token;
  if (!context.token_file.empty()) config.token_file = (folder / context.token_file).string();
  config.namespace_name = context.namespace_name;
  if (context.insecure) {
    config.warnings.push_back("insecure-skip-tls-verify: anybody may pose as the API server");
  }
  if (!config.server.tls && !(config.token.empty() && config.token_file.empty())) {
    config.warnings.push_back("the token is sent over plain http");
  }
  return config;
}

}  // namespace

Result<ClusterConfig> load_kubeconfig(const std::string& path, std::string_view context) {
  const auto where = "kubeconfig " + path;
  const auto text = read_file(path);
  if (!text) return std::unexpected(Error(text.error()).within("kubeconfig"));
  const auto decoded = wire::decode_kubeconfig(*text, context);
  if (!decoded) return std::unexpected(Error(decoded.error()).within(where));
  auto config = resolve(*decoded, std::filesystem::path(path).parent_path());
  if (!config) return std::unexpected(std::move(config.error()).within(where));
  return config;
}

Result<ClusterConfig> in_cluster_config(const GetEnv& getenv, const std::string& folder) {
  const auto host = getenv("KUBERNETES_SERVICE_HOST");
  const auto port = getenv("KUBERNETES_SERVICE_PORT");
  if (!host || host->empty() || !port || port->empty()) {
    return fail(ErrorCode::not_found,
                "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are unset");
  }
  ClusterConfig config;
  const bool v6 = host->contains(':');
  auto url = net::Url::parse("https://" + (v6 ? "[" + *host + "]" : *host) + ":" + *port);
  if (!url) return std::unexpected(std::move(url.error()).within("in-cluster"));
  config.server = std::move(*url);
  auto ca = read_file(folder + "/ca.crt");
  if (!ca) return std::unexpected(std::move(ca.error()).within("in-cluster"));
  if (ca->empty()) return fail(ErrorCode::invalid, "in-cluster: " + folder + "/ca.crt is empty");
  config.tls.ca = std::move(*ca);
  config.token_file = folder + "/token";
  if (auto token = read_file(config.token_file); !token) {
    return std::unexpected(std::move(token.error()).within("in-cluster"));
  }
  config.namespace_name = trimmed(read_file(folder + "/namespace").value_or(""));
  return config;
}

std::string TokenSource::token(Clock::time_point now) {
  if (file_.empty()) return fixed_;
  const std::lock_guard lock(mutex_);
  if (!read_at_ || now - *read_at_ >= token_read_every) {
    read_at_ = now;
    auto text = trimmed(read_file(file_).value_or(""));
    if (!text.empty()) current_ = std::move(text);
  }
  return current_;
}

void TokenSource::refused() {
  const std::lock_guard lock(mutex_);
  read_at_.reset();
}

}  // namespace dray::kube
