#include "app/policy/config_changes.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "wire/policy/policy_writer.h"
#include "wire/yaml/config_node.h"

namespace dray::app {
namespace {

using wire::ConfigNode;

/// A value on one line.
std::string words(const ConfigNode* node) {
  if (node == nullptr || node->kind == ConfigNode::Kind::null) return "none";
  if (node->kind == ConfigNode::Kind::scalar) return node->text;
  std::string text;
  for (const auto& item : node->items) text += (text.empty() ? "" : ", ") + words(&item);
  for (const auto& member : node->members) {
    text += (text.empty() ? "" : ", ") + member.key + ": " + words(&member.value);
  }
  if (text.empty()) return "none";
  return node->kind == ConfigNode::Kind::map ? "{" + text + "}" : "[" + text + "]";
}

/// Whose members each have a name of their own that people speak of.
bool has_names(std::string_view path) {
  return path == "quota" || path == "limit" || path == "placement" || path == "namespaces" ||
         path == "aliases";
}

/// What absence of a bound means.
std::string bound_words(std::string_view path, const ConfigNode* node) {
  if (node == nullptr && path == "quota") return "0";
  if (node == nullptr && path == "limit") return "unlimited";
  if (node == nullptr && path == "placement") return "as elsewhere";
  return words(node);
}

class Comparison {
 public:
  std::vector<ConfigChange> run(const ConfigNode& was, const ConfigNode& would) {
    for (const auto& key : keys(was, would)) {
      const auto* before = was.find(key);
      const auto* after = would.find(key);
      if (key == "queues") {
        queues(before, after);
      } else if (key == "nodeGroups") {
        node_groups(before, after);
      } else if (key == "resources") {
        resources(before, after);
      } else {
        section(key, before, after);
      }
    }
    return std::move(changes_);
  }

 private:
  /// In the order of `would`, those that only `was` has behind.
  static std::vector<std::string> keys(const ConfigNode& was, const ConfigNode& would) {
    std::vector<std::string> all;
    std::set<std::string, std::less<>> seen;
    for (const auto* node : {&would, &was}) {
      for (const auto& member : node->members) {
        if (seen.insert(member.key).second) all.push_back(member.key);
      }
    }
    return all;
  }

  static const ConfigNode& or_empty(const ConfigNode* node) {
    static const ConfigNode empty;
    return node == nullptr ? empty : *node;
  }

  void note(const std::string& subject, std::string what, std::string was, std::string would) {
    if (was == would) return;
    changes_.push_back({subject, std::move(what), std::move(was), std::move(would)});
  }

  void section(const std::string& subject, const ConfigNode* was, const ConfigNode* would) {
    const auto& before = or_empty(was);
    const auto& after = or_empty(would);
    if (before.members.empty() && after.members.empty()) {
      return note("policy", subject, words(was), words(would));
    }
    for (const auto& key : keys(before, after)) {
      if (has_names(key) || has_names(subject)) {
        named(subject, has_names(subject) ? "" : key, key, before.find(key), after.find(key));
      } else {
        note(subject, key, words(before.find(key)), words(after.find(key)));
      }
    }
  }

  /// Of a map by names: `gpu quota 16 → 24`.
  void named(const std::string& subject, const std::string& path, const std::string& key,
             const ConfigNode* was, const ConfigNode* would) {
    if (path.empty()) return note(subject, key, words(was), words(would));
    const auto& before = or_empty(was);
    const auto& after = or_empty(would);
    for (const auto& name : keys(before, after)) {
      note(subject, name + " " + (path == "namespaces" ? "namespace" : path),
           bound_words(path, before.find(name)), bound_words(path, after.find(name)));
    }
  }

  static const ConfigNode* item_of(const ConfigNode& list, const std::string& name) {
    for (const auto& item : list.items) {
      if (const auto* own = item.find("name"); own != nullptr && own->text == name) return &item;
    }
    return nullptr;
  }

