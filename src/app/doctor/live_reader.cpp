#include "app/doctor/live_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "net/http.h"
#include "wire/json/json_reader.h"

namespace dray::app {
namespace {

/// Asks one thing after the other; the first that nobody answers ends it.
class LiveReader {
 public:
  LiveReader(kube::AskNow& api, const std::vector<Installed>& manifests, const Installation& where)
      : api_(api), manifests_(manifests), where_(where) {
    facts_.installed.where = where;
  }

  Result<LiveFacts> run(Time (*now)()) {
    if (auto reached = version(now); !reached) return std::unexpected(std::move(reached.error()));
    installed();
    rights();
    gates();
    kubelets();
    controller_managers();
    scheduler();
    policy_file();
    if (unreachable_) return std::unexpected(*unreachable_);
    return std::move(facts_);
  }

 private:
  void note(std::string what, const Error& error) {
    if (error.code == ErrorCode::unavailable) unreachable_ = error;
    facts_.notes.push_back(fmt::format("{}: {}", what, error.message));
  }

  /// The object there; none: it is not there, or a note says why it cannot be seen.
  std::optional<Tree> object(const std::string& path) {
    if (unreachable_) return std::nullopt;
    const auto text = api_.ask("GET", path);
    if (!text) {
      if (text.error().code != ErrorCode::not_found) note(path, text.error());
      return std::nullopt;
    }
    auto tree = read_tree(*text);
    if (!tree) {
      note(path, tree.error());
      return std::nullopt;
    }
    return *std::move(tree);
  }

  Result<void> version(Time (*now)()) {
    const auto answer = api_.send("GET", "/version");
    if (!answer) return std::unexpected(answer.error());
    facts_.clocks = {.here = now(), .api_server = parse_http_date(answer->date)};
    if (answer->status == 401) {
      return fail(ErrorCode::denied, "the API server does not know who asks (401)");
    }
    if (const auto tree = read_tree(answer->body); tree && answer->status == 200) {
      facts_.versions.api_server = text_at(*tree, {"gitVersion"});
    }
    return {};
  }

  void installed() {
    for (const auto& manifest : manifests_) {
      const bool looked_at = manifest.is_admission() || manifest.kind == "ServiceAccount" ||
                             manifest.kind == "Lease" || manifest.kind == "ConfigMap" ||
                             manifest.api_version.starts_with("flowcontrol.");
      if (!looked_at) continue;
      const auto notes = facts_.notes.size();
      if (auto tree = object(manifest.path())) {
        facts_.installed.found.emplace(manifest.path(), *std::move(tree));
      } else if (facts_.notes.size() > notes) {
        facts_.installed.unknown.insert(manifest.path());
      }
    }
  }

  /// As whom to ask: nobody (ourselves) where we are dray, else dray's account there.
  const Installation* whose_rights() {
    const auto answer = api_.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                                 R"({"apiVersion":"authentication.k8s.io/v1",)"
                                 R"("kind":"SelfSubjectReview"})");
    const auto tree = answer ? read_tree(*answer) : Result<Tree>(Tree());
    const bool is_dray =
        tree && text_at(*tree, {"status", "userInfo", "username"}) == where_.account();
    return is_dray ? nullptr : &where_;
  }

  void rights() {
    const auto* account = whose_rights();
    const auto path = fmt::format("/apis/authorization.k8s.io/v1/{}subjectaccessreviews",
                                  account == nullptr ? "self" : "");
    for (auto& right : needed_rights(manifests_)) {
      if (unreachable_) return;
      const auto answer = api_.ask("POST", path, access_review(right, account));
      if (!answer) return note("the rights of " + where_.account(), answer.error());
      const auto review = read_tree(*answer);
      if (!review || !true_at(*review, {"status", "allowed"})) {
        facts_.missing_rights.push_back(std::move(right));
      }
    }
  }

  void gates() {
    if (unreachable_) return;
    if (auto gates = api_.feature_gates()) {
      facts_.gates = *std::move(gates);
    } else {
      note("feature gates", gates.error());
    }
  }

  void kubelets() {
    std::string token;
    do {
      auto target = std::string("/api/v1/nodes?limit=500");
      if (!token.empty()) target += "&continue=" + net::percent_encode(token);
      if (unreachable_) return;
      const auto text = api_.ask("GET", target);
      if (!text) return note("kubelets", text.error());
      token = take_nodes(*text);
    } while (!token.empty());
  }

