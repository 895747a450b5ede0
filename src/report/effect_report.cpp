#include "report/effect_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "wire/json/json_writer.h"

namespace dray::report {
namespace {

using simulate::Change;
using simulate::JobEffect;
using simulate::ShareEffect;

/// A share that differs by less is drawn as the same.
constexpr double least_difference = 0.005;

struct Count {
  std::size_t jobs = 0;
  std::size_t pods = 0;
};

std::string counts_text(const simulate::PolicyEffect& effect) {
  std::map<Change, Count> counts;
  for (const auto& job : effect.jobs) {
    auto& count = counts[job.change];
    ++count.jobs;
    count.pods += job.pods;
  }
  auto text = fmt::format("{:<14}{:>6}{:>7}\n", "AT ONCE", "JOBS", "PODS");
  for (const auto& [change, count] : counts) {
    text += fmt::format("{:<14}{:>6}{:>7}\n", name(change), count.jobs, count.pods);
  }
  return text;
}

bool differs(const ShareEffect& share) {
  return !share.was || !share.would || std::abs(*share.was - *share.would) >= least_difference;
}

std::string amount_text(std::optional<double> amount) {
  return amount ? fmt::format("{:.4g}", *amount) : "-";
}

std::string shares_text(const std::vector<ShareEffect>& shares) {
  if (std::ranges::none_of(shares, differs)) return {};
  std::size_t queue = 5;
  std::size_t resource = 8;
  for (const auto& share : shares) {
    queue = std::max(queue, share.queue.size());
    resource = std::max(resource, share.resource.size());
  }
  auto text = fmt::format("\n{:<{}}  {:<{}}  {:>12}  {:>10}  {:>9}  {:>9}\n", "QUEUE", queue,
                          "RESOURCE", resource, "FAIR SHARE", "WOULD BE", "HOLDS", "WANTS");
  for (const auto& share : shares) {
    if (!differs(share)) continue;
    text += fmt::format("{:<{}}  {:<{}}  {:>12}  {:>10}  {:>9}  {:>9}\n", share.queue, queue,
                        share.resource, resource, amount_text(share.was), amount_text(share.would),
                        amount_text(share.allocated), amount_text(share.requested));
  }
  return text;
}

std::string json_number(std::optional<double> amount) {
  return amount ? fmt::format("{}", *amount) : "";
}

void describe(wire::FieldWriter& io, const JobEffect& effect) {
  io.required("change", std::string(name(effect.change)));
  io.required("job", effect.job);
  io.raw("pods", fmt::format("{}", effect.pods));
  io.required("queue", effect.queue);
  io.required("newQueue", effect.new_queue);
  io.required("was", effect.was);
  io.required("would", effect.would);
}

void describe(wire::FieldWriter& io, const ShareEffect& share) {
  io.required("queue", share.queue);
  io.required("resource", share.resource);
  io.raw("was", json_number(share.was));
  io.raw("would", json_number(share.would));
  io.raw("holds", json_number(share.allocated));
  io.raw("wants", json_number(share.requested));
}

template <class T>
void write_effects(wire::JsonWriter& out, std::string_view key, const std::vector<T>& items) {
  out.key(key);
  out.begin_list();
  for (const auto& item : items) {
    out.object([&](wire::FieldWriter& io) { describe(io, item); });
  }
  out.end_list();
}

}  // namespace

std::string effect_text(const simulate::PolicyEffect& effect) {
  auto text = effect.jobs.empty() ? std::string("No job would fare otherwise at once.\n")
                                  : counts_text(effect);
  text += shares_text(effect.shares);
  for (const auto& each : effect.jobs) {
    const auto queues = each.queue == each.new_queue
                            ? fmt::format("queue {}", each.queue)
                            : fmt::format("queue {}, then {}", each.queue, each.new_queue);
    text +=
        fmt::format("\n{} {} ({}, {} {})\n  was:   {}\n  would: {}\n", name(each.change), each.job,
                    queues, each.pods, each.pods == 1 ? "pod" : "pods", each.was, each.would);
  }
  return text;
}

std::string effect_json(const simulate::PolicyEffect& effect) {
  wire::JsonWriter out;
  out.begin_object();
  write_effects(out, "jobs", effect.jobs);
  write_effects(out, "shares", effect.shares);
  out.end_object();
  return std::move(out).take();
}

}  // namespace dray::report
