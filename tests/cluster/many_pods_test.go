package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	manyNodes  = 25
	perNode    = 8
	manyPods   = manyNodes * perNode
	manyDriver = "gpu.example.com"
)

// As many pods as devices: all find theirs.
func TestEveryDeviceOnce(t *testing.T) {
	startPair(t, pairOptions{})
	begin := createMany(t, "many")
	waitMany(t, "many", manyPods, time.Minute)
	t.Logf("%d pods bound in %s", manyPods, time.Since(begin).Round(time.Millisecond))
	checkMany(t, "many")
}

// The same while dray crashes again and again. What was bound stays; what was not is taken up by the next dray.
func TestEveryDeviceOnceThroughCrashes(t *testing.T) {
	p := startPair(t, pairOptions{})
	begin := createMany(t, "crashes")
	for crash := range 5 {
		bound := waitMany(t, "crashes", 10+35*crash, time.Minute)
		p.dray.Kill()
		t.Logf("%s: killed with %d pods bound", time.Since(begin).Round(time.Millisecond), bound)
		if err := p.dray.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	waitMany(t, "crashes", manyPods, 2*time.Minute)
	t.Logf("%d pods bound in %s", manyPods, time.Since(begin).Round(time.Millisecond))
	checkMany(t, "crashes")
}

// Deleted pods give their devices to those that wait.
func TestFreedDevicesAreUsedAgain(t *testing.T) {
	startPair(t, pairOptions{})
	create(t, fleet(manyDriver, 1, 2, "64").All())
	create(t, oneDeviceTemplate("again", manyDriver))
	for generation := range 3 {
		first := fmt.Sprintf("p%d-0", generation)
		second := fmt.Sprintf("p%d-1", generation)
		waiting := fmt.Sprintf("p%d-2", generation)
		createPods(t, podOf("again", first, harness.SchedulerName, "one"), podOf("again", second, harness.SchedulerName, "one"))
		waitBound(t, "again", first)
		waitBound(t, "again", second)
		createPods(t, podOf("again", waiting, harness.SchedulerName, "one"))
		waitRefused(t, "again", waiting)
		deleteNow(t, "again", first)
		waitBound(t, "again", waiting)
		if devices, _ := allocated(t, "again"); len(devices) != 2 {
			t.Errorf("allocated: %v", devices)
		}
		if err := plane.DeletePods(t.Context(), "again"); err != nil {
			t.Fatal(err)
		}
		if err := plane.WaitReleased(t.Context(), "again", patience); err != nil {
			t.Fatal(err)
		}
	}
}

func deleteNow(t *testing.T, namespace, name string) {
	t.Helper()
	now := int64(0)
	err := plane.Client.CoreV1().Pods(namespace).Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	if err != nil {
		t.Fatal(err)
	}
}

func createMany(t *testing.T, namespace string) time.Time {
	t.Helper()
	create(t, fleet(manyDriver, manyNodes, perNode, "64").All())
	create(t, oneDeviceTemplate(namespace, manyDriver))
	var pods []*corev1.Pod
	for i := range manyPods {
		pods = append(pods, podOf(namespace, fmt.Sprintf("p%d", i), harness.SchedulerName, "one"))
	}
	begin := time.Now()
	createPods(t, pods...)
	return begin
}

// waitMany polls until at least this many pods have a node, and returns how many have.
func waitMany(t *testing.T, namespace string, want int, limit time.Duration) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var bound int
	var waiting string
	if err := harness.Poll(ctx, func(ctx context.Context) (bool, error) {
		pods, err := plane.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		bound = 0
		for _, pod := range pods.Items {
			if harness.Bound(&pod) {
				bound++
			} else {
				waiting = pod.Name + ": " + harness.Describe(&pod)
			}
		}
		return bound >= want, nil
	}); err != nil {
		t.Fatalf("%d of %d pods are bound: %v; %s", bound, want, err, waiting)
	}
	return bound
}

func checkMany(t *testing.T, namespace string) {
	t.Helper()
	checkOneEach(t, namespace, manyPods)
}

// checkOneEach reads back that each of so many pods has its own device, on its node, and each device its pod.
func checkOneEach(t *testing.T, namespace string, count int) {
	t.Helper()
	devices, claims := allocated(t, namespace)
	slices.Sort(devices)
	if len(devices) != count || len(slices.Compact(slices.Clone(devices))) != count {
		t.Errorf("%d devices are allocated, %d different, want %d", len(devices),
			len(slices.Compact(slices.Clone(devices))), count)
	}
	if len(claims) != count {
		t.Errorf("%d claims, want %d", len(claims), count)
	}
	inventory, err := plane.ReadInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pods, err := plane.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one := harness.MustExpect("{bound: true, count: 1}")
	for _, pod := range pods.Items {
		its, err := plane.ClaimsOf(t.Context(), &pod)
		if err != nil {
			t.Fatal(err)
		}
		wrong := one.Unmet(harness.ObservedOf(&pod, its, nil), inventory)
		for i := range its {
			wrong = append(wrong, harness.CheckClaim(&its[i], &pod)...)
		}
		for _, text := range wrong {
			t.Errorf("pod %s: %s", pod.Name, text)
		}
		for _, claim := range its {
			if claim.Status.Allocation != nil && claim.Status.Allocation.Devices.Results[0].Pool != pod.Spec.NodeName {
				t.Errorf("pod %s is on %s, its device on %s", pod.Name, pod.Spec.NodeName,
					claim.Status.Allocation.Devices.Results[0].Pool)
			}
		}
	}
}
