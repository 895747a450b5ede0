package cluster_test

import (
	"context"
	"strings"
	"testing"

	"dray.dev/dray/tests/cluster/harness"
)

// contextAfter outlives the test's own context, which ends before its cleanups run.
func contextAfter(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }

// The control plane alone: what fails here is no fault of dray.
func TestInTreeAllocation(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	manageDrivers(t, "gpu.nvidia.com")
	startScheduler(t, harness.DefaultSchedulerConfig())
	create(t, fleet("smoke.example.com", 2, 1, "4").All())
	create(t, oneDeviceTemplate("smoke", "smoke.example.com"))

	createPods(t, podOf("smoke", "a", "default-scheduler", "one"), podOf("smoke", "b", "default-scheduler", "one"))
	waitBound(t, "smoke", "a")
	waitBound(t, "smoke", "b")
	createPods(t, podOf("smoke", "c", "default-scheduler", "one"))
	if refused := waitRefused(t, "smoke", "c"); !strings.Contains(harness.Refusal(refused), "cannot allocate all claims") {
		t.Errorf("unexpected reason: %s", harness.Refusal(refused))
	}
	if devices, _ := allocated(t, "smoke"); len(devices) != 2 || devices[0] == devices[1] {
		t.Errorf("allocated: %v", devices)
	}
}
