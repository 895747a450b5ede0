#include "kube/exec_login.h"

#include <filesystem>
#include <utility>

#include "kube/program_output.h"

namespace dray::kube {
namespace {

Result<void> check(const wire::ExecPlugin& plugin) {
  if (plugin.command.empty()) return fail(ErrorCode::invalid, "has no command");
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return fail(ErrorCode::unsupported,
                "apiVersion \"" + plugin.api_version +
                    "\" is not supported: write client.authentication.k8s.io/v1 or v1beta1");
  }
  if (plugin.interactive_mode == "Always") {
    return fail(ErrorCode::unsupported,
                "interactiveMode Always is not supported: dray has no terminal for it");
  }
  return {};
}

}  // namespace

ExecLogin::ExecLogin(wire::KubeconfigContext context, std::string_view ca)
    : context_(std::move(context)), info_(wire::encode_exec_info(context_, ca)) {}

Result<wire::ExecCredential> ExecLogin::run(std::chrono::milliseconds at_most,
                                            const std::stop_token& stop) const {
  const auto& plugin = *context_.exec;
  const auto where = "user: exec: " + plugin.command;
  if (auto ok = check(plugin); !ok) return std::unexpected(std::move(ok.error()).within(where));
  std::vector<std::string> words{plugin.command};
  // As client-go: a path is the kubeconfig's, a name is looked for in PATH.
  if (plugin.command.contains('/')) {
    words.front() = (std::filesystem::path(context_.user_folder) / plugin.command).string();
  }
  words.insert(words.end(), plugin.args.begin(), plugin.args.end());
  auto variables = plugin.env;
  variables.emplace_back("KUBERNETES_EXEC_INFO", info_);
  const auto text = program_output(words, variables, at_most, stop);
  if (!text) {
    auto error = Error(text.error());
    const bool missing = error.code == ErrorCode::not_found;
    if (missing && !plugin.install_hint.empty()) error.message += "\n" + plugin.install_hint;
    return std::unexpected(std::move(error).within(where));
  }
  auto credential = wire::decode_exec_credential(*text, plugin.api_version);
  if (!credential) return std::unexpected(std::move(credential.error()).within(where));
  if (credential->token.empty()) {
    return credential->has_certificate
               ? fail(ErrorCode::unsupported,
                      where + ": gives a client certificate; only tokens are supported")
               : fail(ErrorCode::invalid, where + ": gives no token");
  }
  return credential;
}

}  // namespace dray::kube
