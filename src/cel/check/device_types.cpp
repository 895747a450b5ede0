#include "cel/check/checker.h"

namespace dray::cel {

const DeviceTypes& device_types(const Environment& environment) {
  struct Made {
    TypePool pool;
    DeviceTypes types;
    Made(const Type& attribute, bool multiple, bool includes) {
      types.attribute = &attribute;
      types.inner = &pool.map(types::string, attribute);
      types.attributes = &pool.map(types::string, *types.inner);
      types.capacities = &pool.map(types::string, pool.map(types::string, types::quantity));
      types.allow_multiple = multiple;
      types.includes = includes;
    }
  };
  static const Made with_everything(types::dyn, true, true);
  static const Made new_with_multiple(types::any, true, false);
  static const Made new_plain(types::any, false, false);
  static const Made new_with_lists(types::dyn, false, true);
  if (environment.kind == Environment::Kind::stored) return with_everything.types;
  if (environment.list_type_attributes) {
    return environment.consumable_capacity ? with_everything.types : new_with_lists.types;
  }
  return environment.consumable_capacity ? new_with_multiple.types : new_plain.types;
}

}  // namespace dray::cel
