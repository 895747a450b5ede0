package cluster_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extender "k8s.io/kube-scheduler/extender/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// withoutGate takes the gate policy away for the rest of the test, as on a server that has none.
func withoutGate(t *testing.T) {
	t.Helper()
	bindings := plane.Client.AdmissionregistrationV1().MutatingAdmissionPolicyBindings()
	binding, err := bindings.Get(t.Context(), "dray-gate", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := bindings.Delete(t.Context(), "dray-gate", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	wait := func(ctx context.Context, gates int) {
		eventually(ctx, t, "change of the gate policy", func(ctx context.Context) (bool, error) {
			pod, err := dryRun(ctx, podOf("default", "probe", harness.SchedulerName))
			return err == nil && len(pod.Spec.SchedulingGates) == gates, err
		})
	}
	t.Cleanup(func() {
		binding.ResourceVersion, binding.UID = "", ""
		if _, err := bindings.Create(contextAfter(t), binding, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		wait(contextAfter(t), 1)
	})
	wait(t.Context(), 0)
}

// Pods that were never gated are placed too. While one waits it hears the same answer each time: a text that varies makes
// kube-scheduler retry without end, because each new text is an update of the pod that wakes the pod.
func TestUngatedPods(t *testing.T) {
	withoutGate(t)
	p := startPair(t, pairOptions{record: true})
	create(t, fleet(manyDriver, 3, 1, "4").All())
	create(t, oneDeviceTemplate("ungated", manyDriver))
	names := []string{"p0", "p1", "p2"}
	for _, name := range names {
		createPods(t, podOf("ungated", name, harness.SchedulerName, "one"))
		waitBound(t, "ungated", name)
	}
	createPods(t, podOf("ungated", "waiting", harness.SchedulerName, "one"))
	waitRefused(t, "ungated", "waiting")
	settle(t, "ungated")
	checkFilterAnswers(t, p, "waiting")

	deleteNow(t, "ungated", "p1")
	waitBound(t, "ungated", "waiting")
	if devices, _ := allocated(t, "ungated"); len(devices) != 3 {
		t.Errorf("allocated: %v", devices)
	}
}

// checkFilterAnswers: one node at most is named; a waiting pod with claims gets the same texts each time.
func checkFilterAnswers(t *testing.T, p *pair, waiting string) {
	t.Helper()
	var texts []string
	for _, call := range p.recorder.Calls("filter") {
		var args extender.ExtenderArgs
		var result extender.ExtenderFilterResult
		if err := json.Unmarshal(call.Request, &args); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(call.Answer, &result); err != nil {
			t.Fatal(err)
		}
		if result.Error != "" || len(result.FailedNodes) > 0 {
			t.Errorf("pod %s: Error %q, FailedNodes %v", args.Pod.Name, result.Error, result.FailedNodes)
		}
		placed := result.NodeNames != nil && len(*result.NodeNames) > 0
		if placed && len(args.Pod.Spec.ResourceClaims) > 0 && len(*result.NodeNames) != 1 {
			t.Errorf("pod %s: several nodes are named: %v", args.Pod.Name, *result.NodeNames)
		}
		// Until its claim is made, and dray's watch of claims has shown it, the reason is another one.
		if args.Pod.Name == waiting && len(args.Pod.Status.ResourceClaimStatuses) > 0 && !placed {
			for _, text := range result.FailedAndUnresolvableNodes {
				if !strings.Contains(text, "does not exist yet") {
					texts = append(texts, text)
				}
			}
		}
	}
	slices.Sort(texts)
	if texts = slices.Compact(texts); len(texts) != 1 {
		t.Errorf("reasons for one verdict: %q", texts)
	}
}

// A kube-scheduler that sends whole nodes is served too; then dray plans when it binds.
func TestFullNodes(t *testing.T) {
	p := startPair(t, pairOptions{record: true, fullNodes: true})
	create(t, fleet(manyDriver, 2, 1, "4").All())
	create(t, oneDeviceTemplate("full", manyDriver))
	for _, name := range []string{"a", "b"} {
		createPods(t, podOf("full", name, harness.SchedulerName, "one"))
		waitBound(t, "full", name)
	}
	if devices, _ := allocated(t, "full"); len(devices) != 2 {
		t.Errorf("allocated: %v", devices)
	}
	for _, call := range p.recorder.Calls("filter") {
		var result extender.ExtenderFilterResult
		if err := json.Unmarshal(call.Answer, &result); err != nil {
			t.Fatal(err)
		}
		if result.Nodes == nil && len(result.FailedAndUnresolvableNodes) == 0 {
			t.Errorf("asked with Nodes, answered without: %s", call.Answer)
		}
	}
}
