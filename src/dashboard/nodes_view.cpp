#include <algorithm>
#include <cctype>
#include <map>

#include "dashboard/node_devices.h"
#include "dashboard/view_parts.h"
#include "dashboard/views.h"

namespace dray::dashboard {

bool write_claim(FieldWriter& io, const Picture& picture, const ResourceClaim& claim,
                 const Viewer& viewer) {
  const auto* job = picture.owners().job_of(claim);
  if (job != nullptr) {
    io.required("queue", viewer.queue_name(job->queue, picture.engine.policy->queues));
  }
  if (!viewer.sees(claim.meta.namespace_name)) {
    io.required("hidden", true);
    return false;
  }
  io.required("claim", claim.meta.namespace_name + "/" + claim.meta.name);
  std::vector<std::string> pods;
  for (const auto& user : claim.reserved_for) {
    if (user.resource == "pods") pods.push_back(user.name);
  }
  if (pods.empty()) {
    for (const auto& owner : claim.meta.owners) {
      if (owner.kind == "Pod") pods.push_back(owner.name);
    }
  }
  io.required("pods", pods);
  if (job != nullptr && job->members.size() > 1) io.required("job", job->name);
  return true;
}

namespace {

constexpr std::size_t last_letter = 25;

char letter_of(const Picture& picture, const NodeDevice& device) {
  if (device.use.none() && !device.taints.empty()) return '!';
  if (device.use.none()) return device.blocked_by == nullptr ? '.' : '%';
  const planner::Job* job = nullptr;
  for (const auto& holder : picture.owners().of(device.id)) {
    job = picture.owners().job_of(*holder.claim);
    if (job != nullptr) break;
  }
  if (job == nullptr) return '-';
  const auto queue = picture.engine.policy->queues.find(job->queue.get());
  if (!queue) return '-';
  const bool shared = device.use.dedicated == 0;
  const auto place = std::min<std::size_t>(queue->get(), last_letter);
  return static_cast<char>((shared ? 'A' : 'a') + static_cast<char>(place));
}

void write_queue_names(JsonWriter& out, const Picture& picture, const Viewer& viewer) {
  const auto& tree = picture.engine.policy->queues;
  out.key("queues");
  out.begin_list();
  for (const auto& queue : tree.queues()) out.string(viewer.queue_name(queue.name, tree));
  out.end_list();
}

/// Runs of devices of one driver: how a row of letters is divided.
void write_drivers(FieldWriter& io, JsonWriter& out, const std::vector<NodeDevice>& devices) {
  std::map<std::string, std::size_t> counts;
  for (const auto& device : devices) ++counts[device.id.driver.get()];
  static_cast<void>(io);
  out.key("drivers");
  write_list(out, counts, [](FieldWriter& item, const auto& driver) {
    item.required("driver", driver.first);
    write_count(item, "devices", driver.second);
  });
}

void write_node_row(JsonWriter& out, const Picture& picture, cluster::NodeIndex node) {
  const auto& snapshot = *picture.engine.snapshot;
  const auto devices = devices_of(snapshot, node);
  out.object([&](FieldWriter& io) {
    io.required("name", snapshot.name(node).get());
    if (snapshot.facts(node).unschedulable) io.required("cordoned", true);
    std::string letters;
    for (const auto& device : devices) letters += letter_of(picture, device);
    io.required("devices", letters);
    write_drivers(io, out, devices);
  });
}

void write_taints(JsonWriter& out, const NodeDevice& device) {
  if (device.taints.empty()) return;
  out.key("taints");
  write_list(out, device.taints, [](FieldWriter& io, const DeviceTaint* taint) {
    io.required("key", taint->key);
    io.field("value", taint->value);
    io.required("effect", taint->effect);
  });
}

void write_consumed(JsonWriter& out, const NodeDevice& device) {
  if (device.use.consumed.empty()) return;
  out.key("consumed");
  out.begin_list();
  for (const auto& [name, used] : device.use.consumed) {
    const auto& capacities = device.published->traits->capacity;
    const auto of = capacities.find(name);
    out.object([&](FieldWriter& io) {
      io.required("name", name);
      io.required("used", used);
      if (of == capacities.end()) return;
      io.required("of", of->second.value);
      const auto all = of->second.value.as_approximate_double();
      if (all > 0)
        io.raw("percent", fmt::format("{:.1f}", 100 * used.as_approximate_double() / all));
    });
  }
  out.end_list();
}

void write_device(JsonWriter& out, const Picture& picture, const NodeDevice& device,
                  const Viewer& viewer) {
  out.object([&](FieldWriter& io) {
    io.required("driver", device.id.driver.get());
    io.required("pool", device.id.pool.get());
    io.required("name", device.id.device.get());
    io.field("product", product_of(device));
    io.field("numa", numa_node_of(device));
    io.field("root", pcie_root_of(device));
    io.required("state", std::string(1, letter_of(picture, device)));
    if (device.blocked_by != nullptr) io.required("blockedBy", *device.blocked_by->name);
    if (device.use.shares > 0) write_count(io, "shares", device.use.shares);
    write_taints(out, device);
    write_consumed(out, device);
    out.key("holders");
    write_list(out, picture.owners().of(device.id), [&](FieldWriter& item, const Holder& holder) {
      const bool seen = write_claim(item, picture, *holder.claim, viewer);
      if (seen) item.required("request", holder.device->request);
      if (holder.promised) item.required("reserved", true);
      if (holder.device->admin_access.value_or(false)) item.required("admin", true);
    });
  });
}

}  // namespace

std::string nodes_json(const Picture& picture, const Page& page, const Viewer& viewer) {
  const auto& snapshot = *picture.engine.snapshot;
  std::vector<cluster::NodeIndex> found;
  for (const auto node : snapshot.nodes_by_name()) {
    if (page.text.empty() || snapshot.name(node).get().contains(page.text)) found.push_back(node);
  }
  const auto [first, last] = part_of(page, found.size());
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", picture.revision);
    write_count(io, "from", first);
    write_count(io, "found", found.size());
    write_count(io, "total", snapshot.node_count());
    write_queue_names(out, picture, viewer);
    out.key("nodes");
    out.begin_list();
    for (auto at = first; at < last; ++at) write_node_row(out, picture, found[at]);
    out.end_list();
  });
  return std::move(out).take();
}

std::string node_json(const Picture& picture, std::string_view name, const Viewer& viewer) {
  const auto& snapshot = *picture.engine.snapshot;
  const auto node = snapshot.node(NodeName(std::string(name)));
  if (!node) return {};
  const auto& facts = snapshot.facts(*node);
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", picture.revision);
    io.required("name", facts.name.get());
    if (facts.unschedulable) io.required("cordoned", true);
    if (facts.taints) {
      io.items("taints", *facts.taints, [](FieldWriter& item, const NodeTaint& taint) {
        item.required("key", taint.key);
        item.field("value", taint.value);
        item.required("effect", taint.effect);
      });
    }
    write_queue_names(out, picture, viewer);
    out.key("devices");
    out.begin_list();
    for (const auto& device : devices_of(snapshot, *node)) {
      write_device(out, picture, device, viewer);
    }
    out.end_list();
  });
  return std::move(out).take();
}

}  // namespace dray::dashboard
