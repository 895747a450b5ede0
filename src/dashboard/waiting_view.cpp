#include <algorithm>
#include <map>
#include <optional>

#include "dashboard/view_parts.h"
#include "dashboard/views.h"
#include "dray/model/reason.h"

namespace dray::dashboard {
namespace {

constexpr std::size_t first_few = 5;

/// A job, or a pod without one, that waits.
struct Waiting {
  Reason reason = Reason::none;
  std::string job;
  PodKey pod;
  std::string queue;
  std::optional<Time> since;
  std::size_t pods = 1;  ///< that have no room
  std::size_t members = 1;
  std::string detail;
};

std::vector<Waiting> all_waiting(const Picture& picture) {
  std::vector<Waiting> all;
  for (const auto& row : picture.jobs) {
    if (row.pod.name.empty()) continue;
    all.push_back({row.reason, row.job->name, row.pod, row.job->queue.get(), row.job->queued,
                   waiting_members(*row.job), row.job->members.size(), row.detail});
  }
  for (const auto& pod : picture.unformed) {
    all.push_back({pod.reason, pod.pod.to_string(), pod.pod, {}, {}, 1, 1, pod.detail});
  }
  return all;
}

void write_row(FieldWriter& io, const Waiting& row) {
  io.required("job", row.job);
  io.required("pod", row.pod.to_string());
  io.field("queue", row.queue);
  if (row.since) io.required("since", *row.since);
  write_count(io, "pods", row.pods);
  write_count(io, "members", row.members);
  io.field("detail", row.detail);
}

void write_reason(FieldWriter& io, Reason reason) {
  const auto& info = reason_info(reason);
  io.required("reason", std::string(info.name));
  io.required("text", std::string(plain_text(reason)));
}

/// Those of one Reason, the oldest first; of jobs that the viewer does not see only the number.
struct Group {
  std::vector<const Waiting*> seen;
  std::size_t jobs = 0;
  std::size_t pods = 0;
};

void write_group(JsonWriter& out, FieldWriter& io, Reason reason, const Group& group,
                 const Page& page) {
  write_reason(io, reason);
  write_count(io, "jobs", group.jobs);
  write_count(io, "pods", group.pods);
  write_count(io, "hidden", group.jobs - group.seen.size());
  const auto [first, last] = part_of(page, group.seen.size());
  write_count(io, "from", first);
  out.key("rows");
  out.begin_list();
  for (auto at = first; at < last; ++at) {
    out.object([&](FieldWriter& item) { write_row(item, *group.seen[at]); });
  }
  out.end_list();
}

}  // namespace

std::string waiting_json(const Picture& picture, std::string_view reason, const Page& page,
                         const Viewer& viewer) {
  const auto all = all_waiting(picture);
  std::map<Reason, Group> by_reason;
  std::size_t pods = 0;
  for (const auto& row : all) {
    auto& group = by_reason[row.reason];
    ++group.jobs;
    group.pods += row.pods;
    pods += row.pods;
    if (viewer.sees(row.pod.namespace_name)) group.seen.push_back(&row);
  }
  std::vector<std::pair<Reason, Group*>> order;
  for (auto& [each, group] : by_reason) {
    if (!reason.empty() && name(each) != reason) continue;
    std::ranges::stable_sort(group.seen, {}, [](const Waiting* row) { return row->since; });
    order.emplace_back(each, &group);
  }
  std::ranges::stable_sort(
      order, [](const auto& a, const auto& b) { return a.second->jobs > b.second->jobs; });
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", picture.revision);
    write_count(io, "jobs", all.size());
    write_count(io, "pods", pods);
    out.key("groups");
    write_list(out, order, [&](FieldWriter& item, const auto& each) {
      write_group(out, item, each.first, *each.second, reason.empty() ? Page{0, first_few} : page);
    });
  });
  return std::move(out).take();
}

/// Since when its pods have it: the allocation says so where devices had to be made ready; else
/// their binding does, which follows at once.
std::optional<Time> held_since(const Picture& picture, const HeldClaim& held) {
  const auto& [claim, allocation] = held;
  if (!allocation || !claim->allocation) return std::nullopt;
  if (allocation->allocated) return allocation->allocated;
  const auto* job = picture.owners().job_of(*claim);
  return job == nullptr ? std::nullopt : job->started;
}

std::string ledger_json(const Picture& picture, const Page& page, const Viewer& viewer) {
  std::vector<const HeldClaim*> found;
  std::size_t hidden = 0;
  for (const auto& held : picture.owners().claims()) {
    const auto& meta = held.claim->meta;
    if (!viewer.sees(meta.namespace_name)) {
      ++hidden;
      continue;
    }
    if (page.text.empty() || (meta.namespace_name + "/" + meta.name).contains(page.text)) {
      found.push_back(&held);
    }
  }
  const auto [first, last] = part_of(page, found.size());
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", picture.revision);
    io.required("at", picture.at);
    write_count(io, "total", picture.owners().claims().size());
    write_count(io, "found", found.size());
    write_count(io, "hidden", hidden);
    write_count(io, "from", first);
    out.key("claims");
    out.begin_list();
    for (auto at = first; at < last; ++at) {
      const auto& [claim, allocation] = *found[at];
      out.object([&](FieldWriter& item) {
        if (!write_claim(item, picture, *claim, viewer)) return;
        const auto* state = claim->meta.deleted ? "leaving"
                            : claim->allocation ? "allocated"
                            : allocation        ? "reserved"
                                                : "waiting";
        item.required("state", std::string(state));
        item.field("created", claim->meta.created);
        item.field("allocated", held_since(picture, *found[at]));
        std::vector<std::string> devices;
        if (allocation) {
          for (const auto& device : allocation->devices) {
            devices.push_back(device.request + ": " + device.device.to_string());
          }
        }
        item.required("devices", devices);
      });
    }
    out.end_list();
  });
  return std::move(out).take();
}

}  // namespace dray::dashboard
