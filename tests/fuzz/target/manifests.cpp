#include <string_view>

#include "dray/base/check.h"
#include "tests/fuzz/targets.h"
#include "wire/object/manifests.h"
#include "wire/object/object_codec.h"
#include "wire/object/pod_templates.h"

namespace dray::fuzz {
namespace {

/// What `dray convert` reads, changes and writes.
void check_templates(std::string_view text) {
  auto read = wire::PodTemplates::read(text, "file.yaml");
  if (!read) {
    DRAY_CHECK(read.error().message.starts_with("file.yaml"));
    return;
  }
  const auto count = read->all().size();
  if (count > 0) {
    wire::ClaimInPlace change;
    change.entry = "gpus";
    change.claim_template = "gpus";
    for (const auto& container : read->all().front().containers) {
      change.requests[container.name] = {"gpu"};
      for (const auto& [resource, amount] : container.extended) {
        change.removed[container.name].push_back(resource);
      }
    }
    read->use_claim(0, change);
    read->set_scheduler(0, "dray");
  }
  const auto again = wire::PodTemplates::read(read->yaml(), "file.yaml");
  DRAY_CHECK(again && again->all().size() == count);
}

}  // namespace

/// A file of manifests, or another tool's snapshot of a cluster: errors name the file, and objects
/// are as those of an API server.
void manifests(std::string_view input) {
  check_templates(input);
  const auto read = wire::load_manifests(input, "file.yaml", wire::Owners::read);
  if (!read) {
    DRAY_CHECK(read.error().message.starts_with("file.yaml"));
    return;
  }
  for (const auto& object : read->objects) {
    DRAY_CHECK(object.line >= 0);
    DRAY_CHECK(wire::decode_object(wire::encode_object(object.value)).has_value());
  }
  const auto known = wire::load_manifests(input, "file.yaml");
  DRAY_CHECK(known && known->objects.size() == read->objects.size());
}

}  // namespace dray::fuzz
