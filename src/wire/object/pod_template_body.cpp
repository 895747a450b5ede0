#include "wire/object/pod_template_body.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace dray::wire {
namespace {

using Json = nlohmann::ordered_json;

/// Of this one pod, or refused in a template.
constexpr const char* left_out[] = {"nodeName", "schedulingGates", "schedulingGroup",
                                    "ephemeralContainers", "hostname"};

Json owner(const OwnerReference& reference) {
  return {{"apiVersion", reference.api_version},
          {"kind", reference.kind},
          {"name", reference.name},
          {"uid", reference.uid.get()},
          {"controller", reference.controller}};
}

}  // namespace

Result<std::string> pod_template_body(const ObjectMeta& meta, std::string_view pod,
                                      const Uid& uid) {
  auto parsed = Json::parse(pod, nullptr, false);
  const auto no_pod = [] { return fail(ErrorCode::unavailable, "the answer holds no pod"); };
  if (!parsed.is_object() || !parsed.contains("spec") || !parsed["spec"].is_object()) {
    return no_pod();
  }
  if (!parsed.contains("metadata") || !parsed["metadata"].is_object()) return no_pod();
  auto& known = parsed["metadata"];
  if (known.value("uid", "") != uid.get()) {
    return fail(ErrorCode::conflict, "pod " + known.value("name", "") + " is another one now");
  }
  auto& spec = parsed["spec"];
  for (const auto* name : left_out) spec.erase(name);
  auto marks = Json::object();
  if (known.contains("annotations")) {
    for (const auto& [key, value] : known["annotations"].items()) {
      if (!key.starts_with("dray.dev/")) marks[key] = value;
    }
  }
  Json body{{"apiVersion", "v1"},
            {"kind", "PodTemplate"},
            {"metadata",
             {{"namespace", meta.namespace_name},
              {"name", meta.name},
              {"ownerReferences", Json::array()}}},
            {"template", {{"metadata", Json::object()}, {"spec", std::move(spec)}}}};
  for (const auto& each : meta.owners) {
    body["metadata"]["ownerReferences"].push_back(owner(each));
  }
  auto& inner = body["template"]["metadata"];
  if (known.contains("labels")) inner["labels"] = known["labels"];
  if (!marks.empty()) inner["annotations"] = std::move(marks);
  return body.dump();
}

}  // namespace dray::wire
