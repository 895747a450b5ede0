// Package allocator holds dray's allocator against k8s.io/dynamic-resource-allocation/structured.
package allocator

import (
	// What the tests of this package call.
	_ "k8s.io/dynamic-resource-allocation/structured"
)
