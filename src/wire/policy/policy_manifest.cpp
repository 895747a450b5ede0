#include "wire/policy/policy_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "wire/json/json_writer.h"
#include "wire/object/object_codec.h"
#include "wire/yaml/yaml_scalar.h"

namespace dray::wire {
namespace {

void write_members(JsonWriter& out, const ConfigNode& node);

void write_value(JsonWriter& out, const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return out.null();
    case ConfigNode::Kind::scalar:
      return node.quoted ? out.string(node.text) : out.raw(plain_scalar_to_json(node.text));
    case ConfigNode::Kind::list:
      out.begin_list();
      for (const auto& item : node.items) write_value(out, item);
      return out.end_list();
    case ConfigNode::Kind::map:
      out.begin_object();
      write_members(out, node);
      return out.end_object();
  }
}

void write_members(JsonWriter& out, const ConfigNode& node) {
  for (const auto& member : node.members) {
    out.key(member.key);
    write_value(out, member.value);
  }
}

}  // namespace

Result<KubeObject> read_manifest(const ConfigNode& in, std::string_view kind) {
  const auto info = std::ranges::find(kind_table, kind, &KindInfo::name);
  JsonWriter out;
  out.begin_object();
  if (in.find("apiVersion") == nullptr) {
    out.key("apiVersion");
    out.string(api_version_of(*info));
  }
  if (in.find("kind") == nullptr) {
    out.key("kind");
    out.string(kind);
  }
  if (in.find("metadata") == nullptr) {
    out.key("metadata");
    out.raw("{}");
  }
  write_members(out, in);
  out.end_object();
  auto decoded = decode_object(std::move(out).take());
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  auto* object = std::get_if<KubeObject>(&*decoded);
  if (object == nullptr || kind_info(kind_of(*object)).name != kind) {
    return fail(ErrorCode::invalid, fmt::format("is no {} of a version that dray knows", kind));
  }
  return std::move(*object);
}

}  // namespace dray::wire
