#include <string_view>

#include "dray/base/check.h"
#include "tests/fuzz/targets.h"
#include "wire/object/manifests.h"
#include "wire/object/object_codec.h"

/// A file of manifests, or another tool's snapshot of a cluster: errors name the file, and objects
/// are as those of an API server.
void dray::fuzz::manifests(std::string_view input) {
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
