package cluster_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// another is another build of the program: DRAY_OTHER_BIN, else a copy of it. What differs between builds of different code the
// copy does not show.
func another(t *testing.T, program string) string {
	t.Helper()
	if other := os.Getenv("DRAY_OTHER_BIN"); other != "" {
		program = other
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dray")
	if err := os.WriteFile(file, text, 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// startReplica starts a dray that stands by if another one leads.
func startReplica(t *testing.T, program, name string) *harness.Dray {
	t.Helper()
	replica, err := plane.StartDray(t.Context(), program, harness.DrayOptions{Replica: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(replica.Tail(40))
		}
		replica.Kill()
	})
	return replica
}

// heldByBound is what the claims of the namespace's bound pods hold, by claim. (Who drains takes back what is not bound yet.)
func heldByBound(t *testing.T, namespace string) map[string]string {
	t.Helper()
	pods, err := plane.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bound := map[string]bool{}
	for _, pod := range pods.Items {
		for _, claim := range pod.Status.ResourceClaimStatuses {
			bound[*claim.ResourceClaimName] = harness.Bound(&pod)
		}
	}
	_, claims := allocated(t, namespace)
	devices := map[string]string{}
	for i := range claims {
		if held := harness.ExclusiveDevices(&claims[i]); bound[claims[i].Name] {
			devices[claims[i].Name] = fmt.Sprint(held)
		}
	}
	return devices
}

// takesOver waits until the replica holds the Lease, and then until it is ready.
func takesOver(t *testing.T, replica *harness.Dray, name string) (taken, ready time.Duration) {
	t.Helper()
	begin := time.Now()
	eventually(t.Context(), t, name+" takes the Lease", func(ctx context.Context) (bool, error) {
		lease, err := plane.Client.CoordinationV1().Leases("dray-system").Get(ctx, "dray", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		holder := lease.Spec.HolderIdentity
		return holder != nil && *holder == name, nil
	})
	taken = time.Since(begin)
	eventually(t.Context(), t, name+" is ready", func(ctx context.Context) (bool, error) { return replica.Ready(ctx), nil })
	return taken, time.Since(begin) - taken
}

// An upgrade and its rollback while pods come: the one ends as a Deployment's pod does (SIGTERM), the other takes the Lease.
// Every pod gets a device of its own, and what was allocated before stays as it was.
func TestUpgradeAndRollbackUnderLoad(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	audit(t)
	older := drayProgram(t)
	replicas := map[string]*harness.Dray{"older": startReplica(t, older, "older")}
	takesOver(t, replicas["older"], "older")
	replicas["newer"] = startReplica(t, another(t, older), "newer")
	service, err := harness.StartService(t.Context(), replicas["older"], replicas["newer"])
	if err != nil {
		t.Fatal(err)
	}
	config := schedulerConfig(t, "scheduler.yaml")
	config.PointAt(service.URL, "", nil)
	startScheduler(t, config)
	createMany(t, "upgrade")
	for i, step := range []struct{ from, to string }{{"older", "newer"}, {"newer", "older"}} {
		bound := waitMany(t, "upgrade", 20+60*i, time.Minute)
		if bound == manyPods {
			t.Errorf("all pods are bound before %s ends", step.from)
		}
		before := heldByBound(t, "upgrade")
		if err := replicas[step.from].Stop(20 * time.Second); err != nil {
			t.Errorf("%s after SIGTERM: %v", step.from, err)
		}
		taken, ready := takesOver(t, replicas[step.to], step.to)
		t.Logf("%d pods bound: %s has the Lease after %s and is ready after %s more", bound, step.to,
			taken.Round(time.Millisecond), ready.Round(time.Millisecond))
		if ready > time.Second {
			t.Errorf("%s, which stood by, is ready %s after it took the Lease, want 1 s", step.to, ready)
		}
		now := heldByBound(t, "upgrade")
		maps.DeleteFunc(before, func(claim, device string) bool { return now[claim] == device })
		if len(before) > 0 {
			t.Errorf("the change to %s lost allocations: %v", step.to, before)
		}
		if i == 0 { // the rollback's: stands by, as the next pod of the Deployment would
			if err := replicas["older"].Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	waitMany(t, "upgrade", manyPods, 2*time.Minute)
	checkMany(t, "upgrade")
}
