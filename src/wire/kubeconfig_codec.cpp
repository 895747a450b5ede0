#include "wire/kubeconfig_codec.h"

#include <algorithm>
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

void read_user(FieldReader& io, Named& out) {
  io.field("client-certificate", out.fields.certificate_file);
  io.field("client-certificate-data", out.fields.certificate_data);
  io.field("client-key", out.fields.key_file);
  io.field("client-key-data", out.fields.key_data);
  io.field("token", out.fields.token);
  io.field("tokenFile", out.fields.token_file);
  for (const auto* const login : {"exec", "auth-provider", "username", "as"}) {
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

Result<File> read_file(std::string_view text) {
  const auto json = yaml_to_json(text);
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
  return file;
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
  return all;
}

}  // namespace

Result<KubeconfigContext> decode_kubeconfig(std::string_view text, std::string_view context) {
  const auto file = read_file(text);
  if (!file) return std::unexpected(file.error());
  const auto wanted = context.empty() ? std::string_view(file->current) : context;
  if (wanted.empty()) return fail(ErrorCode::invalid, "sets no current-context");
  const auto chosen = find(file->contexts, "context", wanted);
  if (!chosen) return std::unexpected(chosen.error());
  const auto cluster = find(file->clusters, "cluster", chosen->cluster);
  if (!cluster) return std::unexpected(cluster.error());
  // A context without a user speaks to a cluster that asks for none (kubectl proxy).
  const auto user =
      chosen->user.empty() ? Result<Named>(Named{}) : find(file->users, "user", chosen->user);
  if (!user) return std::unexpected(user.error());
  if (cluster->fields.server.empty()) {
    return fail(ErrorCode::invalid, "cluster \"" + cluster->name + "\" has no server");
  }
  return joined(*chosen, *cluster, *user);
}

}  // namespace dray::wire
