#include "tests/api_model/requests.h"

#include <chrono>
#include <string>
#include <utility>

#include "kube/api_path.h"
#include "kube/write_request.h"
#include "wire/object/object_codec.h"

namespace dray::api_model {
namespace {

Json request(std::string method, std::string path, std::string content_type, std::string body) {
  return {{"method", std::move(method)},
          {"path", std::move(path)},
          {"contentType", std::move(content_type)},
          {"body", std::move(body)}};
}

/// As it would go out; `{}`: nothing goes.
Json request(const kube::WriteRequest& made) {
  const auto& http = made.http;
  if (http.target == "/") return Json::object();
  return request(http.method, http.target, std::string(http.header("Content-Type")), http.body);
}

std::string path_of(Kind kind, const std::string& space, const std::string& name) {
  const auto version = kind_info(kind).versions[0];
  return kube::object_path(kind, version, space, name);
}

Json request_of(const Json& line, const engine::Write& write) {
  kube::WriteContext context;
  context.now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  if (!line.contains("read")) return request(kube::request_for(write, context));
  const auto read = read_object(line.at("read").dump());
  if (!read) return {{"error", read.error().message}};
  return request(kube::release_request(std::get<engine::ReleaseClaim>(write),
                                       std::get<ResourceClaim>(*read), context));
}

Json request_of(const Json& /*line*/, const Create& create) {
  const auto kind = kind_of(create.object);
  const auto path = kube::collection_path(kind, kind_info(kind).versions[0],
                                          meta_of(create.object).namespace_name);
  return request("POST", path, "application/json", create.text);
}

Json request_of(const Json& /*line*/, const Patch& patch) {
  auto path = path_of(patch.kind, patch.space, patch.name);
  if (patch.endpoint == sim::Endpoint::status) path += "/status";
  return request("PATCH", path, "application/merge-patch+json", patch.change.dump());
}

Json request_of(const Json& /*line*/, const Delete& drop) {
  Json options{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  const auto& only = drop.options;
  if (only.uid) options["preconditions"]["uid"] = only.uid->get();
  if (only.resource_version) {
    options["preconditions"]["resourceVersion"] = only.resource_version->get();
  }
  if (only.grace_seconds) options["gracePeriodSeconds"] = *only.grace_seconds;
  return request("DELETE", path_of(drop.kind, drop.space, drop.name), "application/json",
                 options.dump());
}

}  // namespace

Json succeeded() {
  return {{"code", "ok"}};
}

Json succeeded(const KubeObject& object) {
  return {{"code", "ok"}, {"object", Json::parse(wire::encode_object(object))}};
}

Json succeeded(const engine::WrittenObject& object) {
  return std::visit(
      [](const auto& each) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, std::monostate>) {
          return succeeded();
        } else {
          return succeeded(KubeObject(each));
        }
      },
      object);
}

Json failed(const Error& error) {
  return {{"code", name(error.code)}, {"message", error.message}};
}

Json request_of(const Json& line, const Operation& operation) {
  return std::visit([&](const auto& each) { return request_of(line, each); }, operation);
}

Json outcome_of(const Json& line, const Operation& operation) {
  net::HttpResponse response;
  response.status = line.at("status");
  response.body = line.at("body");
  if (const auto* write = std::get_if<engine::Write>(&operation)) {
    const auto answered = kube::request_for(*write, {}).answered;
    const auto outcome = kube::outcome_of(*write, answered, response);
    return outcome ? succeeded(*outcome) : failed(outcome.error());
  }
  if (response.status / 100 != 2) return failed(kube::error_of(response));
  if (std::holds_alternative<Delete>(operation)) return succeeded();
  const auto object = read_object(response.body);
  return object ? succeeded(*object) : failed(object.error());
}

}  // namespace dray::api_model
