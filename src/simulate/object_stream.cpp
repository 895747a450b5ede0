#include "dray/simulate/object_stream.h"

#include <utility>

namespace dray::simulate {

ObjectStream::ObjectStream(std::vector<KubeObject> objects)
    : kept_(std::make_shared<const std::vector<KubeObject>>(std::move(objects))) {}

ObjectStream ObjectStream::made_by(Play play) {
  ObjectStream stream;
  stream.play_ = std::move(play);
  return stream;
}

void ObjectStream::for_each(const Visit& visit) const {
  if (play_) return play_(visit);
  if (!kept_) return;
  for (const auto& object : *kept_) visit(object);
}

ObjectStream ObjectStream::with(Change change) const {
  if (play_) {
    return made_by([play = play_, change = std::move(change)](const Visit& visit) {
      play([&](const KubeObject& object) { change(object, visit); });
    });
  }
  std::vector<KubeObject> changed;
  for_each([&](const KubeObject& object) {
    change(object, [&](const KubeObject& one) { changed.push_back(one); });
  });
  return changed;
}

std::vector<KubeObject> ObjectStream::all() const {
  std::vector<KubeObject> objects;
  for_each([&](const KubeObject& object) { objects.push_back(object); });
  return objects;
}

}  // namespace dray::simulate
