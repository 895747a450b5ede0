package cluster_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// With budgets.exposedJobs: 1 a cluster autoscaler sees the first job for which no node has room, and no other: neither the one
// behind it nor one that its queue blocks. When a node has come, what was exposed is placed, and what it made room for.
func TestExposedJobs(t *testing.T) {
	const driver = "exposed.example.com"
	policy, err := filepath.Abs("testdata/exposed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	create(t, fleet(driver, 1, 2, "8").All())
	create(t, oneDeviceTemplate("open", driver)+"---"+oneDeviceTemplate("closed", driver))
	pod := func(namespace, name string) {
		createPods(t, podOf(namespace, name, harness.SchedulerName, "one"))
	}
	for _, name := range []string{"a", "b"} {
		pod("open", name)
		waitBound(t, "open", name)
	}
	pod("closed", "blocked")
	pod("open", "first")
	if _, err := plane.WaitPod(t.Context(), "open", "first", patience, func(pod *corev1.Pod) bool {
		return len(gatesOf(pod)) == 0 && harness.Refused(pod)
	}); err != nil {
		t.Fatal(err)
	}
	pod("open", "second")
	told := func(namespace, name string) {
		t.Helper()
		eventually(t.Context(), t, name+" was told why it waits", func(ctx context.Context) (bool, error) {
			return harness.Refusal(getPod(t, namespace, name)) != "", nil
		})
		if gates := gatesOf(getPod(t, namespace, name)); !slices.Contains(gates, "dray.dev/admission") {
			t.Errorf("%s is exposed", name)
		}
	}
	told("open", "second")
	told("closed", "blocked")

	nodes := fleet(driver, 1, 2, "8")
	nodes.NodeName = "new-%d"
	_, added, _ := strings.Cut(nodes.All(), "---\n") // the class is there
	create(t, added)
	waitBound(t, "open", "first")
	waitBound(t, "open", "second")
	told("closed", "blocked")
}
