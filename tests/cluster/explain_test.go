package cluster_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"testing"

	"dray.dev/dray/tests/cluster/harness"
	corev1 "k8s.io/api/core/v1"
)

// explained is what `dray explain -o json` says of a pod, and its exit status.
func explained(t *testing.T, kubeconfig, pod string) (said struct {
	Standing, Reason, Summary, Node string
	Devices                         []string
	Helps                           []string
}, status int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), drayProgram(t), "explain", pod, "--kubeconfig", kubeconfig, "-o", "json")
	text, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatalf("dray explain %s: %v: %s", pod, err, text)
	}
	return said, status
}

// What dray explain says of a live cluster agrees with what dray serve decided there: where a pod runs, with which
// devices, and the Reason for which another waits.
func TestExplain(t *testing.T) {
	const driver = "explain.example.com"
	startPair(t, pairOptions{})
	create(t, fleet(driver, 1, 1, "8").All())
	create(t, oneDeviceTemplate("explain", driver))
	createPods(t, podOf("explain", "first", harness.SchedulerName, "one"))
	waitBound(t, "explain", "first")
	second := podOf("explain", "second", harness.SchedulerName, "one")
	second.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "dray.dev/admission"}}
	createPods(t, second)
	var reason string
	if _, err := plane.WaitPod(t.Context(), "explain", "second", patience, func(pod *corev1.Pod) bool {
		for _, c := range pod.Status.Conditions {
			if c.Type == "DrayAdmitted" && c.Status == corev1.ConditionFalse {
				reason = c.Reason
			}
		}
		return reason != ""
	}); err != nil {
		t.Fatal(err)
	}

	kubeconfig, err := plane.Kubeconfig("explain", "explain", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	runs, status := explained(t, kubeconfig, "explain/first")
	if status != 0 || runs.Standing != "runs" || runs.Node != "n0" || len(runs.Devices) != 1 || runs.Devices[0] != "dev: "+driver+"/n0/dev-0" {
		t.Errorf("status %d, %+v", status, runs)
	}
	waits, status := explained(t, kubeconfig, "explain/second")
	if status != 1 || waits.Standing != "waits" || waits.Reason != reason {
		t.Errorf("status %d, %+v; dray serve says %s", status, waits, reason)
	}
	if want := "it starts once one of these has ended: explain/first"; len(waits.Helps) == 0 || waits.Helps[0] != want {
		t.Errorf("it helps: %q, want %q first", waits.Helps, want)
	}
}