  void queues(const ConfigNode* was, const ConfigNode* would) {
    const auto& before = or_empty(was);
    const auto& after = or_empty(would);
    for (const auto& queue : after.items) {
      const auto& name = queue.find("name")->text;
      const auto* old = item_of(before, name);
      if (old == nullptr) {
        changes_.push_back({"queue " + name, "", "none", owed(queue)});
      } else {
        one_queue("queue " + name, *old, queue);
      }
    }
    for (const auto& queue : before.items) {
      const auto& name = queue.find("name")->text;
      if (item_of(after, name) != nullptr) continue;
      changes_.push_back({"queue " + name, "", owed(queue), "none"});
    }
  }

  /// What a queue is known by.
  static std::string owed(const ConfigNode& queue) {
    std::string text;
    for (const auto* const key : {"parent", "quota", "limit"}) {
      const auto* value = queue.find(key);
      if (value == nullptr || words(value) == "none") continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, words(value));
    }
    return text.empty() ? "no quota, no limit" : text;
  }

  void one_queue(const std::string& subject, const ConfigNode& was, const ConfigNode& would) {
    for (const auto& key : keys(was, would)) {
      const bool by_name = key == "quota" || key == "limit" || key == "placement";
      if (by_name) {
        named(subject, key, key, was.find(key), would.find(key));
      } else {
        note(subject, key, words(was.find(key)), words(would.find(key)));
      }
    }
  }

  void node_groups(const ConfigNode* was, const ConfigNode* would) {
    const auto& before = or_empty(was);
    const auto& after = or_empty(would);
    for (const auto& group : after.items) {
      const auto& name = group.find("name")->text;
      const auto* old = item_of(before, name);
      if (old == nullptr) {
        changes_.push_back({"node group " + name, "", "none", grown(group)});
        continue;
      }
      for (const auto& key : keys(*old, group)) {
        const auto* a = old->find(key);
        const auto* b = group.find(key);
        if (words(a) == words(b)) continue;
        const bool other = brief(a) == brief(b);
        changes_.push_back(
            {"node group " + name, key, brief(a), (other ? "other: " : "") + brief(b)});
      }
    }
    for (const auto& group : before.items) {
      const auto& name = group.find("name")->text;
      if (item_of(after, name) != nullptr) continue;
      changes_.push_back({"node group " + name, "", grown(group), "none"});
    }
  }

  /// What a node group is known by.
  static std::string grown(const ConfigNode& group) {
    const auto* most = group.find("maxNodes");
    return most == nullptr ? "any number of nodes" : "at most " + most->text + " nodes";
  }

  /// Manifests are too long for a line.
  static std::string brief(const ConfigNode* node) {
    if (node == nullptr) return "none";
    if (node->kind == ConfigNode::Kind::list) return fmt::format("{} of them", node->items.size());
    return node->kind == ConfigNode::Kind::map ? "a manifest" : words(node);
  }

  void resources(const ConfigNode* was, const ConfigNode* would) {
    const auto& before = or_empty(was);
    const auto& after = or_empty(would);
    for (const auto& name : keys(before, after)) {
      note("resource " + name, "counts", words(before.find(name)), words(after.find(name)));
    }
  }

  std::vector<ConfigChange> changes_;
};

ConfigNode tree_of(const policy::PolicyConfig& config) {
  return wire::parse_yaml(wire::encode_policy(config)).value_or(ConfigNode());
}

}  // namespace

std::string ConfigChange::to_string() const {
  if (!what.empty()) return fmt::format("{}: {} {} → {}", subject, what, was, would);
  return was == "none" ? fmt::format("{}: added, {}", subject, would)
                       : fmt::format("{}: removed, had {}", subject, was);
}

std::vector<ConfigChange> changes_between(const policy::PolicyConfig& was,
                                          const policy::PolicyConfig& would) {
  return Comparison().run(tree_of(was), tree_of(would));
}

}  // namespace dray::app
