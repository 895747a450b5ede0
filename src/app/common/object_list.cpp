#include "app/common/object_list.h"

#include "wire/object/object_codec.h"

namespace dray::app {

std::string object_list(std::span<const KubeObject> objects) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  const char* before = "\n";
  for (const auto& object : objects) {
    text += before + wire::encode_object(object);
    before = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace dray::app
