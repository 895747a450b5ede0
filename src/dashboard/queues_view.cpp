#include <algorithm>
#include <map>

#include "dashboard/view_parts.h"
#include "dashboard/views.h"
#include "wire/policy/policy_writer.h"
#include "wire/yaml/json_yaml.h"

namespace dray::dashboard {
namespace {

/// Jobs of a queue: those that wait for something, and those that run.
struct JobCounts {
  std::size_t waiting = 0;
  std::size_t running = 0;
};

std::map<policy::QueueName, JobCounts> count_jobs(const Picture& picture) {
  std::map<policy::QueueName, JobCounts> counts;
  for (const auto& row : picture.jobs) {
    auto& queue = counts[row.job->queue];
    const auto waiting = waiting_members(*row.job);
    if (waiting > 0) ++queue.waiting;
    if (waiting < row.job->members.size()) ++queue.running;
  }
  return counts;
}

void write_amounts(JsonWriter& out, std::string_view key, const policy::Amounts& amounts,
                   const policy::ResourceTable& resources) {
  out.key(key);
  out.begin_list();
  for (std::size_t i = 0; i < std::min(amounts.size(), resources.size()); ++i) {
    out.raw(amount_text(amounts[i], resources[i].unit));
  }
  out.end_list();
}

void write_resources(JsonWriter& out, const policy::ResourceTable& resources) {
  out.key("resources");
  write_list(out, resources, [](FieldWriter& io, const policy::Resource& resource) {
    io.required("name", resource.name);
    io.required("unit", policy::display_unit(resource));
    io.required("title", policy::display_name(resource));
  });
}

void write_queue(JsonWriter& out, FieldWriter& io, const Picture& picture,
                 const policy::Queue& queue, const JobCounts& jobs, const Viewer& viewer) {
  const auto& tree = picture.engine.policy->queues;
  const auto& resources = picture.engine.policy->counting.resources();
  io.required("name", viewer.queue_name(queue.name, tree));
  if (queue.parent) io.required("parent", viewer.queue_name(*queue.parent, tree));
  if (queue.orphan) io.required("orphan", true);
  io.required("priority", queue.priority);
  io.required("leaf", queue.children.empty());
  write_count(io, "waiting", jobs.waiting);
  write_count(io, "running", jobs.running);
  write_amounts(out, "quota", queue.quota, resources);
  write_amounts(out, "limit", queue.limit, resources);
  const auto& reports = picture.engine.status.queues;
  const auto report = std::ranges::find(reports, queue.name, &planner::QueueReport::queue);
  if (report == reports.end() || report->allocated.size() != resources.size()) return;
  write_amounts(out, "used", report->allocated, resources);
  write_amounts(out, "fairShare", report->fair_share, resources);
  write_amounts(out, "requested", report->requested, resources);
}

}  // namespace

std::string queues_json(const Picture& picture, const Viewer& viewer) {
  const auto& policy = *picture.engine.policy;
  const auto jobs = count_jobs(picture);
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", picture.revision);
    write_resources(out, policy.counting.resources());
    out.key("queues");
    write_list(out, policy.queues.queues(), [&](FieldWriter& item, const policy::Queue& queue) {
      const auto found = jobs.find(queue.name);
      write_queue(out, item, picture, queue, found == jobs.end() ? JobCounts() : found->second,
                  viewer);
    });
  });
  return std::move(out).take();
}

std::string history_json(const Picture& picture, const History::Curves& curves,
                         const std::string& resource, const Viewer& viewer) {
  const auto& tree = picture.engine.policy->queues;
  const auto& resources = picture.engine.policy->counting.resources();
  const auto place = policy::find_resource(resources, resource);
  JsonWriter out;
  const auto write_values = [&](std::string_view key, const std::vector<float>& values) {
    out.key(key);
    out.begin_list();
    for (const auto value : values) {
      out.raw(place ? amount_text(static_cast<double>(value), resources[*place].unit) : "null");
    }
    out.end_list();
  };
  out.object([&](FieldWriter& io) {
    io.required("resource", resource);
    write_count(io, "leftOut", curves.left_out);
    out.key("times");
    out.begin_list();
    for (const auto at : curves.times) {
      out.integer(std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count());
    }
    out.end_list();
    out.key("queues");
    write_list(out, curves.queues, [&](FieldWriter& item, const History::Curve& curve) {
      item.required("name", viewer.queue_name(policy::QueueName(curve.queue), tree));
      write_values("used", curve.used);
      write_values("fairShare", curve.fair_share);
    });
  });
  return std::move(out).take();
}

std::string policy_json(const Picture& picture, const Standing& standing) {
  const auto& policy = *picture.engine.policy;
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", picture.revision);
    write_count(io, "generation", standing.policy_generation);
    io.required("problem", standing.policy);
    io.required("objectsProblem", picture.engine.status.policy_problem);
    write_count(io, "queues", policy.queues.queues().size());
    write_count(io, "resources", policy.counting.resources().size());
    io.required("text", wire::json_to_yaml(wire::encode_policy(policy.config)));
  });
  return std::move(out).take();
}

}  // namespace dray::dashboard
