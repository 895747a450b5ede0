#include "app/doctor/rights.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/json/json_writer.h"

namespace dray::app {
namespace {

/// A rule's list; one empty text where it is not there, so that it multiplies by one.
std::vector<std::string> texts_or_one(const Tree& rule, std::string_view key) {
  std::vector<std::string> texts;
  for (const auto& item : items_at(rule, {key})) texts.push_back(item.text);
  if (texts.empty()) texts.emplace_back();
  return texts;
}

void add_rule(std::vector<Right>& rights, const Tree& rule, const std::string& namespace_name) {
  for (const auto& path : texts_or_one(rule, "nonResourceURLs")) {
    for (const auto& group : texts_or_one(rule, "apiGroups")) {
      for (const auto& resource : texts_or_one(rule, "resources")) {
        for (const auto& name : texts_or_one(rule, "resourceNames")) {
          for (const auto& verb : texts_or_one(rule, "verbs")) {
            rights.push_back({.verb = verb,
                              .group = group,
                              .resource = resource,
                              .name = name,
                              .namespace_name = namespace_name,
                              .path = path});
          }
        }
      }
    }
  }
}

bool is_drays_role(const Installed& object) {
  // Those of kube-scheduler's account are the cluster's own, but for its Lease.
  return object.kind == "ClusterRole" || (object.kind == "Role" && object.name == "dray-lease");
}

}  // namespace

bool is_allocators(const Installed& object) {
  return object.name == "dray-allocator" || object.name.starts_with("dray-allocator-");
}

std::string Right::to_string() const {
  if (!path.empty()) return verb + " " + path;
  auto text = verb + " " + resource;
  if (!group.empty()) text += "." + group;
  if (!name.empty()) text += " " + name;
  if (!namespace_name.empty()) text += " in " + namespace_name;
  return text;
}

std::vector<Right> needed_rights(const std::vector<Installed>& manifests) {
  std::vector<Right> rights;
  for (const auto& object : manifests) {
    if (!is_drays_role(object)) continue;
    for (const auto& rule : items_at(object.tree, {"rules"})) {
      add_rule(rights, rule, object.namespace_name);
    }
  }
  return rights;
}

std::string access_review(const Right& right, const Installation* where) {
  wire::JsonWriter out;
  out.object([&](wire::FieldWriter& io) {
    io.required("apiVersion", std::string("authorization.k8s.io/v1"));
    io.required("kind",
                std::string(where == nullptr ? "SelfSubjectAccessReview" : "SubjectAccessReview"));
    io.object("spec", [&](wire::FieldWriter& spec) {
      if (where != nullptr) {
        spec.required("user", where->account());
        spec.required("groups",
                      std::vector<std::string>{"system:serviceaccounts",
                                               "system:serviceaccounts:" + where->namespace_name,
                                               "system:authenticated"});
      }
      if (!right.path.empty()) {
        return spec.object("nonResourceAttributes", [&](wire::FieldWriter& io2) {
          io2.field("path", right.path);
          io2.field("verb", right.verb);
        });
      }
      spec.object("resourceAttributes", [&](wire::FieldWriter& attributes) {
        const auto slash = std::min(right.resource.find('/'), right.resource.size());
        attributes.field("verb", right.verb);
        attributes.field("group", right.group);
        attributes.field("resource", right.resource.substr(0, slash));
        if (slash < right.resource.size()) {
          attributes.field("subresource", right.resource.substr(slash + 1));
        }
        attributes.field("name", right.name);
        attributes.field("namespace", right.namespace_name);
      });
    });
  });
  return std::move(out).take();
}

Findings missing_rights(const std::vector<Right>& missing, const Installation& where) {
  Findings findings;
  findings.reserve(missing.size());
  for (const auto& right : missing) {
    const auto for_standbys = right.resource == "leases" && right.name.contains("-standby-");
    findings.push_back(
        {Fault::right_missing, right.to_string(),
         fmt::format("{} may not {}{}", where.account(), right.to_string(),
                     for_standbys ? "; the dashboard cannot name who stands by" : ""),
         "apply manifests/ again, or add the right to dray's role"});
  }
  return findings;
}

}  // namespace dray::app
