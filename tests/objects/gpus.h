#pragma once

// Nodes of identical GPUs, claims for some of them, and pods that use the claims: all builders.

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/groups.h"
#include "tests/objects/meta.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"
