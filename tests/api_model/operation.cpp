#include "tests/api_model/operation.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "wire/json/json_reader.h"
#include "wire/object/codecs.h"
#include "wire/object/object_codec.h"

namespace dray::api_model {
namespace {

std::string text(const Json& line, const char* key) {
  return line.value(key, std::string());
}

Uid uid(const Json& line) {
  return Uid(text(line, "uid"));
}

ResourceVersion expected(const Json& line) {
  return ResourceVersion(text(line, "expected"));
}

template <class Key>
Key key(const Json& line) {
  return {line.at("namespace").get<std::string>(), line.at("name").get<std::string>()};
}

/// A part of an object, read by the codec that reads it in objects; absent: empty.
template <class T>
T part(const Json& line, const char* name) {
  T value{};
  if (!line.contains(name)) return value;
  const auto json = line.at(name).dump();
  wire::Document document(json);
  document.visit([&](const wire::Reader& root) {
    using wire::read;
    read(root, value);
  });
  return value;
}

template <class T>
T whole(const Json& line) {
  auto object = read_object(line.at("object").dump());
  return object ? std::get<T>(std::move(*object)) : T{};
}

EventRecord event(const Json& line) {
  return {text(line, "type"), text(line, "reason"), text(line, "action"), text(line, "note")};
}

std::optional<NodeName> node(const Json& line) {
  if (!line.contains("node")) return std::nullopt;
  return NodeName(text(line, "node"));
}

engine::ReleaseClaim release(const Json& line) {
  return {key<ClaimKey>(line), uid(line), Uid(text(line, "consumer")),
          line.value("deallocate", true), line.value("fence", false)};
}

engine::AllocateClaim allocate(const Json& line) {
  return {key<ClaimKey>(line), uid(line), expected(line),
          part<AllocationResult>(line, "allocation"),
          part<std::vector<ClaimConsumer>>(line, "reservedFor")};
}

/// One entry a kind of write.
using Maker = engine::Write (*)(const Json&);
const std::map<std::string, Maker>& makers() {
  using namespace engine;
  using J = const Json&;
  static const std::map<std::string, Maker> table{
      {"LiftGate",
       [](J j) -> Write {
         return LiftGate{key<PodKey>(j), uid(j), part<Labels>(j, "annotations")};
       }},
      {"AnnotatePod",
       [](J j) -> Write {
         return AnnotatePod{key<PodKey>(j), uid(j), part<Labels>(j, "annotations")};
       }},
      {"NominateNode", [](J j) -> Write { return NominateNode{key<PodKey>(j), uid(j), node(j)}; }},
      {"SetPodCondition",
       [](J j) -> Write {
         return SetPodCondition{key<PodKey>(j), uid(j), part<Condition>(j, "condition")};
       }},
      {"NameExtendedClaim",
       [](J j) -> Write {
         return NameExtendedClaim{
             key<PodKey>(j), uid(j), text(j, "claim"), {{"main", "example.com/card", "gpu"}}};
       }},
      {"ProtectClaim",
       [](J j) -> Write { return ProtectClaim{key<ClaimKey>(j), uid(j), expected(j)}; }},
      {"AllocateClaim", [](J j) -> Write { return allocate(j); }},
      {"ReserveClaim",
       [](J j) -> Write {
         return ReserveClaim{key<ClaimKey>(j), uid(j), expected(j),
                             part<ClaimConsumer>(j, "consumer")};
       }},
      {"ReleaseClaim", [](J j) -> Write { return release(j); }},
      {"CreateClaim", [](J j) -> Write { return CreateClaim{whole<ResourceClaim>(j)}; }},
      {"DeleteClaim",
       [](J j) -> Write { return DeleteClaim{key<ClaimKey>(j), uid(j), expected(j)}; }},
      {"ReadClaim", [](J j) -> Write { return ReadClaim{key<ClaimKey>(j)}; }},
      {"ReadPod", [](J j) -> Write { return ReadPod{key<PodKey>(j)}; }},
      {"BindPod",
       [](J j) -> Write {
         return BindPod{key<PodKey>(j), uid(j), NodeName(text(j, "node")), expected(j)};
       }},
      {"EvictPod",
       [](J j) -> Write { return EvictPod{key<PodKey>(j), uid(j), j.value("dryRun", false)}; }},
      {"RecordEvent",
       [](J j) -> Write { return RecordEvent{key<PodKey>(j), uid(j), event(j.at("event"))}; }},
      {"ReadLease", [](J j) -> Write { return ReadLease{key<LeaseKey>(j)}; }},
      {"PutLease",
       [](J j) -> Write { return PutLease{key<LeaseKey>(j), expected(j), whole<Lease>(j)}; }},
      {"ReadConfigMap", [](J j) -> Write { return ReadConfigMap{key<ConfigMapKey>(j)}; }},
      {"PutConfigMap",
       [](J j) -> Write {
         return PutConfigMap{key<ConfigMapKey>(j), expected(j), whole<ConfigMap>(j)};
       }},
  };
  return table;
}

Result<Operation> create(const Json& line) {
  Create made;
  made.text = line.at("object").dump();
  auto object = read_object(made.text);
  if (!object) return std::unexpected(std::move(object.error()));
  made.object = std::move(*object);
  return made;
}

Result<Operation> patch(const Json& line) {
  const auto kind = kind_named(line.at("kind"));
  if (!kind) return std::unexpected(kind.error());
  return Patch{*kind, text(line, "namespace"), line.at("name"),
               line.value("status", false) ? sim::Endpoint::status : sim::Endpoint::main,
               line.at("patch")};
}

Result<Operation> drop(const Json& line) {
  const auto kind = kind_named(line.at("kind"));
  if (!kind) return std::unexpected(kind.error());
  Delete made{*kind, text(line, "namespace"), line.at("name"), {}};
  if (line.contains("uid")) made.options.uid = uid(line);
  if (line.contains("expected")) made.options.resource_version = expected(line);
  if (line.contains("graceSeconds")) made.options.grace_seconds = line.at("graceSeconds");
  return made;
}

}  // namespace

Result<Kind> kind_named(const std::string& name) {
  for (const auto& info : kind_table) {
    if (info.name == name) return info.kind;
  }
  return fail(ErrorCode::invalid, "no kind " + name);
}

Result<KubeObject> read_object(const std::string& text) {
  auto decoded = wire::decode_object(text);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  if (auto* object = std::get_if<KubeObject>(&*decoded)) return std::move(*object);
  return fail(ErrorCode::unsupported, "an object of a kind that dray does not know");
}

Result<Operation> read_operation(const Json& line) {
  const std::string op = line.at("op");
  if (op == "Create") return create(line);
  if (op == "Patch") return patch(line);
  if (op == "Delete") return drop(line);
  const auto maker = makers().find(op);
  if (maker == makers().end()) return fail(ErrorCode::unsupported, "no operation " + op);
  return maker->second(line);
}

}  // namespace dray::api_model