  /// Where the list goes on.
  std::string take_nodes(std::string_view json) {
    std::string token;
    wire::Document document(json);
    document.visit([&](const wire::Reader& root) {
      root.fields([&](wire::FieldReader& list) {
        list.object("metadata", [&](wire::FieldReader& meta) { meta.field("continue", token); });
        if (list.member().key() != "items") return;
        list.member().items([&](const wire::Reader& item) { take_node(item); });
      });
    });
    return token;
  }

  void take_node(const wire::Reader& item) {
    std::string name;
    std::string version;
    item.fields([&](wire::FieldReader& node) {
      node.object("metadata", [&](wire::FieldReader& meta) { meta.field("name", name); });
      node.object("status", [&](wire::FieldReader& status) {
        status.object("nodeInfo",
                      [&](wire::FieldReader& info) { info.field("kubeletVersion", version); });
      });
    });
    if (!version.empty()) facts_.versions.kubelets[version].push_back(name);
  }

  void controller_managers() {
    const auto list = object(
        "/api/v1/namespaces/kube-system/pods?labelSelector=component%3Dkube-controller-manager");
    if (list) facts_.controller_managers = items_at(*list, {"items"});
    if (facts_.controller_managers.empty()) {
      facts_.notes.emplace_back(
          "kube-controller-manager: no pod of it in kube-system; see yourself that its "
          "--kube-api-qps is 100 or more");
    }
  }

  void scheduler() {
    const auto deployment =
        object(resource_path("apps/v1", "Deployment", where_.namespace_name) + "/dray-scheduler");
    if (!deployment) return;
    const auto& containers = items_at(*deployment, {"spec", "template", "spec", "containers"});
    if (containers.empty()) return;
    const auto image = text_at(containers.front(), {"image"});
    if (const auto colon = image.rfind(':'); colon != std::string::npos) {
      facts_.versions.scheduler = image.substr(colon + 1);
    }
    const auto file = config_file(containers.front());
    for (const auto& volume : items_at(*deployment, {"spec", "template", "spec", "volumes"})) {
      const auto name = text_at(volume, {"configMap", "name"});
      if (name.empty()) continue;
      const auto map = object(config_map(name));
      if (!map) continue;
      auto text = text_at(*map, {"data", file});
      if (text.empty()) continue;
      facts_.scheduler = {.where = where_.describe("ConfigMap", name) + ": " + file,
                          .text = std::move(text)};
    }
  }

  [[nodiscard]] std::string config_map(const std::string& name) const {
    return resource_path("v1", "ConfigMap", where_.namespace_name) + "/" + name;
  }

  /// The name of the file that --config names.
  static std::string config_file(const Tree& container) {
    for (const auto key : {"command", "args"}) {
      for (const auto& word : items_at(container, {key})) {
        if (!word.text.starts_with("--config=")) continue;
        return word.text.substr(std::max(word.text.rfind('/'), word.text.rfind('=')) + 1);
      }
    }
    return "scheduler.yaml";
  }

  void policy_file() {
    if (const auto map = object(config_map("dray-policy"))) {
      facts_.policy_file = text_at(*map, {"data", "policy.yaml"});
    }
  }

  kube::AskNow& api_;
  const std::vector<Installed>& manifests_;
  const Installation& where_;
  LiveFacts facts_;
  std::optional<Error> unreachable_;
};

}  // namespace

Result<LiveFacts> read_live_facts(kube::AskNow& api, const std::vector<Installed>& manifests,
                                  Time (*now)(), const Installation& where) {
  return LiveReader(api, manifests, where).run(now);
}

std::vector<OtherDray> read_others(kube::AskNow& api, const std::vector<Lease>& leases,
                                   const Installation& where) {
  std::vector<OtherDray> others;
  for (const auto& lease : leases) {
    if (lease.meta.name != "dray" || lease.meta.namespace_name == where.namespace_name) continue;
    OtherDray other;
    other.where.namespace_name = lease.meta.namespace_name;
    const auto text = api.ask("GET", exclusion_path(other.where));
    if (!text) continue;  // a Lease that was left behind, or one of somebody else
    if (const auto tree = read_tree(*text)) {
      other.schedulers = lines_of(text_at(*tree, {"data", "schedulers"}));
    }
    others.push_back(std::move(other));
  }
  return others;
}

}  // namespace dray::app
