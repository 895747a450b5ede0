#include <string>
#include <string_view>
#include <variant>

#include "dray/base/check.h"
#include "dray/engine/unread.h"
#include "dray/model/defaults.h"
#include "tests/fuzz/targets.h"
#include "wire/object/make_out.h"
#include "wire/object/object_codec.h"

/// An object of any kind that is read and written again is read as the same object; of one that
/// cannot be read the name is made out without harm.
void dray::fuzz::object(std::string_view input) {
  const auto meta = wire::identity_in(input);
  auto decoded = wire::decode_object(input);
  if (!decoded) {
    DRAY_CHECK(!decoded.error().message.empty());
    ResourceClaim claim;
    claim.meta = meta;
    wire::make_out_use(input, claim);
    return;
  }
  auto* object = std::get_if<KubeObject>(&*decoded);
  if (object == nullptr) return;
  // Of parts that nobody reads it is not known whether they are JSON: then it makes out nothing.
  if (meta != ObjectMeta()) DRAY_CHECK(meta_of(*object).name == meta.name);
  if (meta != ObjectMeta()) DRAY_CHECK(meta_of(*object).uid == meta.uid);
  const auto text = wire::encode_object(*object);
  const auto again = wire::decode_object(text);
  DRAY_CHECK(again.has_value());
  DRAY_CHECK(kind_of(std::get<KubeObject>(*again)) == kind_of(*object));
  DRAY_CHECK(wire::encode_object(std::get<KubeObject>(*again)) == text);
  // What a record keeps of it is an object, too.
  engine::drop_unread(*object);
  DRAY_CHECK(wire::decode_object(wire::encode_object(*object)).has_value());
}
