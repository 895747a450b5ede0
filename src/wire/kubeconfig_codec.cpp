#include "wire/kubeconfig_codec.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wire/json/json_reader.h"
#include "wire/yaml/yaml_json.h"

namespace dray::wire {
namespace {

struct Named {
  std::string name;
  KubeconfigContext fields;  ///< those of its kind are set
  std::string cluster;       ///< of a context
  std::string user;
};

struct File {
  std::string current;
  std::vector<Named> clusters;
  std::vector<Named> users;
  std::vector<Named> contexts;
};

void read_cluster(FieldReader& io, Named& out) {
  io.field("server", out.fields.server);
  io.field("certificate-authority", out.fields.ca_file);
  io.field("certificate-authority-data", out.fields.ca_data);
  io.field("tls-server-name", out.fields.tls_server_name);
  io.field("proxy-url", out.fields.proxy_url);
  io.field("insecure-skip-tls-verify", out.fields.insecure);
}

void read_exec(FieldReader& io, ExecPlugin& out) {
  io.field("apiVersion", out.api_version);
  io.field("command", out.command);
  io.field("args", out.args);
  io.items("env", out.env, [](auto& item, auto& variable) {
    item.field("name", variable.first);
    item.field("value", variable.second);
  });
  io.field("interactiveMode", out.interactive_mode);
  io.field("provideClusterInfo", out.provide_cluster_info);
  io.field("installHint", out.install_hint);
}

void read_user(FieldReader& io, Named& out) {
  io.field("client-certificate", out.fields.certificate_file);
  io.field("client-certificate-data", out.fields.certificate_data);
  io.field("client-key", out.fields.key_file);
  io.field("client-key-data", out.fields.key_data);
  io.field("token", out.fields.token);
  io.field("tokenFile", out.fields.token_file);
  io.object("exec", [&](auto& each) {
    if (!out.fields.exec) out.fields.exec.emplace();
    read_exec(each, *out.fields.exec);
  });
  for (const auto* const login : {"auth-provider", "username", "as"}) {
    if (io.member().key() == login && io.member().raw() != "null") {
      out.fields.other_logins.emplace_back(login);
    }
  }
}

void read_context(FieldReader& io, Named& out) {
  io.field("cluster", out.cluster);
  io.field("user", out.user);
  io.field("namespace", out.fields.namespace_name);
}

using ReadFields = void (*)(FieldReader&, Named&);

void read_list(FieldReader& io, std::string_view list, std::string_view member, ReadFields fields,
               std::vector<Named>& out) {
  io.items(list, out, [&](auto& item, Named& named) {
    item.field("name", named.name);
    item.object(member, [&](auto& each) { fields(each, named); });
  });
}

Result<File> read_file(const KubeconfigText& source) {
  const auto json = yaml_to_json(source.text);
  if (!json) return std::unexpected(json.error());
  if (*json == "null") return fail(ErrorCode::invalid, "is empty");
  File file;
  Document document(*json);
  document.visit([&](const Reader& root) {
    root.fields([&](auto& io) {
      io.field("current-context", file.current);
      read_list(io, "clusters", "cluster", read_cluster, file.clusters);
      read_list(io, "users", "user", read_user, file.users);
      read_list(io, "contexts", "context", read_context, file.contexts);
    });
  });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  for (auto& each : file.clusters) each.fields.cluster_folder = source.folder;
  for (auto& each : file.users) each.fields.user_folder = source.folder;
  return file;
}

/// Behind what earlier files say: the first of a name is found.
void append(File& all, File next) {
  if (all.current.empty()) all.current = std::move(next.current);
  for (const auto list : {&File::clusters, &File::users, &File::contexts}) {
    std::ranges::move(next.*list, std::back_inserter(all.*list));
  }
}

Result<Named> find(const std::vector<Named>& all, std::string_view what, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Named::name);
  if (found != all.end()) return *found;
  return fail(ErrorCode::not_found,
              "has no " + std::string(what) + " named \"" + std::string(name) + "\"");
}

KubeconfigContext joined(const Named& context, const Named& cluster, const Named& user) {
  auto all = user.fields;
  all.name = context.name;
  all.namespace_name = context.fields.namespace_name;
  all.server = cluster.fields.server;
  all.ca_file = cluster.fields.ca_file;
  all.ca_data = cluster.fields.ca_data;
  all.tls_server_name = cluster.fields.tls_server_name;
  all.proxy_url = cluster.fields.proxy_url;
  all.insecure = cluster.fields.insecure;
  all.cluster_folder = cluster.fields.cluster_folder;
  return all;
}

/// The context of that name, or the current one.
Result<KubeconfigContext> choose(const File& file, std::string_view context) {
  const auto wanted = context.empty() ? std::string_view(file.current) : context;
  if (wanted.empty()) return fail(ErrorCode::invalid, "sets no current-context");
  const auto chosen = find(file.contexts, "context", wanted);
  if (!chosen) return std::unexpected(chosen.error());
  const auto cluster = find(file.clusters, "cluster", chosen->cluster);
  if (!cluster) return std::unexpected(cluster.error());
  // A context without a user speaks to a cluster that asks for none (kubectl proxy).
  const auto user =
      chosen->user.empty() ? Result<Named>(Named{}) : find(file.users, "user", chosen->user);
  if (!user) return std::unexpected(user.error());
  if (cluster->fields.server.empty()) {
    return fail(ErrorCode::invalid, "cluster \"" + cluster->name + "\" has no server");
  }
  return joined(*chosen, *cluster, *user);
}

}  // namespace

Result<KubeconfigContext> decode_kubeconfig(std::span<const KubeconfigText> files,
                                            std::string_view context) {
  File all;
  std::string names;
  for (const auto& each : files) {
    auto file = read_file(each);
    if (!file) return std::unexpected(std::move(file.error()).within(each.name));
    append(all, *std::move(file));
    names += (names.empty() ? "" : ", ") + each.name;
  }
  auto chosen = choose(all, context);
  if (!chosen) return std::unexpected(std::move(chosen.error()).within(names));
  return chosen;
}

}  // namespace dray::wire
