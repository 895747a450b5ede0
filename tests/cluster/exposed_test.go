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

// With node groups in the policy an autoscaler sees the job that one of them would take, which its pod names, and not the job that
// none can take, which is told so. The test plays the autoscaler: a node of that group comes, and the pod is placed on it.
func TestNodeGroups(t *testing.T) {
	const driver, space = "groups.example.com", "groups"
	policy, err := filepath.Abs("testdata/node-groups.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	there := fleet(driver, 1, 1, "8")
	there.NodeName = "groups-%d"
	create(t, there.All())
	create(t, oneDeviceTemplate(space, driver))
	for name, devices := range map[string]int{"fits": 3, "none": 5} {
		createPods(t, podOf(space, name, harness.SchedulerName, slices.Repeat([]string{"one"}, devices)...))
	}
	shown, err := plane.WaitPod(t.Context(), space, "fits", patience, func(pod *corev1.Pod) bool {
		return len(gatesOf(pod)) == 0 && harness.Refused(pod)
	})
	if err != nil {
		t.Fatal(err)
	}
	if group := shown.Annotations["dray.dev/node-group"]; group != "large" {
		t.Errorf("fits is shown for group %q", group)
	}
	told := func() {
		t.Helper()
		eventually(t.Context(), t, "none was told which groups do not fit", func(ctx context.Context) (bool, error) {
			return strings.Contains(harness.Refusal(getPod(t, space, "none")), "no node group can grow to fit: small: "), nil
		})
		if gates := gatesOf(getPod(t, space, "none")); !slices.Contains(gates, "dray.dev/admission") {
			t.Error("none is exposed")
		}
	}
	told()
	come := fleet(driver, 1, 4, "8")
	come.NodeName = "large-%d"
	_, added, _ := strings.Cut(come.All(), "---\n") // the class is there
	create(t, strings.Replace(added, "labels: {", "labels: {pool: large, ", 1))
	waitBound(t, space, "fits")
	told()
}
