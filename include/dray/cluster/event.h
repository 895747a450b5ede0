#pragma once

#include <string>

#include "dray/model/ids.h"
#include "dray/model/object.h"

namespace dray::cluster {

/// An object appeared or is different now.
struct ObjectChanged {
  KubeObject object;
};

/// An object is there, but cannot be read. `object` holds what could be made out: who it is and, of
/// a claim, which devices it holds and for whom. Of others, what was known before stays.
struct ObjectUnreadable {
  KubeObject object;
  std::string problem;
};

/// An object is not there any more.
struct ObjectGone {
  Kind kind;
  std::string namespace_name;
  std::string name;
  Uid uid;
};

}  // namespace dray::cluster
