#include "tests/api_model/player.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "tests/api_model/requests.h"
#include "wire/object/object_codec.h"

namespace dray::api_model {
namespace {

/// As the policies of manifests/ have it.
sim::ApiServerOptions as_installed() {
  sim::ApiServerOptions options;
  options.gate_pods = true;
  options.protect_claims = true;
  return options;
}

Json answer(const Result<KubeObject>& outcome) {
  return outcome ? succeeded(*outcome) : failed(outcome.error());
}

Json answer(const Result<void>& outcome) {
  return outcome ? succeeded() : failed(outcome.error());
}

std::string type_of(const sim::WatchEvent& event) {
  using Type = sim::WatchEvent::Type;
  if (event.type == Type::added) return "ADDED";
  return event.type == Type::modified ? "MODIFIED" : "DELETED";
}

}  // namespace

void Player::reset() {
  server_ = sim::ApiServer(as_installed());
  watches_.clear();
  for (const auto& info : kind_table) {
    watches_.push_back(sim::ApiServer::watch(info.kind, server_.revision()));
  }
  controller_ = {};
  controllers_watches_ = watches_;
}

Result<KubeObject> Player::patch(const Patch& patch, Time now) {
  const auto merged = [&](const KubeObject& object) {
    auto text = Json::parse(wire::encode_object(object));
    text.merge_patch(patch.change);
    return read_object(text.dump());
  };
  const bool conditional =
      patch.change.contains("metadata") && patch.change.at("metadata").contains("resourceVersion");
  if (conditional) {
    const auto object = server_.get(patch.kind, patch.space, patch.name);
    if (!object) return std::unexpected(object.error());
    auto next = merged(**object);
    if (!next) return next;
    return server_.update(std::move(*next), patch.endpoint, now);
  }
  const auto change = [&](KubeObject& object) -> Result<void> {
    auto next = merged(object);
    if (!next) return std::unexpected(std::move(next.error()));
    object = std::move(*next);
    return {};
  };
  return server_.patch(patch.kind, patch.space, patch.name, patch.endpoint, change, now);
}

Json Player::play(const Json& line, const Operation& operation) {
  const auto now = parse_time(line.at("now").get<std::string>());
  if (!now) return {{"error", now.error().message}};
  if (const auto* write = std::get_if<engine::Write>(&operation)) {
    const auto read_at = ResourceVersion(line.at("op").value("readAt", std::string()));
    const auto outcome = server_.write(*write, *now, read_at);
    return outcome ? succeeded(*outcome) : failed(outcome.error());
  }
  if (const auto* made = std::get_if<Create>(&operation)) {
    return answer(server_.create(made->object, *now));
  }
  if (const auto* patched = std::get_if<Patch>(&operation)) return answer(patch(*patched, *now));
  const auto& drop = std::get<Delete>(operation);
  return answer(server_.remove(drop.kind, drop.space, drop.name, drop.options, *now));
}

Json Player::events() {
  auto told = Json::array();
  for (auto& watch : watches_) {
    const auto events = server_.poll(watch, std::numeric_limits<std::size_t>::max());
    if (!events) return failed(events.error());
    for (const auto& event : *events) {
      told.push_back(
          {{"type", type_of(event)}, {"object", Json::parse(wire::encode_object(*event.object))}});
    }
  }
  return {{"events", std::move(told)}};
}

/// In the order of the commits; false if there was nothing new.
bool Player::tell_controller() {
  std::vector<sim::WatchEvent> fresh;
  for (auto& watch : controllers_watches_) {
    auto events = server_.poll(watch, std::numeric_limits<std::size_t>::max());
    if (events) fresh.insert(fresh.end(), events->begin(), events->end());
  }
  std::ranges::sort(fresh, {}, &sim::WatchEvent::revision);
  for (const auto& event : fresh) controller_.observe(event);
  return !fresh.empty();
}

Json Player::control(Time now) {
  constexpr int enough = 500;
  for (int step = 0; step < enough; ++step) {
    const bool told = tell_controller();
    if (!controller_.work(server_, now) && !told) return {{"settled", true}};
  }
  return {{"settled", false}};
}

Json Player::objects() const {
  auto all = Json::array();
  for (const auto kind : {Kind::pod, Kind::resource_claim}) {
    for (const auto& object : server_.list(kind).items) {
      all.push_back(Json::parse(wire::encode_object(*object)));
    }
  }
  return {{"objects", std::move(all)}};
}

Json Player::ask(const Json& question) {
  const std::string what = question.at("do");
  if (what == "reset") return reset(), Json::object();
  if (what == "events") return events();
  if (what == "objects") return objects();
  if (what == "control") {
    const auto now = parse_time(question.at("now").get<std::string>());
    return now ? control(*now) : Json{{"error", now.error().message}};
  }
  if (what == "read") return answer(read_object(question.at("object").dump()));
  if (what == "get") {
    const auto kind = kind_named(question.at("kind"));
    if (!kind) return {{"error", kind.error().message}};
    const auto object = server_.get(*kind, question.value("namespace", std::string()),
                                    question.at("name").get<std::string>());
    return object ? succeeded(**object) : failed(object.error());
  }
  const auto operation = read_operation(question.at("op"));
  if (!operation) return {{"error", operation.error().message}};
  if (what == "play") return play(question, *operation);
  if (what == "request") return request_of(question, *operation);
  if (what == "outcome") return outcome_of(question, *operation);
  return {{"error", "no question " + what}};
}

}  // namespace dray::api_model
