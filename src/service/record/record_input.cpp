#include "service/record/record_input.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "dray/engine/unread.h"
#include "wire/extender_codec.h"
#include "wire/json/json_reader.h"
#include "wire/json/json_writer.h"
#include "wire/object/object_codec.h"
#include "wire/policy/policy_codec.h"
#include "wire/policy/policy_writer.h"

namespace dray::service {
namespace {

using wire::JsonWriter;
using wire::Reader;

template <class F>
std::string object_text(F&& describe) {
  JsonWriter out;
  out.object(describe);
  return std::move(out).take();
}

void write_outcome(wire::FieldWriter& io, const engine::WriteOutcome& outcome) {
  if (!outcome) {
    io.object("error", [&](auto& error) {
      error.required("code", std::string(name(outcome.error().code)));
      error.required("message", outcome.error().message);
    });
    return;
  }
  std::visit(
      [&](const auto& object) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(object)>, std::monostate>) {
          io.raw("object", wire::encode_object(object));
        }
      },
      *outcome);
}

/// How each kind of input looks.
struct Encoding {
  wire::FieldWriter& io;

  void operator()(const engine::Event& event) const { std::visit(*this, event); }
  void operator()(const cluster::ObjectChanged& event) const {
    io.raw("changed", wire::encode_object(event.object));
  }
  void operator()(const cluster::ObjectGone& event) const {
    io.object("gone", [&](auto& gone) {
      const auto& info = kind_info(event.kind);
      gone.required("group", std::string(info.group));
      gone.required("kind", std::string(info.name));
      gone.required("namespace", event.namespace_name);
      gone.required("name", event.name);
      gone.required("uid", event.uid);
    });
  }
  void operator()(const cluster::ObjectUnreadable& event) const {
    io.object("unreadable", [&](auto& found) {
      found.raw("object", wire::encode_object(event.object));
      found.required("problem", event.problem);
    });
  }
  void operator()(const engine::Synced& /*event*/) const { io.required("synced", true); }
  void operator()(const engine::WriteDone& event) const {
    io.object("written", [&](auto& written) {
      written.required("id", static_cast<std::int64_t>(event.id.get()));
      write_outcome(written, event.outcome);
    });
  }
  void operator()(const engine::LeadershipChanged& event) const {
    io.object("leadership", [&](auto& change) {
      change.required("leading", event.leading);
      change.required("epoch", event.epoch);
    });
  }
  void operator()(const engine::Planned& event) const { (*this)(PlannedInput{event.generation}); }
  void operator()(const engine::PolicyChanged& event) const {
    io.raw("policy", event.config ? wire::encode_policy(*event.config) : "{}");
  }
  void operator()(const TickInput& /*input*/) const { io.required("tick", true); }
  void operator()(const FilterInput& input) const {
    io.raw("filter", wire::encode(*input.request));
  }
  void operator()(const BindInput& input) const {
    io.object("bind", [&](auto& bind) {
      bind.required("id", static_cast<std::int64_t>(input.id.get()));
      bind.raw("request", wire::encode(input.request));
    });
  }
  void operator()(const PlannedInput& input) const {
    io.required("planned", static_cast<std::int64_t>(input.generation));
  }
  void operator()(const KnownMap& input) const {
    io.raw("configMap", wire::encode_object(input.map));
  }
};

/// The members of one JSON object as their texts.
struct Members {
  std::map<std::string, std::string, std::less<>> texts;
  std::optional<Error> problem;

  explicit Members(std::string_view json) {
    wire::Document document(json);
    document.visit([&](const Reader& root) {
      root.members([&](const Reader& member) { texts[std::string(member.key())] = member.raw(); });
    });
    if (document.problem()) problem = document.problem()->to_error();
  }
  [[nodiscard]] const std::string* find(std::string_view key) const {
    const auto found = texts.find(key);
    return found == texts.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::int64_t number(std::string_view key) const {
    const auto* text = find(key);
    return text == nullptr ? 0 : std::strtoll(text->c_str(), nullptr, 10);
  }
  [[nodiscard]] std::string string(std::string_view key) const {
    const auto* text = find(key);
    if (text == nullptr) return {};
    // As a member of an object: strings are read from one.
    std::string value;
    wire::Document document("{\"v\":" + *text + "}");
    document.visit(
        [&](const Reader& root) { root.fields([&](auto& io) { io.field("v", value); }); });
    return value;
  }
  [[nodiscard]] bool flag(std::string_view key) const {
    const auto* text = find(key);
    return text != nullptr && *text == "true";
  }
};

Result<KubeObject> known_object(std::string_view json) {
  auto object = wire::decode_object(json);
  if (!object) return std::unexpected(std::move(object.error()));
  if (auto* known = std::get_if<KubeObject>(&*object)) return std::move(*known);
  return fail(ErrorCode::unsupported, "a record of an object of an unknown kind");
}

Result<RecordInput> decode_gone(const Members& gone) {
  const auto kind = find_kind(gone.string("group"), gone.string("kind"));
  if (!kind) return fail(ErrorCode::unsupported, "a record of an object of an unknown kind");
  return engine::Event(cluster::ObjectGone{*kind, gone.string("namespace"), gone.string("name"),
                                           Uid(gone.string("uid"))});
}

ErrorCode code_named(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
    if (name(static_cast<ErrorCode>(i)) == text) return static_cast<ErrorCode>(i);
  }
  return ErrorCode::internal;
}

