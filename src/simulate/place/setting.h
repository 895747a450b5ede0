#pragma once

#include "dray/simulate/experiment.h"
#include "simulate/place/fleet.h"

namespace dray::simulate {

struct Setting::Data {
  Cluster cluster;
  Workload workload;
  ShapeTable shapes;
};

}  // namespace dray::simulate
