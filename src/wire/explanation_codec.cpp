#include "wire/explanation_codec.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "dray/policy/amounts.h"
#include "dray/policy/resource.h"
#include "wire/json/json_writer.h"

namespace dray::wire {
namespace {

void write(FieldWriter& io, const planner::JobView& job) {
  const auto count = [&](std::string_view key, std::size_t value) {
    io.required(key, static_cast<std::int64_t>(value));
  };
  io.required("name", job.name);
  count("pods", job.members);
  count("running", job.running);
  count("startTogether", job.minimum);
  count("haveRoom", job.have_room);
}

void write(FieldWriter& io, const planner::QueueLevel& level) {
  const auto amount = [&](std::string_view key, double value) {
    io.raw(key, value == policy::unlimited ? "null" : policy::humanize(value, level.resource.unit));
  };
  io.required("queue", level.queue);
  io.required("resource", level.resource.name);
  amount("asked", level.asked);
  amount("held", level.used);
  amount("quota", level.quota);
  amount("fairShare", level.fair_share);
  amount("limit", level.limit);
}

void write(FieldWriter& io, const planner::QueueView& queue) {
  const auto count = [&](std::string_view key, std::size_t value) {
    io.required(key, static_cast<std::int64_t>(value));
  };
  io.required("name", queue.name);
  io.items("levels", queue.levels,
           [](FieldWriter& item, const auto& level) { write(item, level); });
  count("position", queue.position);
  count("waiting", queue.waiting);
  io.field("ahead", queue.ahead);
  count("moreAhead", queue.more_ahead);
  count("otherQueuesAhead", queue.others_ahead);
}

void write(FieldWriter& io, const planner::NodesView& nodes) {
  io.required("count", static_cast<std::int64_t>(nodes.count));
  io.required("reason", std::string(name(nodes.reason)));
  io.required("message", nodes.text);
  io.field("names", nodes.names);
}

}  // namespace

std::string encode(const planner::Explanation& made) {
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    io.required("pod", made.pod);
    io.required("standing", std::string(planner::name(made.standing)));
    if (made.reason != Reason::none) io.required("reason", std::string(name(made.reason)));
    io.required("summary", made.summary);
    io.field("node", made.node);
    io.field("devices", made.devices);
    if (made.job) {
      io.object("job", [&](FieldWriter& item) { write(item, *made.job); });
    }
    if (made.queue) {
      io.object("queue", [&](FieldWriter& item) { write(item, *made.queue); });
    }
    io.items("nodes", made.nodes, [](FieldWriter& item, const auto& nodes) { write(item, nodes); });
    io.field("nodesLeftOut", static_cast<std::int64_t>(made.nodes_left_out));
    io.field("nearest", made.nearest);
    io.field("helps", made.helps);
    io.field("notes", made.notes);
  });
  return std::move(out).take();
}

}  // namespace dray::wire
