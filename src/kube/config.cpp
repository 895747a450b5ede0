#include "kube/config.h"

#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <utility>

#include "net/file.h"
#include "wire/base64.h"
#include "wire/kubeconfig_codec.h"

namespace dray::kube {
namespace {

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
  const std::filesystem::path& folder;
  std::string& out;
};

Result<void> load(const Material& what) {
  if (what.data.empty() && what.file.empty()) return {};
  auto text = what.data.empty() ? net::read_file((what.folder / what.file).string())
                                : wire::decode_base64(what.data);
  if (!text) return std::unexpected(std::move(text.error()).within(what.name));
  what.out = std::move(*text);
  return {};
}

Result<void> check_supported(const wire::KubeconfigContext& context) {
  for (const auto& login : context.other_logins) {
    return fail(ErrorCode::unsupported,
                "user: " + login + " is not supported: use a client certificate, a token or exec");
  }
  return {};
}

Result<ClusterConfig> resolve(const wire::KubeconfigContext& context) {
  const std::filesystem::path of_cluster = context.cluster_folder;
  const std::filesystem::path of_user = context.user_folder;
  if (auto ok = check_supported(context); !ok) return std::unexpected(std::move(ok.error()));
  ClusterConfig config;
  auto url = net::Url::parse(context.server);
  if (!url) return std::unexpected(std::move(url.error()).within("cluster: server"));
  config.server = std::move(*url);
  if (!context.proxy_url.empty()) {
    auto proxy = net::Proxy::parse(context.proxy_url);
    if (!proxy) return std::unexpected(std::move(proxy.error()).within("cluster: proxy-url"));
    config.proxy = *std::move(proxy);
  }
  for (const auto& material : {
           Material{"certificate-authority", context.ca_data, context.ca_file, of_cluster,
                    config.tls.ca},
           Material{"client-certificate", context.certificate_data, context.certificate_file,
                    of_user, config.tls.certificate},
           Material{"client-key", context.key_data, context.key_file, of_user, config.tls.key},
       }) {
    if (auto ok = load(material); !ok) return std::unexpected(std::move(ok.error()));
  }
  if (config.tls.certificate.empty() != config.tls.key.empty()) {
    return fail(ErrorCode::invalid, "user: a client certificate and its key belong together");
  }
  config.tls.server_name = context.tls_server_name;
  config.tls.verify = !context.insecure;
  config.token = context.token;
  if (!context.token_file.empty()) config.token_file = (of_user / context.token_file).string();
  // As client-go: a token that is written down comes first.
  if (context.exec && config.token.empty() && config.token_file.empty()) {
    config.exec = std::make_shared<const ExecLogin>(context, config.tls.ca);
  }
  for (const auto& [folder, file] :
       {std::pair{&of_cluster, &context.ca_file}, std::pair{&of_user, &context.certificate_file},
        std::pair{&of_user, &context.key_file}, std::pair{&of_user, &context.token_file}}) {
    if (!file->empty()) config.files.push_back((*folder / *file).string());
  }
  config.namespace_name = context.namespace_name;
  if (context.insecure) {
    config.warnings.push_back("insecure-skip-tls-verify: anybody may pose as the API server");
  }
  const bool tokens = !config.token.empty() || !config.token_file.empty() || config.exec;
  if (!config.server.tls && tokens) {
    config.warnings.push_back("the token is sent over plain http");
  }
  return config;
}

}  // namespace

Result<ClusterConfig> load_kubeconfig(const std::string& path, std::string_view context) {
  return load_kubeconfig(std::span(&path, 1), context);
}

namespace {

/// Without running a plugin.
Result<ClusterConfig> read_kubeconfig(std::span<const std::string> paths,
                                      std::string_view context) {
  std::vector<wire::KubeconfigText> files;
  std::string names;
  for (const auto& path : paths) {
    auto text = net::read_file(path);
    if (!text) return std::unexpected(Error(text.error()).within("kubeconfig"));
    files.push_back({"kubeconfig " + path, std::filesystem::path(path).parent_path().string(),
                     *std::move(text)});
    names += (names.empty() ? "kubeconfig " : ", ") + path;
  }
  const auto decoded = wire::decode_kubeconfig(files, context);
  if (!decoded) return std::unexpected(decoded.error());
  auto config = resolve(*decoded);
  if (!config) return std::unexpected(std::move(config.error()).within(names));
  config->read_again = [paths = std::vector<std::string>(paths.begin(), paths.end()),
                        context = std::string(context)] { return read_kubeconfig(paths, context); };
  config->name = std::move(names);
  config->files.insert(config->files.end(), paths.begin(), paths.end());
  return config;
}

}  // namespace

Result<ClusterConfig> load_kubeconfig(std::span<const std::string> paths,
                                      std::string_view context) {
  auto config = read_kubeconfig(paths, context);
  if (!config || !config->exec) return config;
  // Now, so that what is wrong with it is an error here.
  auto given = config->exec->run(plugin_time);
  if (!given) return std::unexpected(std::move(given.error()).within(config->name));
  config->given = *std::move(given);
  return config;
}

namespace {

bool in_pod(const GetEnv& getenv) {
  return !getenv("KUBERNETES_SERVICE_HOST").value_or("").empty();
}

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> usual_kubeconfigs(const GetEnv& getenv) {
  std::vector<std::string> named;
  const auto listed = getenv("KUBECONFIG");
  if (listed && !listed->empty()) {
    for (const auto part : std::views::split(*listed, ':')) {
      named.emplace_back(std::string_view(part));
    }
  } else if (const auto home = getenv("HOME"); home && !home->empty()) {
    named.push_back(*home + "/.kube/config");
  }
  std::erase_if(named, [](const std::string& path) {
    std::error_code unknown;
    return path.empty() || !std::filesystem::exists(path, unknown);
  });
  return named;
}

bool has_usual_config(const GetEnv& getenv) {
  return in_pod(getenv) || !usual_kubeconfigs(getenv).empty();
}

Result<ClusterConfig> usual_config(const GetEnv& getenv, std::string_view context) {
  if (context.empty() && in_pod(getenv)) return in_cluster_config(getenv);
  const auto paths = usual_kubeconfigs(getenv);
  if (!paths.empty()) return load_kubeconfig(paths, context);
  return fail(ErrorCode::not_found,
              "which cluster? This is no pod (KUBERNETES_SERVICE_HOST is unset), and there is no "
              "file of $KUBECONFIG and no ~/.kube/config; give --kubeconfig FILE");
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
  auto ca = net::read_file(folder + "/ca.crt");
  if (!ca) return std::unexpected(std::move(ca.error()).within("in-cluster"));
  if (ca->empty()) return fail(ErrorCode::invalid, "in-cluster: " + folder + "/ca.crt is empty");
  config.tls.ca = std::move(*ca);
  config.token_file = folder + "/token";
  if (auto token = net::read_file(config.token_file); !token) {
    return std::unexpected(std::move(token.error()).within("in-cluster"));
  }
  config.namespace_name = trimmed(net::read_file(folder + "/namespace").value_or(""));
  config.name = "in-cluster";
  config.files = {folder + "/ca.crt", config.token_file};
  config.read_again = [getenv, folder] { return in_cluster_config(getenv, folder); };
  return config;
}

}  // namespace dray::kube
