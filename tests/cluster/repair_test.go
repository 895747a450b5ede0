package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// What an admin's hand, or an allocator beside dray, can leave: a device in two claims. A pod with a node uses the one,
// a pod of dray's that waits the other.
type doubleUse struct {
	runs, waits string // the claims
}

const repairDriver = "repair.example.com"

func makeDoubleUse(t *testing.T) doubleUse {
	t.Helper()
	made := doubleUse{runs: "double-runs", waits: "double-waits"}
	bound := podOf("default", made.runs, "somebody")
	bound.Spec.NodeName = "n0"
	for _, pod := range []*corev1.Pod{bound, podOf("default", made.waits, harness.SchedulerName)} {
		created, err := plane.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			err := plane.Client.CoreV1().Pods("default").Delete(contextAfter(t), pod.Name, *metav1.NewDeleteOptions(0))
			if err != nil {
				t.Error(err)
			}
		})
		claim := newClaim(t, pod.Name)
		allocateFor(t, claim, "gpu-0", created)
	}
	return made
}

// allocateFor gives the claim a device, and reserves it for the pods.
func allocateFor(t *testing.T, claim *resourcev1.ResourceClaim, device string, users ...*corev1.Pod) {
	t.Helper()
	claim = claim.DeepCopy()
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "dev", Driver: repairDriver, Pool: "n0", Device: device}}}}
	for _, user := range users {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor,
			resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: user.Name, UID: user.UID})
	}
	claims := plane.Client.ResourceV1().ResourceClaims(claim.Namespace)
	if _, err := claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func hasDevices(ctx context.Context, t *testing.T, name string) bool {
	t.Helper()
	claim, err := plane.Client.ResourceV1().ResourceClaims("default").Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return claim.Status.Allocation != nil
}

// finding is one of `dray repair -o json`.
type finding struct {
	Found, Claim, Done string
	Mended             bool
}

// repair runs the command as an admin.
func repair(t *testing.T, args ...string) (findings map[string]finding, status int) {
	t.Helper()
	kubeconfig, err := plane.Kubeconfig("repair", "repair", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"repair", "--kubeconfig", kubeconfig, "-o", "json"}, args...)
	text, err := exec.CommandContext(t.Context(), drayProgram(t), args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
		if status != 1 {
			t.Fatalf("dray repair: %v: %s", err, exit.Stderr)
		}
	} else if err != nil {
		t.Fatal(err)
	}
	var report struct{ Findings []finding }
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	findings = map[string]finding{}
	for _, each := range report.Findings {
		findings[each.Claim] = each
	}
	return findings, status
}

func TestRepair(t *testing.T) {
	claims := makeDoubleUse(t)
	idle := newClaim(t, "idle")
	allocateFor(t, idle, "gpu-1")

	said, status := repair(t, "--dry-run")
	if status != 1 || said[claims.waits].Found != "device in two claims" || said[claims.runs].Found != "" {
		t.Errorf("dry run: status %d, %+v", status, said)
	}
	if said["idle"].Found != "nobody uses it" {
		t.Errorf("dry run does not see the claim that nobody uses: %+v", said)
	}
	if !hasDevices(t.Context(), t, claims.waits) || !hasDevices(t.Context(), t, "idle") {
		t.Error("a dry run changed a claim")
	}

	done, status := repair(t)
	if status != 0 || !done[claims.waits].Mended || !done["idle"].Mended {
		t.Errorf("repair: status %d, %+v", status, done)
	}
	if hasDevices(t.Context(), t, claims.waits) || hasDevices(t.Context(), t, "idle") {
		t.Error("a claim that was mended is allocated still")
	}
	if !hasDevices(t.Context(), t, claims.runs) {
		t.Error("a device was taken from a pod with a node")
	}
	if again, status := repair(t); status != 0 || len(again) > 0 {
		t.Errorf("repaired once more: status %d, %+v", status, again)
	}
}

// The service finds it by itself, whoever did it, and heals it without a word from anybody.
func TestAuditorHealsADoubleUse(t *testing.T) {
	dray, err := plane.StartDray(t.Context(), drayProgram(t), harness.DrayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dray.Stop(15 * time.Second); err != nil {
			t.Errorf("dray after SIGTERM: %v\n%s", err, dray.Tail(60))
		}
	})
	claims := makeDoubleUse(t)
	eventually(t.Context(), t, "the claim of the pod that waits is released",
		func(ctx context.Context) (bool, error) { return !hasDevices(ctx, t, claims.waits), nil })
	if !hasDevices(t.Context(), t, claims.runs) {
		t.Error("a device was taken from a pod with a node")
	}
	eventually(t.Context(), t, "it is counted", func(context.Context) (bool, error) {
		response, err := http.Get(dray.Admin + "/metrics")
		if err != nil {
			return false, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return strings.Contains(string(text), `dray_audit_healed_total{found="device in two claims"} 1`) &&
			strings.Contains(string(text), "dray_devices_in_two_claims 0"), err
	})
}