Result<RecordInput> decode_written(const Members& written) {
  engine::WriteDone done{engine::WriteId(static_cast<std::uint64_t>(written.number("id"))), {}};
  if (const auto* error = written.find("error")) {
    const Members members(*error);
    done.outcome = fail(code_named(members.string("code")), members.string("message"));
  } else if (const auto* text = written.find("object")) {
    auto object = known_object(*text);
    if (!object) return std::unexpected(std::move(object.error()));
    std::visit(
        [&](auto& each) {
          if constexpr (std::is_constructible_v<engine::WrittenObject, decltype(each)>) {
            done.outcome = engine::WrittenObject(std::move(each));
          }
        },
        *object);
  } else {
    done.outcome = engine::WrittenObject();
  }
  return engine::Event(std::move(done));
}

Result<RecordInput> decode_object_input(std::string_view key, const std::string& text) {
  auto object = known_object(text);
  if (!object) return std::unexpected(std::move(object.error()));
  if (key == "changed") return engine::Event(cluster::ObjectChanged{*std::move(object)});
  if (auto* map = std::get_if<ConfigMap>(&*object)) return KnownMap{std::move(*map)};
  return fail(ErrorCode::invalid, "configMap: another kind");
}

Result<RecordInput> decode_member(std::string_view key, const std::string& text,
                                  const Members& root) {
  if (key == "changed" || key == "configMap") return decode_object_input(key, text);
  if (key == "gone") return decode_gone(Members(text));
  if (key == "written") return decode_written(Members(text));
  if (key == "synced") return engine::Event(engine::Synced{});
  if (key == "tick") return TickInput{};
  if (key == "planned") return PlannedInput{static_cast<std::uint64_t>(root.number(key))};
  if (key == "unreadable") {
    const Members found(text);
    const auto* object = found.find("object");
    auto known = known_object(object == nullptr ? "{}" : *object);
    if (!known) return std::unexpected(std::move(known.error()));
    return engine::Event(cluster::ObjectUnreadable{*std::move(known), found.string("problem")});
  }
  if (key == "leadership") {
    const Members change(text);
    return engine::Event(engine::LeadershipChanged{
        change.flag("leading"), static_cast<std::int32_t>(change.number("epoch"))});
  }
  if (key == "policy") {
    if (text == "{}") return engine::Event(engine::PolicyChanged{});
    auto config = wire::decode_policy(text);
    if (!config) return std::unexpected(std::move(config.error()));
    return engine::Event(
        engine::PolicyChanged{std::make_shared<const policy::PolicyConfig>(*std::move(config))});
  }
  if (key == "filter") {
    auto request = wire::decode_filter_request(text);
    if (!request) return std::unexpected(std::move(request.error()));
    return FilterInput{std::make_shared<const extender::FilterRequest>(*std::move(request))};
  }
  if (key == "bind") {
    const Members bind(text);
    const auto* request = bind.find("request");
    auto decoded = wire::decode_bind_request(request == nullptr ? "{}" : *request);
    if (!decoded) return std::unexpected(std::move(decoded.error()));
    return BindInput{engine::RequestId(static_cast<std::uint64_t>(bind.number("id"))),
                     *std::move(decoded)};
  }
  return fail(ErrorCode::unsupported, "an input that this dray does not know: " + std::string(key));
}

/// The answer gives the node back as it was sent: as the record has it.
void drop_unread_of_offer(extender::OfferedNode& offered) {
  KubeObject node = std::move(offered.node);
  engine::drop_unread(node);
  offered.json = wire::encode_object(node);
  offered.node = std::get<Node>(std::move(node));
}

}  // namespace

RecordInput input_of(const engine::Event& event) {
  if (const auto* planned = std::get_if<engine::Planned>(&event)) {
    return PlannedInput{planned->generation};
  }
  return event;
}

void drop_unread(RecordInput& input) {
  if (auto* filter = std::get_if<FilterInput>(&input)) {
    auto request = *filter->request;
    engine::drop_unread(request.pod);
    if (request.nodes) std::ranges::for_each(*request.nodes, drop_unread_of_offer);
    filter->request = std::make_shared<const extender::FilterRequest>(std::move(request));
    return;
  }
  auto* event = std::get_if<engine::Event>(&input);
  if (event == nullptr) return;
  if (auto* changed = std::get_if<cluster::ObjectChanged>(event)) {
    engine::drop_unread(changed->object);
  } else if (auto* found = std::get_if<cluster::ObjectUnreadable>(event)) {
    engine::drop_unread(found->object);
  } else if (auto* done = std::get_if<engine::WriteDone>(event)) {
    if (!done->outcome) return;
    std::visit(
        [&](auto& each) {
          using T = std::decay_t<decltype(each)>;
          if constexpr (std::is_same_v<T, ResourceClaim> || std::is_same_v<T, Pod>) {
            KubeObject object = std::move(each);
            engine::drop_unread(object);
            each = std::get<T>(std::move(object));
          }
        },
        *done->outcome);
  }
}

std::string encode_input(const RecordInput& input) {
  return object_text([&](auto& io) { std::visit(Encoding{io}, input); });
}

Result<RecordInput> decode_input(std::string_view json) {
  const Members root(json);
  if (root.problem) return std::unexpected(*root.problem);
  if (root.texts.size() != 1) return fail(ErrorCode::invalid, "an input is one thing");
  const auto& [key, text] = *root.texts.begin();
  return decode_member(key, text, root);
}

}  // namespace dray::service
