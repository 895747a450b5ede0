#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "dray/model/ids.h"
#include "dray/model/meta.h"

namespace dray::wire {

/// POST podtemplates: name, namespace and owners of `meta`; labels, annotations and specification
/// of the pod (its JSON as the API server has it), so that fields that dray does not know come
/// along. Left out is what says where and in which group this one pod is: its gates, its node, its
/// scheduling group, debug containers, and annotations of dray. `conflict`: the pod is not `uid`
/// any more; `unavailable`: no pod stands there.
[[nodiscard]] Result<std::string> pod_template_body(const ObjectMeta& meta, std::string_view pod,
                                                    const Uid& uid);

}  // namespace dray::wire
