#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <variant>

#include "dray/base/error.h"
#include "dray/engine/write.h"
#include "dray/model/object.h"
#include "dray/sim/api_server.h"

namespace dray::api_model {

using Json = nlohmann::json;

/// POST of an object, with fields that dray does not know.
struct Create {
  KubeObject object;
  std::string text;
};

/// PATCH with a JSON merge patch: how users, kubelets, drivers and controllers write here. A
/// resourceVersion in the metadata is a precondition.
struct Patch {
  Kind kind = Kind::pod;
  std::string space;
  std::string name;
  sim::Endpoint endpoint = sim::Endpoint::main;
  Json change;
};

struct Delete {
  Kind kind = Kind::pod;
  std::string space;
  std::string name;
  sim::DeleteOptions options;
};

/// One request to an API server: a write as dray's engine asks for it, or somebody else's.
using Operation = std::variant<engine::Write, Create, Patch, Delete>;

/// An operation as it stands on a line: `op` is the name of the write, `Create`, `Patch` or
/// `Delete`; the other members are named as in the struct or, for parts of objects, as in the API.
[[nodiscard]] Result<Operation> read_operation(const Json& line);

/// The kind of that name (`Pod`); of those of the same name the one of Kubernetes.
[[nodiscard]] Result<Kind> kind_named(const std::string& name);

/// The object of a JSON text.
[[nodiscard]] Result<KubeObject> read_object(const std::string& text);

}  // namespace dray::api_model
