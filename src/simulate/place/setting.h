#pragma once

#include "dray/simulate/experiment.h"
#include "simulate/place/fleet.h"

namespace dray::simulate {

struct Setting::Data {
  std::vector<GpuNode> nodes;
  Workload workload;
  ShapeTable shapes;
};

}  // namespace dray::simulate
