#pragma once

#include <vector>

#include "dray/model/object.h"

namespace dray::app {

/// Names that say who works on what, replaced: of namespaces, pods, claims, templates, groups and
/// other owners, disruption budgets, service accounts and containers; keys and values of pods'
/// labels, but of those that dray reads. One name has one replacement wherever it stands, and
/// replacements sort as the names do, since names break ties. Annotations that dray does not read,
/// labels that nothing selects by, parameters for drivers and messages go.
///
/// What describes the hardware stays: nodes with their labels, devices, classes, selectors; so do
/// the names of queues and priority classes, uids and times.
void redact(std::vector<KubeObject>& objects);

}  // namespace dray::app
