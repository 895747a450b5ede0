#pragma once

#include <functional>
#include <optional>

#include "dray/model/object.h"
#include "wire/json/json_reader.h"

namespace dray::wire {

// Snapshots of other tools: JSON objects with no kind, with a list of the objects of each kind,
// which say no kind either. Of KAI-Scheduler (its plugin `snapshot`: RawKubernetesObjects in
// `rawObjects`) and of kube-scheduler-simulator (`GET /api/v1/export`: ResourcesForSnap, which is
// the document).

/// Of a document without a kind: the way to the object that has the lists; nothing where it is no
/// such snapshot.
[[nodiscard]] std::optional<Path> way_to_lists(Document& document);

/// Calls `f` with each list of a kind that dray reads, its path and the kind. Others are left out,
/// as objects of unknown kinds are.
void each_list(const Reader& root, const Path& way,
               const std::function<void(const Reader&, const Path&, const KindInfo&)>& f);

}  // namespace dray::wire
