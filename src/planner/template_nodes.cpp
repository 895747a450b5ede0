#include "planner/template_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dray/cluster/published.h"

namespace dray::planner {
namespace {

bool is_of(const cluster::NodeFacts& facts, const Node& node) {
  return std::ranges::all_of(node.meta.labels, [&](const auto& label) {
    const auto* value = facts.label(label.first);
    return value != nullptr && *value == label.second;
  });
}

/// How many the group has already; without labels nobody can tell.
std::size_t count_nodes(const cluster::Snapshot& real, const Node& node) {
  if (node.meta.labels.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      real.nodes_by_name(), [&](auto index) { return is_of(real.facts(index), node); }));
}

std::string slice_name(const NodeName& node, std::size_t number) {
  return fmt::format("{}-{}", node.get(), number);
}

}  // namespace

TemplateNodes::TemplateNodes(const cluster::Snapshot& real, const policy::PolicyConfig& config) {
  for (const auto& made : real.classes()) {
    cluster_.apply(cluster::ObjectChanged{*made->object});
  }
  for (const auto& rule : real.taint_rules()) cluster_.apply(cluster::ObjectChanged{*rule});
  for (const auto& group : config.node_groups) describe(real, group);
}

void TemplateNodes::describe(const cluster::Snapshot& real, const policy::NodeGroup& config) {
  auto& group = groups_.emplace_back();
  group.config = &config;
  const bool complete = config.node && config.slices;
  const auto like = config.like ? real.node(*config.like) : std::nullopt;
  if (config.like && !like && !complete) {
    group.problem = fmt::format("there is no node {} to be like", config.like->get());
    return;
  }
  if (config.node) {
    group.node = *config.node;
  } else if (like) {
    group.node = cluster::node_object(real.facts(*like));
    group.node.unschedulable = false;
    // What keeps pods from the one node for a while is no property of the others.
    std::erase_if(group.node.taints, [](const NodeTaint& taint) {
      return taint.key.starts_with("node.kubernetes.io/");
    });
  }
  group.node.meta.labels.erase(label_hostname);
  if (config.slices) {
    group.slices = *config.slices;
  } else if (like) {
    group.slices = cluster::slices_of_node(real, *like);
  }
  const auto most = config.max_nodes ? static_cast<std::size_t>(*config.max_nodes)
                                     : std::numeric_limits<std::size_t>::max();
  group.left = config.max_nodes ? most - std::min(most, count_nodes(real, group.node)) : most;
}

NodeName TemplateNodes::add(std::size_t number) {
  auto& group = groups_[number];
  const NodeName name(fmt::format("new-{}-{}", group.config->name, nodes_.size()));
  auto node = group.node;
  node.meta.name = name.get();
  node.meta.uid = Uid("template/" + name.get());
  node.meta.labels.insert_or_assign(label_hostname, name.get());
  cluster_.apply(cluster::ObjectChanged{std::move(node)});
  publish(name, group.slices);
  --group.left;
  nodes_.push_back({name, number});
  return name;
}

void TemplateNodes::publish(const NodeName& node, const std::vector<ResourceSlice>& slices) {
  for (std::size_t i = 0; i < slices.size(); ++i) {
    auto slice = slices[i];
    slice.meta.name = slice_name(node, i);
    slice.meta.uid = Uid("template/" + slice.meta.name);
    slice.pool = PoolName(node.get() + "/" + slice.pool.get());
    slice.scope.node_name = node;
    cluster_.apply(cluster::ObjectChanged{std::move(slice)});
  }
}

void TemplateNodes::remove_last() {
  const auto last = std::move(nodes_.back());
  nodes_.pop_back();
  auto& group = groups_[last.group];
  for (std::size_t i = 0; i < group.slices.size(); ++i) {
    cluster_.apply(cluster::ObjectGone{Kind::resource_slice, {}, slice_name(last.name, i), Uid{}});
  }
  cluster_.apply(cluster::ObjectGone{Kind::node, {}, last.name.get(), Uid{}});
  ++group.left;
}

}  // namespace dray::planner
