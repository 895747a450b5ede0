#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dray/engine/unread.h"
#include "kube/write_request.h"
#include "service/record/record_input.h"
#include "wire/extender_codec.h"
#include "wire/json/json_reader.h"
#include "wire/json/json_writer.h"

namespace dray::service {
namespace {

constexpr std::array<std::string_view, 4> decision_names{"write", "bind", "plan", "filter"};

template <class F>
std::string decision_text(F&& describe) {
  wire::JsonWriter out;
  out.object(describe);
  return std::move(out).take();
}

struct Switch {
  std::string_view name;
  bool alloc::Features::* value;
};
constexpr std::array switches{
    Switch{"adminAccess", &alloc::Features::admin_access},
    Switch{"prioritizedList", &alloc::Features::prioritized_list},
    Switch{"partitionableDevices", &alloc::Features::partitionable_devices},
    Switch{"deviceTaints", &alloc::Features::device_taints},
    Switch{"deviceBindingAndStatus", &alloc::Features::device_binding_and_status},
    Switch{"consumableCapacity", &alloc::Features::consumable_capacity},
    Switch{"fractionalCapacityRange", &alloc::Features::fractional_capacity_range},
    Switch{"listTypeAttributes", &alloc::Features::list_type_attributes},
    Switch{"optionalNodeOperations", &alloc::Features::optional_node_operations},
    Switch{"derivedAttributes", &alloc::Features::derived_attributes},
    Switch{"compatibilityGroups", &alloc::Features::compatibility_groups},
    Switch{"nodeAllocatableResources", &alloc::Features::node_allocatable_resources}};

/// The options that a record keeps; `io` reads or writes them.
template <class Io>
void describe_options(Io& io, std::int64_t& life, std::int64_t& nominate, std::int64_t& tell,
                      std::int64_t& inline_nodes, std::int64_t& pause, std::string& scheduler,
                      std::string& gate, std::string& seed) {
  io.field("schedulerName", scheduler);
  io.field("gate", gate);
  io.field("reservationLifeMicros", life);
  io.field("nominateFromNodes", nominate);
  io.field("tellAfterMicros", tell);
  io.field("inlinePlanNodes", inline_nodes);
  io.field("planPauseMicros", pause);
  io.field("shareIdSeed", seed);
}

template <class Io>
void describe_map(Io& io, std::string_view name, ConfigMapKey& key) {
  io.object(name, [&](auto& map) {
    map.field("namespace", key.namespace_name);
    map.field("name", key.name);
  });
}

}  // namespace

std::vector<Decision> decisions_of(engine::Effects effects, const engine::Options& options,
                                   Time now) {
  std::vector<Decision> made;
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::SendWrite>(&effect)) {
      engine::drop_unread(send->write);
      kube::WriteContext context;
      context.gate = options.gate;
      context.now = now;
      const auto request = kube::request_for(send->write, context);
      made.push_back({Decision::Kind::write, send->id.get(), decision_text([&](auto& io) {
                        io.required("what", std::string(engine::name(send->write)));
                        io.required("epoch", send->epoch);
                        io.required("request", request.http.method + " " + request.http.target);
                        io.raw("body", request.http.body);
                      })});
    } else if (const auto* answer = std::get_if<engine::AnswerBind>(&effect)) {
      made.push_back({Decision::Kind::answer_bind, 0, decision_text([&](auto& io) {
                        io.required("request", static_cast<std::int64_t>(answer->request.get()));
                        io.required("error", answer->error);
                      })});
    } else if (const auto* plan = std::get_if<engine::WantPlan>(&effect)) {
      made.push_back({Decision::Kind::plan, plan->generation, "{}"});
    }
  }
  return made;
}

Decision decision_of(const extender::FilterResponse& response,
                     const extender::FilterRequest& request) {
  return {Decision::Kind::filter, 0, wire::encode(response, request)};
}

std::string encode_decision(const Decision& decision) {
  return decision_text([&](auto& io) {
    io.object(decision_names.at(static_cast<std::size_t>(decision.kind)), [&](auto& of) {
      if (decision.id != 0) of.required("id", static_cast<std::int64_t>(decision.id));
      of.raw("of", decision.text);
    });
  });
}

Result<Decision> decode_decision(std::string_view json) {
  Decision made;
  bool known = false;
  wire::Document document(json);
  document.visit([&](const wire::Reader& root) {
    root.members([&](const wire::Reader& member) {
      for (std::size_t i = 0; i < decision_names.size(); ++i) {
        if (member.key() != decision_names.at(i)) continue;
        known = true;
        made.kind = static_cast<Decision::Kind>(i);
        std::int64_t id = 0;
        member.fields([&](auto& io) {
          io.field("id", id);
          io.raw("of", made.text);
        });
        made.id = static_cast<std::uint64_t>(id);
        return;
      }
    });
  });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  if (!known) return fail(ErrorCode::unsupported, "a decision that this dray does not know");
  return made;
}

std::string encode_options(const engine::Options& given) {
  auto options = given;
  std::int64_t life = options.reservation_life.count();
  auto nominate = static_cast<std::int64_t>(options.nominate_from_nodes);
  std::int64_t tell = options.tell_after.count();
  auto nodes = static_cast<std::int64_t>(options.inline_plan_nodes);
  std::int64_t pause = options.plan_pause.count();
  std::string seed = fmt::format("{:x}", options.share_id_seed);
  return decision_text([&](auto& io) {
    describe_options(io, life, nominate, tell, nodes, pause, options.scheduler_name, options.gate,
                     seed);
    describe_map(io, "usageRecord", options.usage_record);
    if (options.queue_users_record) {
      describe_map(io, "queueUsersRecord", *options.queue_users_record);
    }
    if (options.mode == engine::Mode::advise) io.required("mode", std::string("advise"));
    io.required("firstFit", options.allocator.mode == alloc::Mode::first_fit);
    io.object("features", [&](auto& features) {
      for (const auto& each : switches) {
        features.required(each.name, options.allocator.features.*each.value);
      }
    });
  });
}

Result<engine::Options> decode_options(std::string_view json) {
  engine::Options options;
  std::int64_t life = 0;
  std::int64_t nominate = 0;
  std::int64_t tell = 0;
  std::int64_t nodes = 0;
  std::int64_t pause = 0;
  std::string seed;
  ConfigMapKey users;
  bool first_fit = false;
  std::string mode;
  wire::Document document(json);
  document.visit([&](const wire::Reader& root) {
    root.fields([&](auto& io) {
      describe_options(io, life, nominate, tell, nodes, pause, options.scheduler_name, options.gate,
                       seed);
      describe_map(io, "usageRecord", options.usage_record);
      describe_map(io, "queueUsersRecord", users);
      io.field("mode", mode);
      io.field("firstFit", first_fit);
      io.object("features", [&](auto& features) {
        for (const auto& each : switches) {
          features.field(each.name, options.allocator.features.*each.value);
        }
      });
    });
  });
  if (document.problem()) return std::unexpected(document.problem()->to_error());
  options.reservation_life = Duration(life);
  options.nominate_from_nodes = static_cast<std::size_t>(nominate);
  options.tell_after = Duration(tell);
  options.inline_plan_nodes = static_cast<std::size_t>(nodes);
  options.plan_pause = Duration(pause);
  std::from_chars(seed.data(), seed.data() + seed.size(), options.share_id_seed, 16);
  if (!users.name.empty()) options.queue_users_record = users;
  if (mode == "advise") options.mode = engine::Mode::advise;
  options.allocator.mode = first_fit ? alloc::Mode::first_fit : alloc::Mode::best;
  return options;
}

}  // namespace dray::service
