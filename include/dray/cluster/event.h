#pragma once

#include <string>

#include "dray/model/ids.h"
#include "dray/model/object.h"

namespace dray::cluster {

/// An object appeared or is different now.
struct ObjectChanged {
  KubeObject object;
};

/// An object is not there any more.
struct ObjectGone {
  Kind kind;
  std::string namespace_name;
  std::string name;
  Uid uid;
};

}  // namespace dray::cluster
