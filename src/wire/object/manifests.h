#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "dray/sim/owned_pods.h"
#include "wire/object/object_codec.h"

namespace dray::wire {

/// Something from a file, and the line where it begins.
template <class T>
struct Located {
  T value;
  int line = 0;
};

/// What stands in one file.
struct Manifests {
  std::vector<Located<KubeObject>> objects;
  std::vector<Located<UnknownObject>> unknown;  ///< of kinds that dray does not read
  /// Objects whose controllers make pods, in their order; their positions are among `objects`.
  std::vector<sim::PodOwner> owners;
  /// Those with pod templates of kinds whose controllers are not known, for people.
  std::vector<std::string> strangers;
};

/// Whether Manifests::owners and `strangers` are looked for.
enum class Owners : bool { skip, read };

/// Objects from YAML or JSON: any number of documents, each an object or a list of objects, with
/// the API server's defaults applied; or what KAI-Scheduler's snapshot plugin and the export of
/// kube-scheduler-simulator have of a cluster. Errors name file, line and field:
/// `cluster.yaml:12: Pod default/p0: spec.priority: expected an integer, not a string`.
[[nodiscard]] Result<Manifests> load_manifests(std::string_view text, std::string_view file,
                                               Owners owners = Owners::skip);

}  // namespace dray::wire
